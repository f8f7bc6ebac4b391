import type { ScopeMark } from "../../../lib/access/follow-scope.ts";
import { narrowToPlan } from "../../../lib/access/policy.ts";
import type { Principal } from "../../../lib/access/principal.ts";
import { followScope } from "../../../lib/access/request-scope.ts";
import { type Scope, selectOrganizations } from "../../../lib/access/scope.ts";
import { ApiError } from "../../../lib/contract/api-error.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { partsOf } from "../../../lib/contract/kind.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { listAuditLogs } from "../../../lib/contract/operations/audit-logs.ts";
import { listLearnings } from "../../../lib/contract/operations/learnings.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { exportAuditLog } from "../../../lib/http/audit-walk.ts";
import { checkMark } from "../../../lib/http/cursors.ts";
import { exportLearnings } from "../../../lib/learnings/export/export-learnings.ts";
import type { Clock } from "../../../lib/runtime/clock.ts";
import { parseAudit } from "../../../lib/store/items/audit.ts";
import { parseOrganization } from "../../../lib/store/items/organization.ts";
import { parseScopeEpochs } from "../../../lib/store/items/scope-epochs.ts";
import { queryAll, StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { atRest, mirrorFaults } from "../../support/mirror-oracle.ts";
import { type MirrorSimulation, settledSteps, tenant, type Weak } from "./mirror-simulation.ts";

type Cursor = { readonly position: readonly string[]; readonly mark: ScopeMark | undefined };

/** One page's call, as the request lifecycle passes it to the verb. */
type Call = {
  readonly principal: Principal;
  readonly scope: Scope;
  readonly position: readonly string[] | null;
  readonly pageSize: number;
  next(position: readonly string[], mark?: ScopeMark): string;
  resume(position: readonly string[], mark?: ScopeMark): string;
  readonly table: Table;
  readonly clock: Clock;
};

/** Has only the fields that the step reads. */
const principalOf = (parts: object): Principal => ({ ...parts }) as Principal;

/** A caller with a workspace token that applies every page. */
export abstract class Mirror {
  /** The last record per id. */
  readonly held = new Map<string, string>();
  protected readonly simulation: MirrorSimulation;
  protected readonly weak: Weak;
  #cursor: Cursor | undefined;
  protected abstract readonly operation: Operation;
  protected abstract readonly query: Readonly<Record<string, unknown>>;

  constructor(simulation: MirrorSimulation, weak: Weak) {
    this.simulation = simulation;
    this.weak = weak;
  }

  /** Applies one page; returns true for the last page. */
  protected abstract apply(call: Call): Promise<boolean>;

  /** Compares the mirror with the store at rest. */
  abstract check(): void;

  protected get isFirstPage(): boolean {
    return this.#cursor === undefined;
  }

  async follow(isOver: () => boolean): Promise<void> {
    const { dice, scheduler } = this.simulation;
    while (!isOver()) {
      await this.walk(() => scheduler.sleep(dice.below(dice.chance(0.1) ? 2 * settledSteps : 20)));
      await scheduler.sleep(dice.below(dice.chance(0.4) ? 2 * settledSteps : 100));
    }
  }

  /** Walks to the end, or until no organization is visible any more. */
  async walk(pause: () => Promise<void> = async () => {}): Promise<void> {
    for (let pages = 0; pages < 400; pages++) {
      try {
        if (await this.#page()) return;
      } catch (error) {
        if (error instanceof ApiError) return;
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      await pause();
    }
    throw new Error("A walk that does not end.");
  }

  async #page(): Promise<boolean> {
    const [table, clock] = [this.simulation.table(), this.simulation.clock()];
    const { principal, scope } = await this.#admit(table, clock);
    let next: Cursor | undefined;
    const keep = (position: readonly string[], mark?: ScopeMark) => {
      next = { position, mark };
      return "kept";
    };
    const { resume = (position: readonly string[]) => position } = this.weak;
    const { organizations, selector } = scope;
    const isLast = await this.apply({
      principal,
      scope: this.weak.isUnmarked ? { organizations, selector } : scope,
      position: this.#cursor?.position ?? null,
      pageSize: 1 + this.simulation.dice.below(4),
      next: keep,
      resume: (position, mark) => keep(resume(position), mark),
      table,
      clock,
    });
    this.#cursor = next;
    return isLast;
  }

  /** As the request lifecycle does: rows and epochs in one round, then the step that follows the scope. */
  async #admit(table: Table, clock: Clock) {
    const { operation, query } = this;
    const items = await Array.fromAsync(queryAll(table, kinds.tenantOrganization.range({ tenant })));
    const rows = items.filter((each) => each.sk !== kinds.scopeEpochs.sk).map(parseOrganization);
    const principal = principalOf({
      tenant,
      key: { kind: "workspace", authorized: null },
      organizations: rows.filter(({ active }) => active),
      inactiveOrganizations: rows.filter(({ active }) => !active).map(({ uuid }) => uuid),
      forbiddenOrganizations: [],
      scopeEpochs: parseScopeEpochs(items.find((item) => item.sk === kinds.scopeEpochs.sk)),
    });
    const options = { mayBeEmpty: this.#cursor !== undefined && query.include_removed === true };
    const selected = selectOrganizations(operation, principal, {}, options);
    const mark = this.weak.isUnmarked ? undefined : this.#cursor?.mark;
    const cursor = this.#cursor &&
      mark && { mark: checkMark({ mark, authorizedDigest: undefined }, principal) };
    const request = { operation, principal, input: { path: undefined, query, body: undefined }, cursor };
    const allowed = narrowToPlan(operation, selected, "workspace", options);
    const scope = await followScope({ table, nowMs: clock.nowMs() }, request, allowed);
    return { principal, scope };
  }
}

export class LearningsMirror extends Mirror {
  protected readonly operation = listLearnings;
  protected readonly query = { include_removed: true } as const;

  protected async apply({ position, pageSize, next, resume, ...call }: Call): Promise<boolean> {
    const page = await exportLearnings({
      ...call,
      readable: "*",
      input: { query: this.query },
      paging: { position, pageSize, next, resume },
      signal: new AbortController().signal,
    });
    if (this.isFirstPage && page.removed?.length !== 0)
      this.simulation.problems.push("Learnings: a first page tells of a removal");
    for (const { organization_id, id, learning } of page.records)
      this.held.set(`${organization_id} ${id}`, learning);
    for (const gone of page.removed ?? [])
      this.#drop(`${gone.organization_id} ${"id" in gone ? gone.id : ""}`);
    return page.nextCursor === null;
  }

  #drop(gone: string): void {
    for (const id of this.held.keys()) if (id.startsWith(gone)) this.held.delete(id);
  }

  /** The mirror must equal a new walk: the approved Learnings of the visible organizations. */
  check(): void {
    const wanted = new Map<string, string>();
    for (const { uuid, provider_organization_id: number } of this.simulation.visibleOrganizations())
      for (const { id, text, state } of this.simulation.learnings(uuid))
        if (state === "approved") wanted.set(`${number} ${id}`, text);
    for (const { kind, name } of mirrorFaults(this.held, atRest(wanted)))
      this.simulation.problems.push(
        `Learnings: ${kind}: ${name} is held as ${this.held.get(name)}, and it is ${wanted.get(name)}`,
      );
  }
}

/** A log only grows: nothing is removed from it, and an organization that left keeps its entries in the mirror. */
export class AuditMirror extends Mirror {
  protected readonly operation = listAuditLogs;
  protected readonly query = { order: "asc", limit: 100 } as const;

  protected async apply({ position, pageSize, next, resume, ...call }: Call): Promise<boolean> {
    const [place, settled] = position ?? [];
    const { entries, nextCursor } = await exportAuditLog(
      { ...call, input: { query: this.query }, paging: { pageSize, next, resume }, retentionDays: 400 },
      place !== undefined && settled !== undefined ? { place, settled } : null,
    );
    for (const { id, summary } of entries) this.held.set(id, summary);
    return nextCursor === null;
  }

  /**
   * The mirror has the whole log of each visible organization, wherever it was when it was written, the workspace's own
   * entries, and what organizations that moved away left in the workspace's log.
   */
  check(): void {
    const visible = new Set(this.simulation.visibleOrganizations().map(({ uuid }) => uuid));
    // No organization is visible: every walk is refused.
    if (visible.size === 0) return;
    const wanted = new Map<string, string>();
    for (const item of this.simulation.store.all().filter(({ pk }) => pk.startsWith("AUDIT#"))) {
      const { id, summary, organization, log_of, ...entry } = parseAudit(item);
      const owner = organization ?? log_of;
      const isWanted =
        partsOf(kinds.audit, entry)?.tenant === tenant
          ? owner === undefined || !this.simulation.hides(owner)
          : [...visible].some((uuid) => partsOf(kinds.audit, entry)?.tenant === organizationTenant(uuid));
      if (isWanted) wanted.set(id, summary);
    }
    for (const { kind, name } of mirrorFaults(this.held, atRest(wanted), { followsRemovals: false }))
      this.simulation.problems.push(`audit logs: ${kind}: ${name}, ${wanted.get(name)}`);
  }
}
