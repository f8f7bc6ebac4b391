import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
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
import type { Random } from "../runtime/random.ts";
import { packSortKey, unpackSortKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { PartitionPosition } from "../store/walk.ts";
import { type CursorKey, type CursorKeyRing, cursorKeyIdBytes } from "./cursor-keys.ts";

/**
 * A cursor is a position in a walk, encrypted, authenticated and bound to the request that the walk is for. A position
 * can name a record that the caller may not see, so nobody outside the service can read it. The scope is checked at
 * every call anyway, so a forged cursor would gain nothing.
 */
const payloadSchema = z.strictObject({
  /** Operation. */
  o: z.string(),
  /** Digest of selector, filters and window. */
  b: z.string(),
  /** Digest of the tenant whose stream the position is in. */
  w: z.string(),
  /** Position, without the sort key that follows packed. */
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
  readonly tenantDigest: string;
  /** Undefined for a cursor of one organization. */
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

/** The service made the cursor, but not with a position of this form. */
const ofAnotherVersion = () => invalid(`was made by another version of the service. ${startNewWalk}`);

const ofAnotherRequest = () =>
  invalid("belongs to another request. Keep the filters and the organization of the first page.");

/** Checks that the service made the cursor, for this operation, and its age. */
export async function openCursor(
  deps: { readonly ring: CursorKeyRing; readonly table: Table; readonly nowMs: number },
  operation: Operation,
  text: string,
): Promise<OpenedCursor> {
  const payload = await decrypt(deps.ring, deps.table, text);
  if (payload.o !== operation.id) throw invalid("was made by another operation.");
  const days = payload.r ? cursorLimits.resumeAgeDaysMax : cursorLimits.pageAgeDaysMax;
  if (deps.nowMs / 1000 - payload.t > days * secondsPerDay)
    throw invalid(`is older than ${days} days. ${startNewWalk}`);
  if (payload.s && deps.nowMs / 1000 - payload.s[0] > cursorLimits.resumeAgeDaysMax * secondsPerDay)
    throw invalid(
      `continues pages that are older than ${cursorLimits.resumeAgeDaysMax} days. ${startNewWalk}`,
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

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** The id of the key, a nonce, the encrypted payload and its tag, as one text. */
function encrypt(key: CursorKey, random: Random, payload: Payload): string {
  const id = Buffer.from(key.id, "base64url");
  const nonce = random.bytes(nonceBytes);
  const encryption = createCipheriv(cipher, key.encryption, nonce).setAAD(id);
  const content = [encryption.update(encode(payload)), encryption.final()];
  return Buffer.concat([id, nonce, ...content, encryption.getAuthTag()]).toString("base64url");
}

async function decrypt(ring: CursorKeyRing, table: Table, text: string): Promise<Payload> {
  const bytes = Buffer.from(text, "base64url");
  const begin = cursorKeyIdBytes + nonceBytes;
  // Base64 has unused bits at its end: only the canonical form is accepted.
  if (bytes.toString("base64url") !== text || bytes.length <= begin + tagBytes) throw damaged();
  const id = bytes.subarray(0, cursorKeyIdBytes);
  const key = await ring.named(table, id.toString("base64url"));
  if (!key) throw damaged();
  const decryption = createDecipheriv(cipher, key.encryption, bytes.subarray(cursorKeyIdBytes, begin))
    .setAAD(id)
    .setAuthTag(bytes.subarray(-tagBytes));
  const content = decryption.update(bytes.subarray(begin, -tagBytes));
  try {
    decryption.final();
  } catch {
    throw damaged();
  }
  return decode(content);
}

/**
 * JSON, followed by a NUL and the position, or the last part of it, if that is a sort key. In JSON, an id of the worst
 * characters takes six bytes for each of its own bytes, and the cursor would be longer than the service accepts.
 */
function encode(payload: Payload): Buffer {
  const before = typeof payload.p === "object" ? payload.p.slice(0, -1) : undefined;
  const last = typeof payload.p === "object" ? payload.p.at(-1) : payload.p;
  const packed = typeof last === "string" ? packSortKey(last) : undefined;
  const isSortKey = packed !== undefined && unpackSortKey(packed) === last;
  const json = JSON.stringify(isSortKey ? { ...payload, p: before } : payload);
  return Buffer.from(isSortKey ? `${json}\u0000${packed}` : json);
}

function decode(content: Buffer): Payload {
  const text = content.toString();
  const end = text.indexOf("\u0000");
  const parsed = payloadSchema.safeParse(JSON.parse(end < 0 ? text : text.slice(0, end)));
  const before = parsed.data?.p;
  const last = end < 0 ? undefined : unpackSortKey(text.slice(end + 1));
  const p = last !== undefined && typeof before === "object" ? [...before, last] : (last ?? before);
  if (!parsed.success || p === undefined) throw damaged();
  return { ...parsed.data, p };
}

/** Binds a walk to its tenant, selector, filters and window: a cursor of another walk is refused. */
export function bindPaging(
  deps: { readonly ring: CursorKeyRing; readonly nowMs: number; readonly random: Random },
  walk: RestorableWalk & {
    readonly readable?: string | undefined;
    readonly cursor: OpenedCursor | undefined;
    readonly defaultPageSize: number;
  },
): Paging {
  const { operation, cursor, query, readable } = walk;
  const tenant = `${walk.principal.tenant}${arrivalOf(walk.scope, query)}${restoredOf(walk)}`;
  // Computed only when needed: most requests neither have a cursor nor make one.
  const binding = () => bindingOf([walk.scope.selector, filtersOf(query)]);
  const limit = typeof query.limit === "number" ? query.limit : undefined;
  const keepsSize = operation.paging?.bindsPageSize ?? false;
  if (cursor) {
    if (cursor.tenantDigest !== tenantDigestOf(tenant)) throw moved();
    if (cursor.binding !== binding()) throw ofAnotherRequest();
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
    encrypt(deps.ring.current(), deps.random, {
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
  if (!mark) throw damaged();
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

/** For walks whose position has several texts. */
export function positionTexts({ position }: Paging): readonly string[] | null {
  if (position === null) return null;
  if (typeof position !== "object") throw ofAnotherVersion();
  return position.map((text) => {
    if (typeof text !== "string") throw ofAnotherVersion();
    return text;
  });
}

/** For walks over several partitions. */
export function positionInPartition(paging: Paging): PartitionPosition | null {
  const texts = positionTexts(paging);
  if (texts === null) return null;
  const [partition = "", sortKey = ""] = texts;
  return [partition, sortKey];
}

/** For walks whose position is a sort key or an id. */
export function positionText({ position }: Paging): string | null {
  if (position === null || typeof position === "string") return position;
  throw ofAnotherVersion();
}
