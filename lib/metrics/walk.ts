import type { ScopeMark } from "../access/follow-scope.ts";
import { metricsPreparing } from "../access/policy.ts";
import type { Following, Scope } from "../access/scope.ts";
import { Fault } from "../contract/fault.ts";
import { metricsLimits, requestLimits, scopeLimits } from "../contract/limits.ts";
import { certain } from "../runtime/certain.ts";
import type { Clock } from "../runtime/clock.ts";
import { isMoving, type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { organizationKey, streamHeadKey, type TenantKey } from "../store/layout.ts";
import type { Item, Key, Table } from "../store/table.ts";
import { parseHead } from "../stream/head.ts";
import { type PageRequest, readPage, type TooLarge } from "../stream/read.ts";
import type { Dataset, StreamEntry } from "../stream/stream.ts";

/** What a walk needs of a call. Access has decided whose data it is: what is left of the scope may be seen. */
export type MetricsCall = {
  readonly principal: { readonly tenant: TenantKey };
  readonly scope: Pick<Scope, "organizations" | "following">;
  readonly input: {
    readonly query: {
      readonly start_date: string;
      readonly end_date: string;
      readonly repository_ids?: readonly string[] | undefined;
      readonly user_ids?: readonly string[] | undefined;
    };
  };
  readonly paging: {
    readonly position: unknown;
    readonly pageSize: number;
    next(position: number, mark?: ScopeMark): string;
    resume(position: number, mark?: ScopeMark): string;
  };
  readonly table: Table;
  readonly clock: Clock;
  /** The stream's head, as `headAlongside` asked for it. */
  readonly alongside: ReadonlyArray<Item | undefined>;
  readonly signal: AbortSignal;
};

export type WalkOptions = {
  readonly dataset: Dataset;
  /** A filter of the dataset's own; asked last. */
  readonly wanted?: (entry: StreamEntry) => boolean;
  /** What all records of the page may take, each with its comma. */
  readonly recordBytesMax: number;
  /** The pull request's URL, out of an entry whose payload is at hand. */
  readonly prUrlOf: (entry: StreamEntry) => string;
};

export type Walked = {
  readonly entries: ReadonlyArray<{ readonly entry: StreamEntry; readonly organization: OrganizationItem }>;
  /** Null when no eligible pull request remains. */
  readonly nextCursor: string | null;
  /** Only then: where the walk can be taken up later. */
  readonly resumeCursor: string | null;
};

/** The head is read in the round of authentication. */
export const headAlongside = (tenant: TenantKey): readonly Key[] => [streamHeadKey(tenant)];

/** What is left for the records of a JSON page that is the last one; with a cursor it is less. */
export const jsonRecordBytesMax =
  requestLimits.responseBytesMax - '{"data":[],"next_cursor":null}'.length + 1;

/** One page of a dataset, in write order; first of what became visible since the cursor was made. */
export async function walk(call: MetricsCall, options: WalkOptions): Promise<Walked> {
  const { scope, paging } = call;
  const { following } = scope;
  const position = typeof paging.position === "number" ? paging.position : 0;
  if (following && following.newlyVisible.length > 0) return catchUp(call, options, following, position);
  const [only, another] = scope.organizations;
  const page = await readEntries(call, options, {
    // Both copies carry the same numbers, so a cursor fits both.
    organization: another ? undefined : only?.uuid,
    after: position,
    organizations: scope.organizations,
    ...(only && !another && { isStillHere: () => isStillHere(call.table, only) }),
  });
  const isLast = page.nextAfter === null && (following?.isCurrent ?? true);
  return {
    entries: page.entries,
    nextCursor: isLast ? null : paging.next(page.nextAfter ?? page.readUpTo, following?.mark),
    resumeCursor: isLast ? paging.resume(page.readUpTo, following?.mark) : null,
  };
}

/**
 * What newly visible organizations hold up to the walk's position. It comes before the walk goes on: the other way round
 * an old entry that is not retired yet would come after its successor.
 */
async function catchUp(
  call: MetricsCall,
  options: WalkOptions,
  following: Following,
  position: number,
): Promise<Walked> {
  const { paging } = call;
  const { newlyVisible, caughtUpTo } = following;
  const page = await readEntries(call, options, {
    organization: undefined,
    after: typeof caughtUpTo === "number" ? caughtUpTo : 0,
    upTo: position,
    ...(newlyVisible.length <= scopeLimits.ownCopiesMax && {
      copiesOf: newlyVisible.map(({ uuid }) => uuid),
    }),
    organizations: newlyVisible,
  });
  const mark = page.nextAfter === null ? following.mark : following.markAt(page.nextAfter);
  return { entries: page.entries, nextCursor: paging.next(position, mark), resumeCursor: null };
}

type Stretch = Pick<PageRequest, "organization" | "after" | "upTo" | "copiesOf" | "isStillHere"> & {
  readonly organizations: readonly OrganizationItem[];
};

async function readEntries(
  call: MetricsCall,
  { dataset, wanted, recordBytesMax, prUrlOf }: WalkOptions,
  { organizations: shown, ...stretch }: Stretch,
): Promise<Pick<Walked, "entries"> & { readonly nextAfter: number | null; readonly readUpTo: number }> {
  const { principal, input, paging, table } = call;
  const organizations = new Map(shown.map((organization) => [organization.uuid, organization]));
  const isAsked = filterOf(input.query, organizations);
  const time = timeBudget(call);
  try {
    const result = await readPage(table, {
      tenant: principal.tenant,
      dataset,
      window: windowOf(input.query),
      limit: paging.pageSize,
      eligible: (entry) => isAsked(entry) && wanted?.(entry) !== false,
      responseBytesMax: recordBytesMax,
      head: parseHead(call.alongside[0]),
      timeUp: time.up,
      ...stretch,
    });
    if (result.kind === "too-large") throw tooLarge(call, result, prUrlOf, stretch);
    if (result.kind === "no-progress") throw outOfTime();
    if (result.kind === "moved")
      throw metricsPreparing(certain(shown[0], "organization that moved").provider_organization_id);
    return {
      ...result,
      entries: result.entries.map((entry) => ({
        entry,
        organization: certain(organizations.get(entry.organization), "owner of an entry let through"),
      })),
    };
  } finally {
    time.letGo();
  }
}

/** A move takes entries out of the old stream without a trace there: only the organization itself tells. */
async function isStillHere(table: Table, { uuid, tenant }: OrganizationItem): Promise<boolean> {
  const item = await table.get(organizationKey(uuid));
  const now = item && parseOrganization(item);
  return now !== undefined && now.tenant === tenant && !isMoving(now);
}

const msPerDay = 86_400_000;

/** Whole UTC days, both inclusive. */
const windowOf = ({ start_date, end_date }: MetricsCall["input"]["query"]) => ({
  startMs: Date.parse(`${start_date}T00:00:00.000Z`),
  endMs: Date.parse(`${end_date}T00:00:00.000Z`) + msPerDay,
});

function filterOf(
  { repository_ids, user_ids }: MetricsCall["input"]["query"],
  organizations: ReadonlyMap<string, OrganizationItem>,
): (entry: StreamEntry) => boolean {
  const repositories = repository_ids && new Set(repository_ids);
  const authors = user_ids && new Set(user_ids);
  return ({ organization, repositoryId, authorId }) =>
    organizations.has(organization) &&
    (!repositories || repositories.has(repositoryId)) &&
    (!authors || (authorId !== null && authors.has(authorId)));
}

/** A reason of its own: without one every abort would make an error and its stack. */
const letGo = "let go of";

/** `up` when the call was stopped or has read long enough; what is read by then is a page. */
function timeBudget({ clock, signal }: MetricsCall): { readonly up: AbortSignal; letGo(): void } {
  const over = new AbortController();
  const done = new AbortController();
  clock.sleep(metricsLimits.readMsMax, done.signal).then(
    () => over.abort(),
    () => {},
  );
  return { up: AbortSignal.any([signal, over.signal]), letGo: () => done.abort(letGo) };
}

const outOfTime = (): Fault =>
  new Fault("SERVICE_UNAVAILABLE", "The service cannot answer in time right now. Retry the same request.", {
    retryAfterSeconds: 1,
  });

/**
 * A pull request is never split, so one alone may be too large. At `limit=1` it is known which one it is: the header
 * then carries the place behind it, or it would block the walk and every resume for ever.
 */
function tooLarge(
  { paging, scope }: MetricsCall,
  page: TooLarge,
  prUrlOf: WalkOptions["prUrlOf"],
  { upTo }: Pick<Stretch, "upTo">,
): Fault {
  const { largest, renderedBytes, nextAfter } = page;
  const behind =
    upTo === undefined
      ? paging.next(nextAfter, scope.following?.mark)
      : paging.next(upTo, scope.following?.markAt(nextAfter));
  const max = requestLimits.responseBytesMax;
  const isAlone = paging.pageSize === 1;
  const name = largest.payload === undefined ? "" : ` ${prUrlOf(largest)}`;
  const message = isAlone
    ? `The pull request${name} alone takes ${largest.renderedBytes} bytes; an answer has at most ${max}, and a pull ` +
      "request is never split. To go on behind it, send x-next-cursor of this answer as cursor."
    : `The answer would have at least ${renderedBytes} bytes; it may have ${max}. Reduce limit, narrow the window or ` +
      `add filters. The largest pull request here,${name || " one"} of repository ${largest.repositoryId}, takes ` +
      `${largest.renderedBytes} bytes. At limit=1 an answer that is still too large tells how to go on behind it.`;
  return new Fault("RESPONSE_TOO_LARGE", message, {
    ...(isAlone && { headers: { "x-next-cursor": behind } }),
  });
}
