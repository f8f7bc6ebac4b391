import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { keyLimits, requestLimits } from "../contract/limits.ts";
import { isTenantKey, organizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { Random } from "../runtime/random.ts";
import { required } from "../runtime/required.ts";
import type { KeyItem } from "../store/items/key.ts";
import { fromBase32, toBase32 } from "./base32.ts";

/**
 * The text of a key is `rk_<kind>_<body><checksum>`, all base32. The body is the secret, the key's id, and what
 * authentication must read, so that one round of reads is enough. Nothing in the body is trusted until the stored hash
 * of the whole text matches. The published pattern is rk_(organization|user|workspace|instance|agentic)_[a-z2-7]{47,}
 */
export type KeyHints =
  | {
      readonly kind: "organization" | "user" | "agentic";
      readonly organization: string;
      readonly tenant: TenantKey;
      /** The member behind the key: its owner, or the member it acts as. */
      readonly userId: string;
    }
  | { readonly kind: "workspace"; readonly workspaceId: string }
  | {
      readonly kind: "instance";
      readonly instanceId: string;
      readonly home: string;
      /** The owner, a member of the home organization. */
      readonly userId: string;
    };

/** `id` is what the text names: only a stored hash shows that the text is a value of that key. */
export type KeyText = {
  readonly id: string;
  readonly hash: string;
  readonly hints: KeyHints | { readonly kind: "legacy" };
};

const modernPattern = /^rk_(organization|user|workspace|instance|agentic)_([a-z2-7]{47,2200})$/;
const legacyPattern = /^cr-[0-9a-f]{40}$/;
const checksumCharacters = 7;
const uuidBytes = 16;
const idBytes = 10;

function makeKeyText(hints: KeyHints, id: string, secret: Uint8Array): string {
  const named = fromBase32(id.slice(1)) ?? new Uint8Array();
  const body = toBase32(Buffer.concat([secret, named, packHints(hints)]));
  return `rk_${hints.kind}_${body}${checksum(hints.kind, `${body}${namesId}`)}`;
}

/** A well-formed text of a key that nobody stored. */
export const madeUpKeyText = (hints: KeyHints, random: Random): string =>
  makeKeyText(hints, newKeyId(random), random.bytes(keyLimits.secretBytes));

/** Legacy keys are still issued for tests, and to demonstrate what they can no longer do. */
export const makeLegacyKeyText = (random: Random): string =>
  `cr-${Buffer.from(random.bytes(20)).toString("hex")}`;

/** Returns undefined for a text that cannot be a key, so that a typing mistake costs no read. */
export function parseKeyText(text: string): KeyText | undefined {
  if (legacyPattern.test(text)) return { id: idOfText(text), hash: hashOf(text), hints: { kind: "legacy" } };
  const match = modernPattern.exec(text);
  const [, kind, encoded] = match ?? [];
  if (!kind || !encoded) return undefined;
  const body = encoded.slice(0, -checksumCharacters);
  const sum = encoded.slice(-checksumCharacters);
  const hasId = sum === checksum(kind, `${body}${namesId}`);
  if (!hasId && sum !== checksum(kind, body)) return undefined;
  const bytes = fromBase32(body);
  const { secretBytes } = keyLimits;
  const hintsFrom = secretBytes + (hasId ? idBytes : 0);
  const hints = bytes && unpackHints(kind, Buffer.from(bytes.subarray(hintsFrom)));
  const id = bytes && hasId ? toKeyId(bytes.subarray(secretBytes, hintsFrom)) : idOfText(text);
  return hints && { id, hash: hashOf(text), hints };
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

export const hashOf = (text: string): string => digestOf(text).toString("hex");

const toKeyId = (bytes: Uint8Array): string => `k${toBase32(bytes.subarray(0, idBytes))}`;

/** Legacy keys, and texts of the last release, do not contain their id: it is derived from their hash. */
export const idOfText = (text: string): string => toKeyId(digestOf(text));

export const newKeyId = (random: Random): string => toKeyId(random.bytes(idBytes));

/** The id of the key that this request of the maker makes, also when it is repeated. */
export const madeKeyId = (makerId: string, idempotencyKey: string): string =>
  toKeyId(digestOf(`${makerId}\n${idempotencyKey}`));

/** What the calling value, which only its owner has, says in a request that makes a value. */
export type ValueRequest = {
  readonly keyText: string;
  readonly body: { readonly idempotency_key?: string | undefined } & object;
};

/**
 * The value that this request makes of the key: the same request of the same value, and nobody else, gets it once more.
 * `salt` is stored with the key; the idempotency key is not.
 */
export function valueText(key: KeyFields, salt: string, { keyText, body }: ValueRequest): string {
  const sorted = JSON.stringify(Object.fromEntries(Object.entries(body).toSorted()));
  const lines = [keyText, body.idempotency_key ?? "", sorted];
  const secret = createHmac("sha256", Buffer.from(salt, "hex")).update(lines.join("\n")).digest();
  return textOf(key, secret.subarray(0, keyLimits.secretBytes));
}

type KeyFields = Pick<
  KeyItem,
  "id" | "kind" | "tenant" | "organization" | "workspace_id" | "instance_id" | "owner"
>;

/** The text of a key names what authentication must read. */
export function textOf(key: KeyFields, secret: Uint8Array): string {
  const { id, kind, tenant, workspace_id, instance_id } = key;
  if (kind === "legacy") throw new TypeError("A legacy key has no text of this form; this is a bug.");
  if (kind === "workspace")
    return makeKeyText({ kind, workspaceId: required(workspace_id, "workspace of the token") }, id, secret);
  const organization = required(key.organization, "organization of the key");
  const userId = required(key.owner, "owner of the key");
  if (kind !== "instance") return makeKeyText({ kind, organization, tenant, userId }, id, secret);
  const instanceId = required(instance_id, "instance of the key");
  return makeKeyText({ kind, home: organization, instanceId, userId }, id, secret);
}

export const newSalt = (random: Random): string =>
  Buffer.from(random.bytes(keyLimits.saltBytes)).toString("hex");

/**
 * The hash that is stored. Of a narrow or made key it also binds what limits the key: a release that does not know the
 * two attributes, or an item that lost one of them, refuses the key instead of accepting it as a wide one.
 */
export function storedHash(
  hash: string,
  { only, made_by }: Partial<Pick<KeyItem, "only" | "made_by">>,
): string {
  if (!only && !made_by) return hash;
  const bound = `${hash}\n${(only ?? []).toSorted().join(",")}\n${made_by ?? ""}`;
  return createHash("sha256").update(bound).digest("hex");
}

export const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Distinguishes the checksum of a text that contains the key's id. */
const namesId = "#id";

function checksum(kind: string, body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(`rk_${kind}_${body}`));
  return toBase32(bytes);
}

function packHints(hints: KeyHints): Buffer {
  switch (hints.kind) {
    case "workspace":
      return Buffer.from(hints.workspaceId);
    case "instance":
      return Buffer.concat([packUuid(hints.home), packTwo(hints.instanceId, hints.userId)]);
    default:
      return Buffer.concat([packUuid(hints.organization), packTwo(tenantText(hints), hints.userId)]);
  }
}

function unpackHints(kind: string, bytes: Buffer): KeyHints | undefined {
  if (kind === "workspace") {
    const workspaceId = unpackId(bytes);
    return workspaceId === undefined ? undefined : { kind, workspaceId };
  }
  if (bytes.length <= uuidBytes + lengthBytes) return undefined;
  const organization = unpackUuid(bytes);
  const [first, second] = unpackTwo(bytes.subarray(uuidBytes));
  const userId = unpackId(second);
  if (userId === undefined) return undefined;
  if (kind === "instance") {
    const instanceId = unpackId(first);
    return instanceId === undefined ? undefined : { kind, home: organization, instanceId, userId };
  }
  const tenant = unpackTenant(first, organization);
  if (!tenant || (kind !== "organization" && kind !== "user" && kind !== "agentic")) return undefined;
  return { kind, organization, tenant, userId };
}

const lengthBytes = 2;

/** Packs two texts. The length of the first comes before it. */
function packTwo(first: string, second: string): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(Buffer.byteLength(first));
  return Buffer.concat([length, Buffer.from(first), Buffer.from(second)]);
}

