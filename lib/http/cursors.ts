import { createHash, createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { ScopeMark } from "../access/follow-scope.ts";
import type { CursorPosition, Paging } from "../access/operation-context.ts";
import type { Principal } from "../access/principal.ts";
import { coversSeveral, type Scope } from "../access/scope.ts";
import { ApiError } from "../contract/api-error.ts";
import { secondsPerDay } from "../contract/days.ts";
import { cursorLimits } from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import { otherAuthorizedOrganizations, startNewWalk } from "../contract/sentences.ts";
import { packSortKey, unpackSortKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { CursorKeyRing, SigningKey } from "./cursor-keys.ts";

/**
 * A cursor is a position in a walk, signed and bound to the request that the walk is for. The signature protects the
 * binding. The scope is checked at every call anyway, so a forged cursor would gain nothing.
 */
const payloadSchema = z.strictObject({
  /** Operation. */
  o: z.string(),
  /** Digest of selector, filters and window; in cursors of release 1 (without `w`) also of the tenant. */
  b: z.string(),
  /** Digest of the tenant whose stream the position is in. */
  w: z.string().optional(),
  /** Position; absent if it follows as a packed sort key. */
  p: z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))]).optional(),
  /** Epoch of the scope, for walks over several organizations. */
  e: z.int().optional(),
  /** The catch-up of organizations that became visible up to this epoch, and the place that it has reached. */
  u: z.tuple([z.int(), z.union([z.string(), z.number()])]).optional(),
  /** Digest of the organizations that an instance key is authorized for. */
  a: z.string().optional(),
  /** When the cursor was made, in seconds. */
  t: z.number(),
  /** Of a mirror, in seconds: since when it needs the removals, and when the current walk began. */
  s: z.tuple([z.number(), z.number()]).optional(),
  /** 1 for a cursor that resumes a finished walk. */
  r: z.literal(1).optional(),
  /** Digest of the repositories that the caller can read; absent if these are all. */
  v: z.string().optional(),
  /** Page size, if the walk keeps it. */
  n: z.number().optional(),
});
type Payload = Omit<z.output<typeof payloadSchema>, "p"> & { readonly p: CursorPosition };

export type OpenedCursor = {
  readonly position: CursorPosition;
  readonly resumes: boolean;
  readonly pageSize: number | undefined;
  readonly binding: string;
  /** Undefined for a cursor of release 1, whose binding includes the tenant. */
  readonly tenantDigest: string | undefined;
  /** Undefined for a cursor of one organization, and of release 1. */
  readonly mark: ScopeMark | undefined;
  readonly authorizedDigest: string | undefined;
  readonly readable: string | undefined;
  /** Of a mirror; see `Ages`. */
  readonly ages: Ages | undefined;
};

const invalid = (sentence: string): ApiError => new ApiError("INVALID_CURSOR", `cursor: ${sentence}`);
const damaged = () => invalid("is damaged. Send next_cursor of the previous page as it is.");

const moved = () =>
  invalid(
    "was made before the organization changed its workspace or instance, before the service was restored from a " +
      `backup, or with a key of another one. ${startNewWalk}`,
  );

const ofAnotherRequest = () =>
  invalid("belongs to another request. Keep the filters and the organization of the first page.");

/**
 * A cursor of release 1 has one digest for tenant, organization and filters: it does not show which of them differs.
 */
const ofAnotherRequestOrTenant = () =>
  invalid(
    "is of an earlier release, and the organization has changed its workspace or instance since, or the filters are " +
      "not those of the first page. Keep the filters; where they are the same, start a new walk.",
  );

const macBytes = 32;

/** Checks signature, operation and age. */
export async function openCursor(
  deps: { readonly ring: CursorKeyRing; readonly table: Table; readonly nowMs: number },
  operation: Operation,
  text: string,
): Promise<OpenedCursor> {
  const payload = await verify(deps.ring, deps.table, text);
  if (payload.o !== operation.id) throw invalid("was made by another operation.");
  const days = payload.r ? cursorLimits.resumeAgeDaysMax : cursorLimits.pageAgeDaysMax;
  if (deps.nowMs / 1000 - payload.t > days * secondsPerDay)
    throw invalid(`is older than ${days} days. ${startNewWalk}`);
  if (payload.s && deps.nowMs / 1000 - payload.s[0] > cursorLimits.resumeAgeDaysMax * secondsPerDay)
    throw invalid(
      `goes on with a walk that is older than ${cursorLimits.resumeAgeDaysMax} days. ${startNewWalk}`,
    );
  return {
    position: payload.p,
    resumes: payload.r === 1,
    pageSize: payload.n,
    binding: payload.b,
    tenantDigest: payload.w,
    mark: markOf(payload),
    authorizedDigest: payload.a,
    readable: payload.v,
    ages: payload.s && { needsSince: payload.s[0], began: payload.s[1] },
  };
}

