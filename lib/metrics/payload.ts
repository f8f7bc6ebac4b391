import { createHash } from "node:crypto";
import * as z from "zod";
import { streamLimits } from "../contract/limits.ts";
import { CorruptItem } from "../store/items/parse.ts";
import type { AttributeValue } from "../store/table.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";

/** The stream spills only bytes, so long text is stored as bytes. Short text is sent without base64 and is readable. */
const payloadOf = (text: string): AttributeValue =>
  Buffer.byteLength(text) > streamLimits.inlineBytesMax ? Buffer.from(text) : text;

type StoredPayload = Pick<StreamEntry, "payload" | "number">;

export function payloadBytesOf({ payload, number }: StoredPayload): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  if (typeof payload === "string") return Buffer.from(payload);
  throw damagedPayload(number);
}

export function payloadTextOf({ payload, number }: StoredPayload): string {
  if (typeof payload === "string") return payload;
  const { buffer, byteOffset, length } = payloadBytesOf({ payload, number });
  return Buffer.from(buffer, byteOffset, length).toString();
}

export const damagedPayload = (number: number): CorruptItem =>
  new CorruptItem(`The payload of the metrics entry ${number} is damaged.`);

/** The payload of each dataset begins with the pull request's URL, JSON-escaped, after a `prefix` of its own. */
export function prUrlAtStart(entry: StreamEntry, prefix: RegExp): string {
  const escaped = prefix.exec(payloadTextOf(entry))?.[1];
  if (escaped === undefined) throw damagedPayload(entry.number);
  return z.string().parse(JSON.parse(`"${escaped}"`));
}

type PayloadPlace = Pick<EntryDraft, "atMs" | "repositoryId" | "authorId">;

/** `recordBytes` is the size of what a reader will receive for the entry; a comma separates it from the next. */
export const entryDraftOf = (
  { atMs, repositoryId, authorId }: PayloadPlace,
  text: string,
  recordBytes: number,
): EntryDraft => ({
  atMs,
  repositoryId,
  authorId,
  digest: createHash("sha256").update(text).digest("base64url"),
  payload: payloadOf(text),
  renderedBytes: recordBytes + 1,
});
