import {
  followRows,
  pageOfLeftOrganizations,
  type ScopeFollowUp,
  type ScopeMark,
  spanOf,
} from "../../../lib/access/follow-scope.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { authorizedDigestOf } from "../../../lib/http/cursors.ts";
import { type OrganizationLeft, parseOrganizationLeft } from "../../../lib/store/items/scope-epochs.ts";
import { queryAll, StoreUnavailable } from "../../../lib/store/table.ts";
import { parseHead } from "../../../lib/stream/head.ts";
import type { StreamPageRequest, StreamPageResult } from "../../../lib/stream/read-page.ts";
import { checkCursor, checkShown, checkWalk, Violation, type WalkScope } from "./checker.ts";
import { pullRequestOf, statusOf, visibleText } from "./history.ts";
import {
  coversSeveral,
  goneAtEnd,
  isRefused,
  owedAtCursor,
  owedAtEnd,
  type Row,
  randomKey,
  readRows,
} from "./scope.ts";
import { organizations, type Process, parseOrganizationState, scopeNowMs, type World } from "./world.ts";

type Admission = {
  /** The organizations in scope, with their change counters. */
  readonly organizations: ReadonlyMap<string, number>;
  readonly began: number;
  /** Only for a walk over several organizations. */
  readonly following?: ScopeFollowUp<Row>;
};

/** A caller that walks pages, keeps the last state it saw of every pull request, and may resume later. */
export class Walk {
  readonly #world: World;
  #process: Process;
  readonly scope: WalkScope;
  readonly shown = new Map<string, string>();
  pages = 0;
  readonly appliesRemovals: boolean;
  #after = 0;
  /** The number that was published when the walk began; undefined before its first page. */
  #removalsSince: number | undefined;
  #arrivals: string | undefined;
  /** The position of a walk that continues before it catches up. */
  #passed: number | undefined;
  #isLate = false;
  #mark: ScopeMark | undefined;
  /**
   * The organizations that the requesting key is authorized for; `#cursorKey` has the same of the key that got the
   * cursor.
   */
  #authorized: readonly string[] | null;
  #cursorKey: string | undefined;
  /** Organizations that were in scope on every page so far, with their change counters. */
  steady: ReadonlyMap<string, number> | undefined;

  constructor(
    world: World,
    process: Process,
    scope: WalkScope,
    appliesRemovals = false,
    authorized: readonly string[] | null = null,
  ) {
    this.#authorized = authorized;
    this.appliesRemovals = appliesRemovals;
    this.#world = world;
    this.#process = process;
    this.scope = scope;
  }

  /** Whether the key may see this organization. */
  mayRead = (organization: string): boolean => this.#authorized?.includes(organization) ?? true;

  /** Continues with the same mirror: the process that made it may have died. */
  takeUp(process: Process): void {
    this.#process = process;
  }