/**
 * In seconds. Every page gets a new cursor, so a slow walk could last longer than the service remembers removals that
 * the walk has not reached yet. A resumed walk needs what was removed since the previous walk began.
 */
type Ages = { readonly needsSince: number; readonly began: number };

function agesOf(cursor: OpenedCursor | undefined, nowSeconds: number): Ages {
  const isUnderWay = cursor !== undefined && !cursor.resumes;
  return {
    needsSince: cursor?.ages?.needsSince ?? nowSeconds,
    began: (isUnderWay ? cursor.ages?.began : undefined) ?? nowSeconds,
  };
}

function markOf({ e, u }: Payload): ScopeMark | undefined {
  if (e === undefined) return undefined;
  return u ? { epoch: e, catchUp: { epoch: u[0], place: u[1] } } : { epoch: e };
}

const placeOf = (place: unknown): string | number => z.union([z.string(), z.number()]).parse(place);

async function verify(ring: CursorKeyRing, table: Table, text: string): Promise<Payload> {
  const [keyId, encoded, ...rest] = text.split(".");
  if (!keyId || !encoded || rest.length > 0) throw damaged();
  const bytes = Buffer.from(encoded, "base64url");
  // Base64 has unused bits at its end: only the canonical form is accepted.
  if (bytes.toString("base64url") !== encoded || bytes.length <= macBytes) throw damaged();
  const key = await ring.named(table, keyId);
  if (!key) throw damaged();
  const content = bytes.subarray(macBytes);
  if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(key, content))) throw damaged();
  return decode(content);
}

/** Node takes five times as long with the raw bytes of a secret as with a key object made from them. */
const mac = (key: SigningKey, content: Uint8Array): Buffer =>
  createHmac("sha256", createSecretKey(key.secret)).update(`${key.id}.`).update(content).digest();

function seal(key: SigningKey, payload: Payload): string {
  const content = encode(payload);
  return `${key.id}.${Buffer.concat([mac(key, content), content]).toString("base64url")}`;
}

/**
 * JSON, followed by a NUL and the position if the position is a sort key. In JSON, an id of the worst characters takes
 * six bytes for each of its own bytes, and the cursor would be longer than the service accepts.
 */
function encode(payload: Payload): Buffer {
  const { p, ...others } = payload;
  const packed = typeof p === "string" ? packSortKey(p) : undefined;
  const isSortKey = packed !== undefined && unpackSortKey(packed) === p;
  return Buffer.from(isSortKey ? `${JSON.stringify(others)}\u0000${packed}` : JSON.stringify(payload));
}

function decode(content: Buffer): Payload {
  const text = content.toString();
  const end = text.indexOf("\u0000");
  const parsed = payloadSchema.safeParse(JSON.parse(end < 0 ? text : text.slice(0, end)));
  const p = end < 0 ? parsed.data?.p : unpackSortKey(text.slice(end + 1));
  if (!parsed.success || p === undefined) throw damaged();
  return { ...parsed.data, p };
}

/** Binds a walk to its tenant, selector, filters and window: a cursor of another walk is refused. */
export function bindPaging(
  deps: { readonly ring: CursorKeyRing; readonly nowMs: number },
  walk: {
    readonly operation: Operation;
    readonly principal: Principal;
    readonly scope: Scope;
    /** Digest of the repositories that the caller can read; undefined if these are all. */
    readonly readable?: string | undefined;
    readonly query: Readonly<Record<string, unknown>>;
    readonly cursor: OpenedCursor | undefined;
    readonly defaultPageSize: number;
  },
): Paging {
  const { operation, cursor, query, readable } = walk;
  const restored = restoredOf(walk);
  const tenant = `${walk.principal.tenant}${arrivalOf(walk.scope, query)}${restored}`;
  // Computed only when needed: most requests neither have a cursor nor make one.
  const binding = () => bindingOf([walk.scope.selector, filtersOf(query)]);
  const limit = typeof query.limit === "number" ? query.limit : undefined;
  const keepsSize = operation.paging?.bindsPageSize ?? false;
  if (cursor) {
    if (cursor.tenantDigest !== undefined && cursor.tenantDigest !== tenantDigestOf(tenant)) throw moved();
    const ofRelease1 = cursor.tenantDigest === undefined;
    if (ofRelease1 && restored !== "") throw moved();
    const expected = ofRelease1
      ? bindingOf([walk.principal.tenant, walk.scope.selector, filtersOf(query)])
      : binding();
    if (cursor.binding !== expected) throw ofRelease1 ? ofAnotherRequestOrTenant() : ofAnotherRequest();
    if (cursor.readable !== readable) {
      throw invalid(
        `was made for other repositories: those that the key's member can read have changed. ${startNewWalk}`,
      );
    }
    if (keepsSize && limit !== undefined && limit !== cursor.pageSize) {
      throw invalid(
        `keeps the first page's limit of ${cursor.pageSize}. Leave limit out, or send that value.`,
      );
    }
  }
  const pageSize = limit ?? (keepsSize ? cursor?.pageSize : undefined) ?? walk.defaultPageSize;
  const nowSeconds = Math.floor(deps.nowMs / 1000);
  const { needsSince, began } = agesOf(cursor, nowSeconds);
  const make = (position: CursorPosition, resumes: boolean, mark: ScopeMark | undefined) =>
    seal(deps.ring.current(), {
      o: operation.id,
      b: binding(),
      w: tenantDigestOf(tenant),
      p: position,
      ...(mark && { e: mark.epoch, a: authorizedDigestOf(walk.principal) }),
      ...(mark?.catchUp && {
        u: [mark.catchUp.epoch, placeOf(mark.catchUp.place)] as [number, string | number],
      }),
      t: nowSeconds,
      ...(query.include_removed === true && { s: [resumes ? began : needsSince, began] as [number, number] }),
      ...(resumes && { r: 1 as const }),
      v: readable,
      ...(keepsSize && { n: pageSize }),
    });
  return {
    position: cursor?.position ?? null,
    resumes: cursor?.resumes ?? false,
    pageSize,
    next: (position, mark) => make(position, false, mark),
    resume: (position, mark) => make(position, true, mark),
  };
}