function unpackTwo(bytes: Buffer): readonly [first: Buffer, second: Buffer] {
  const end = lengthBytes + bytes.readUInt16BE();
  return [bytes.subarray(lengthBytes, end), bytes.subarray(end)];
}

/** Anybody can make up a key with a valid checksum. Returns undefined for an id that does not fit in a table key. */
function unpackId(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  const isText = bytes.length > 0 && Buffer.from(text).equals(bytes);
  return isText && bytes.length <= requestLimits.idBytesMax ? text : undefined;
}

/** A stand-alone organization is its own tenant; an empty hint means that. */
const tenantText = ({ organization, tenant }: { organization: string; tenant: TenantKey }): string =>
  tenant === organizationTenant(organization) ? "" : tenant;

function unpackTenant(bytes: Buffer, organization: string): TenantKey | undefined {
  const text = bytes.toString();
  // Up to three times as long as an id, because the separators of the id may be escaped.
  const isText = Buffer.from(text).equals(bytes) && bytes.length <= 4 * requestLimits.idBytesMax;
  if (!isText) return undefined;
  if (text === "") return organizationTenant(organization);
  return isTenantKey(text) ? text : undefined;
}

const packUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");

function unpackUuid(bytes: Buffer): string {
  const hex = bytes.subarray(0, uuidBytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
