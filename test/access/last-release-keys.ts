import { createHash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import * as z from "zod";
import { fromBase32, toBase32 } from "../../lib/access/base32.ts";

/**
 * How the release before narrow keys read an item and compared a key, copied from it: the schema of its items, the hash
 * of a key's text, and the check of authentication. It stays as it is.
 */
const keyItem = z.object({
  pk: z.string(),
  sk: z.string(),
  id: z.string(),
  name: z.string().nullable(),
  hash: z.string(),
  kind: z.enum(["organization", "user", "workspace", "instance", "legacy", "agentic"]),
  organization: z.string().nullable(),
  tenant: z.string(),
  workspace_id: z.string().nullable(),
  instance_id: z.string().nullable(),
  authorized: z.array(z.string()).nullable(),
  owner: z.string().nullable(),
  role: z.string().nullable(),
  created_at: z.string(),
  expires_at_ms: z.number().nullable(),
  revoked_at: z.string().nullable(),
  rotated_to: z.string().nullable(),
  rotated_by: z.string().nullable().optional(),
  rotated_from: z.string().optional(),
});

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** What the last release read of the item, if it accepted the key. */
export function acceptedByLastRelease(text: string, item: object): z.output<typeof keyItem> | "refused" {
  const key = keyItem.parse(item);
  return sameHash(key.hash, hashOf(text)) ? key : "refused";
}

/** The same secret and hints in the form of the last release: without the id, and the checksum without its mark. */
export function lastReleaseText(text: string): string {
  const [, kind, encoded = ""] = /^rk_([a-z]+)_([a-z2-7]+)$/.exec(text) ?? [];
  const bytes = Buffer.from(fromBase32(encoded.slice(0, -7)) ?? []);
  const body = toBase32(Buffer.concat([bytes.subarray(0, 24), bytes.subarray(34)]));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(`rk_${kind}_${body}`));
  return `rk_${kind}_${body}${toBase32(checksum)}`;
}