/**
 * If an organization left and came back, a mirror of this one organization cannot know what was removed in the other
 * tenant, so its cursor is refused. For several organizations the epochs show this.
 */
const arrivalOf = (scope: Scope, { include_removed }: Readonly<Record<string, unknown>>): string =>
  include_removed === true && !coversSeveral(scope) ? (scope.organizations[0]?.arrived ?? "") : "";

/**
 * A restore undoes changes that callers have seen. Their cursors stay valid where only the numbers of one stream or the
 * time of one log decide: those never go back. Elsewhere, records that a walk has passed may exist again, or be gone
 * without a trace.
 */
function restoredOf({ operation: { paging }, principal, scope, query }: RestorableWalk): string {
  if (!paging?.resumable) return "";
  if (coversSeveral(scope)) return principal.scopeEpochs?.restored ?? "";
  const isRefused = paging.endsWithRestore === true || query.include_removed === true;
  return isRefused ? (scope.organizations[0]?.restored ?? "") : "";
}

type RestorableWalk = {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly scope: Scope;
  readonly query: Readonly<Record<string, unknown>>;
};

/**
 * For walks over several organizations: a cursor must know its scope. Otherwise the walk would silently leave out
 * organizations that became visible since.
 */
export function checkMark(
  cursor: Pick<OpenedCursor, "mark" | "authorizedDigest">,
  principal: Authorized & Pick<Principal, "scopeEpochs">,
): ScopeMark {
  const { mark } = cursor;
  if (!mark)
    throw invalid(
      `is from an earlier release and does not say which organizations it covers. ${startNewWalk}`,
    );
  if (cursor.authorizedDigest !== authorizedDigestOf(principal))
    throw invalid(`${otherAuthorizedOrganizations} ${startNewWalk}`);
  if (Math.max(mark.epoch, mark.catchUp?.epoch ?? 0) > (principal.scopeEpochs?.published ?? 0))
    throw invalid(`was made before the service was restored from a backup. ${startNewWalk}`);
  return mark;
}

type Authorized = { readonly key: Pick<Principal["key"], "authorized"> };

export const authorizedDigestOf = ({ key }: Authorized): string | undefined =>
  key.authorized ? digestOf(JSON.stringify(key.authorized.toSorted()), 9) : undefined;

/** Not bound to a cursor: the position, the page size, the format of the pages, and how the request named the scope. */
const unbound = new Set(["cursor", "limit", "format", "org_id", "organization_ids"]);

const filtersOf = (query: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(query)
    .filter(([name, value]) => !unbound.has(name) && value !== undefined)
    .map(
      ([name, value]) =>
        [name, Array.isArray(value) ? [...new Set(value.map(String))].sort() : value] as const,
    )
    .sort(([one], [other]) => (one < other ? -1 : 1));

const digestOf = (text: string, bytes: number): string =>
  createHash("sha256").update(text).digest().subarray(0, bytes).toString("base64url");

const bindingOf = (parts: readonly unknown[]): string => digestOf(JSON.stringify(parts), 12);
const tenantDigestOf = (tenant: string): string => digestOf(tenant, 6);

/** For walks whose position has several texts. The single text of an earlier release is returned as a list of one. */
export function positionTexts({ position }: Paging): readonly string[] | null {
  if (position === null) return null;
  const texts = typeof position === "object" ? position : [position];
  return texts.map((text) => {
    if (typeof text !== "string") throw damaged();
    return text;
  });
}

/** For walks whose position is a sort key or an id. */
export function positionText({ position }: Paging): string | null {
  if (position === null || typeof position === "string") return position;
  throw damaged();
}