  /** Returns false if the walk had to stop: the organization left, or the world closes. */
  async toTheEnd(nextLimit: () => number): Promise<boolean> {
    for (;;) {
      try {
        const admission = await this.#admit();
        if (admission === "gone" || (admission === "preparing" && this.#world.isClosing)) return false;
        if (admission !== "preparing") {
          const isEnd = await this.#page(admission, nextLimit());
          if (isEnd) return true;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      await this.#world.sleep(this.#world.dice.below(20));
    }
  }

  /** Reads who is in scope now, as authentication does at every call. */
  async #admit(): Promise<Admission | "gone" | "preparing"> {
    const began = this.#world.now();
    if (coversSeveral(this.scope)) return this.#admitSeveral(began);
    const table = this.#world.connect(this.#process);
    const { tenant, organization } = this.scope;
    const wanted = organization === undefined ? organizations : [organization];
    const items = await Promise.all(
      wanted.map((each) => table.get(kinds.organization.key({ organization: each }))),
    );
    const found = items.map((item, index) => ({
      name: wanted[index] ?? "",
      state: parseOrganizationState(item),
    }));
    const ours = found.filter(({ state }) => state.tenant === tenant);
    if (ours.length === 0) return "gone";
    const arrivals = ours.map(({ state }) => state.arrivals).join();
    this.#arrivals ??= arrivals;
    if (this.appliesRemovals && this.#arrivals !== arrivals) return "gone";
    if (ours.some(({ state }) => !state.isReady)) return "preparing";
    const inScope = new Map(ours.map(({ name, state }) => [name, state.changes]));
    return { organizations: inScope, began };
  }

  /** Like the request chain: rows and epochs in one round, and the rows again if the epochs show a change. */
  async #admitSeveral(began: number): Promise<Admission | "gone" | "preparing"> {
    const { scopeWeakness: weakness } = this.#world;
    const { rows, epochs } = await readRows(this.#world, this.#process, this.scope.tenant);
    const mark = weakness === "unmarked" ? undefined : this.#mark;
    if (!this.#world.isClosing && this.#world.keyDice?.chance(0.05))
      this.#authorized = randomKey(this.#world);
    const key = { authorized: this.#authorized && [...this.#authorized] };
    if (mark && weakness !== "widened" && isRefused({ mark, authorizedDigest: this.#cursorKey }, key, epochs))
      return "gone";
    this.#cursorKey = authorizedDigestOf({ key });
    const planned = spanOf(epochs, mark, scopeNowMs(this.#world));
    const isTrusted = (weakness === "fresh-trusted" && !mark) || (weakness === "rows-trusted" && mark);
    const span = { ...planned, rereads: planned.rereads && !isTrusted };
    const now = span.rereads ? (await readRows(this.#world, this.#process, this.scope.tenant)).rows : rows;
    const visible = now.filter(({ isVisible, name }) => isVisible && this.mayRead(name));
    const { organizations: shown, following } = await followRows(visible, span, mark, () => this.#left());
    // A mirror first gets the page that reports the last organization as left; only later requests are refused.
    const isReportedFirst =
      this.appliesRemovals && mark !== undefined && (following.left.length > 0 || mark.catchUp);
    if (visible.length === 0 && !isReportedFirst) return "gone";
    if (visible.some(({ isReady }) => !isReady)) return "preparing";
    const isMarked = weakness !== "unmarked";
    const inScope = new Map((isMarked ? shown : visible).map(({ name, changes }) => [name, changes]));
    return { organizations: inScope, began, ...(isMarked && { following }) };
  }

  async #left(): Promise<OrganizationLeft[]> {
    if (!this.appliesRemovals) return [];
    const table = this.#world.connect(this.#process);
    const items = await Array.fromAsync(
      queryAll(table, kinds.organizationLeft.range({ tenant: this.scope.tenant })),
    );
    return items.map(parseOrganizationLeft).filter(({ uuid }) => this.mayRead(uuid));
  }

  /** Organizations that left are reported on a separate page. */
  #drop(following: ScopeFollowUp<Row>, limit: number): void {
    const { left, mark } = pageOfLeftOrganizations(following, limit, 0);
    for (const { uuid } of left)
      for (const name of this.shown.keys()) if (name.startsWith(`${uuid} `)) this.shown.delete(name);
    this.#mark = mark;
    this.pages++;
  }

  /** Reads one page; returns true if it was the last. */
  async #page(admission: Admission, limit: number): Promise<boolean> {
    const { organizations: inScope, began, following } = admission;
    const { events } = this.#world;
    this.steady = stillSteady(this.steady, inScope);
    if (following && following.left.length > 0) {
      this.#drop(following, limit);
      return false;
    }
    if (following && this.#mark && inScope.size === 0)
      return await this.#readNoOrganization(following, began);
    const newlyVisible = following?.newlyVisible.map(({ name }) => name) ?? [];
    const isCatchUp = newlyVisible.length > 0 && !this.#goesOnFirst();
    const caughtUpTo = following?.caughtUpTo;
    const stretch = isCatchUp
      ? {
          after: typeof caughtUpTo === "number" ? caughtUpTo : 0,
          upTo: this.#passed ?? this.#after,
          ...(this.#world.dice.chance(0.5) && { copiesOf: newlyVisible }),
        }
      : { after: this.#after };
    const shownNow = isCatchUp ? new Set(newlyVisible) : new Set(inScope.keys());
    const result = await this.#read(stretch, shownNow, limit);
    if (result.outcome === "no-progress") return false;
    if (result.outcome === "too-large") throw new Violation("paging", "a small page was called too large");
    if (result.outcome === "moved") throw new Violation("paging", "a page that did not ask got a move");
    this.pages++;
    this.#world.pages++;
    if (result.entries.length + result.removals.length > limit)
      throw new Violation("paging", "a page holds more than its limit");
    const removed = result.removals.map((each) => `${each.organization} ${each.pullRequest}`);
    const names = [...result.entries.map(({ payload }) => pullRequestOf(payload)), ...removed];
    if (removed.length > 0 && this.#removalsSince === undefined)
      throw new Violation("foreign", "a first page tells of a removal");
    if (new Set(names).size < names.length)
      throw new Violation("paging", "a pull request stands twice on one page");
    for (const entry of result.entries) {
      if (entry.number <= stretch.after) throw new Violation("paging", "an entry before the cursor appears");
      checkShown(events, this.scope, shownNow, entry);
      this.shown.set(pullRequestOf(entry.payload), visibleText(entry));
    }
    for (const name of removed) this.shown.delete(name);
    if (this.appliesRemovals && !isCatchUp) this.#removalsSince ??= result.removalsSince;
    if (result.nextAfter !== null && result.nextAfter <= stretch.after)
      throw new Violation("paging", "the cursor stands still");
    this.#moveOn(admission, result, isCatchUp);
    await checkCursor(
      this.#world,
      this.scope,
      await owedAtCursor(this.#world, this, this.#mark?.epoch),
      this.#after,
      this.shown,
    );
    const isOver = result.nextAfter === null && !isCatchUp && this.#passed === undefined;
    if (!isOver || following?.isCurrent === false) return false;
    this.#world.walks++;
    const known = {
      owed: await owedAtEnd(this.#world, this, began),
      gone: await goneAtEnd(this.#world, this, began),
    };
    checkWalk(events, this.scope, known, began, this);
    return true;
  }

  /** Every organization that left was reported: the walk keeps its position. */
  async #readNoOrganization({ mark, isCurrent }: ScopeFollowUp<Row>, began: number): Promise<boolean> {
    this.pages++;
    this.#mark = mark;
    if (!isCurrent) return false;
    this.#world.walks++;
    const known = { owed: new Set<string>(), gone: await goneAtEnd(this.#world, this, began) };
    checkWalk(this.#world.events, this.scope, known, began, this);
    return true;
  }

  /** The weakness: organizations that became visible wait until the walk has reached its end. */
  #goesOnFirst(): boolean {
    if (this.#world.scopeWeakness !== "caught-up-late") return false;
    if (this.#passed === undefined) {
      this.#passed = this.#after;
      this.#isLate = true;
    }
    return this.#isLate;
  }

  /** Computes the content of the next cursor. */
  #moveOn(
    { following }: Admission,
    result: StreamPageResult & { readonly outcome: "page" },
    isCatchUp: boolean,
  ): void {
    if (this.#isLate && !isCatchUp && this.#mark && this.#passed !== undefined) {
      this.#after = result.nextAfter ?? result.readUpTo;
      this.#isLate = result.nextAfter !== null;
    } else if (isCatchUp && following) {
      if (result.nextAfter === null) this.#passed = undefined;
      this.#mark = result.nextAfter === null ? following.mark : following.markAt(result.nextAfter);
    } else {
      this.#after = result.nextAfter ?? result.readUpTo;
      this.#mark = following?.mark;
    }
  }

  async #read(
    stretch: Pick<StreamPageRequest, "after" | "upTo" | "copiesOf">,
    shownNow: ReadonlySet<string>,
    limit: number,
  ): Promise<StreamPageResult> {
    const { dice, isClosing } = this.#world;
    const { tenant, organization, dataset, window, authorId, status } = this.scope;
    const isAsked = (each: { readonly organization: string; readonly authorId: string | null }) =>
      shownNow.has(each.organization) && (authorId === undefined || each.authorId === authorId);
    const { table, read } = this.#world.reader(this.#process);
    const head = dice.chance(0.5) ? parseHead(await table.get(kinds.streamHead.key({ tenant }))) : undefined;
    const timeUp = !isClosing && dice.chance(0.05) ? abortAfter(this.#world, dice.below(30)) : undefined;
    return read(table, {
      tenant,
      organization,
      dataset,
      window,
      limit,
      eligible: (entry) => isAsked(entry) && (status === undefined || statusOf(entry.payload) === status),
      ...(this.appliesRemovals && {
        removals: {
          since: this.#removalsSince,
          eligible: ({ organization: owner, facets }) =>
            isAsked({ organization: owner, authorId: facets.authorId }) &&
            (status === undefined || facets.status === undefined || facets.status === status),
        },
      }),
      responseBytesMax: 1_000_000,
      passedOverBytesMax: !isClosing && dice.chance(0.3) ? dice.below(400) : 1_000_000,
      ...stretch,
      ...(head && { head }),
      ...(timeUp && { timeUp }),
    });
  }
}

function stillSteady(
  before: ReadonlyMap<string, number> | undefined,
  now: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  if (!before) return now;
  return new Map([...before].filter(([name, changes]) => now.get(name) === changes));
}

function abortAfter(world: World, steps: number): AbortSignal {
  const controller = new AbortController();
  world.sleep(steps).then(() => controller.abort());
  return controller.signal;
}
