import type { CommentsRecord } from "../contract/records-metrics.ts";
import { ByteWriter } from "../runtime/byte-writer.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { jsonText, objectWriter, plainText, type Written, written } from "../runtime/json-text.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import { beforeUrl, codeNumber, codeOf, type ReviewFinding, tailsByCode } from "./finding.ts";
import { damagedPayload, entryDraftOf, payloadBytesOf, prUrlAtStart } from "./payload.ts";

/**
 * The payload has one line for the pull request's URL and one for each finding, all of them already JSON-escaped:
 *
 *   https://github.com/acme/api/pull/12
 *   8 2 0 #discussion_r2109876543          (without the spaces)
 *   │ │ └ characters to drop from the end of the URL before, in base 36; "~" drops all of it
 *   └─┴ severity and acceptance, category
 *
 * A page is copied from these lines as bytes, and never becomes text or objects.
 */
export type ReviewComment = ReviewFinding & { readonly url: string };

type CommentedPullRequest = {
  readonly prUrl: string;
  readonly organizationId: string;
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly mergedAtMs: number;
  readonly comments: readonly ReviewComment[];
};

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const dropAll = "~";
const dropsMax = 35;
const dropsByMark: ReadonlyMap<number, number> = new Map(
  Array.from({ length: dropsMax + 1 }, (_, drops) => [drops.toString(36).charCodeAt(0), drops]),
);

export function draftReviewComments(pullRequest: CommentedPullRequest): EntryDraft {
  const { prUrl, organizationId, repositoryId, authorId, mergedAtMs: atMs } = pullRequest;
  const placed = { atMs, repositoryId, authorId };
  const text = encode(prUrl, pullRequest.comments);
  const record = new ByteWriter();
  const organization = { provider_organization_id: organizationId };
  writeReviewComments(record, { entry: { ...placed, number: 0, payload: text }, organization });
  return entryDraftOf(placed, text, record.length);
}

type CommentedEntry = {
  readonly entry: Pick<StreamEntry, "number" | "atMs" | "repositoryId" | "authorId" | "payload">;
  readonly organization: { readonly provider_organization_id: string };
};

const writeFields = objectWriter<CommentsRecord>();

/** Writes the record as JSON. */
export function writeReviewComments(
  out: ByteWriter,
  { entry, organization }: CommentedEntry,
): Written<CommentsRecord> {
  const payload = payloadBytesOf(entry);
  const end = payload.indexOf(newline);
  if (end < 0) throw damagedPayload(entry.number);
  let urlStart = 0;
  return writeFields(out, {
    pr_url: () => {
      out.byte(quote);
      urlStart = out.length;
      out.bytes(payload.subarray(0, end));
      out.byte(quote);
      return written<string>();
    },
    organization_id: jsonText(organization.provider_organization_id),
    repository_id: jsonText(entry.repositoryId),
    author_id: jsonText(entry.authorId),
    merged_at: plainText(toTimestamp(entry.atMs)),
    coderabbit_comments: () => {
      if (!writeComments(out, payload, urlStart)) throw damagedPayload(entry.number);
      return written<CommentsRecord["coderabbit_comments"]>();
    },
  });
}

/** The payload of the entry may be incomplete. */
export const prUrlOfComments = (entry: StreamEntry): string => prUrlAtStart(entry, /^([^\n]*)\n/);

function encode(prUrl: string, comments: readonly ReviewComment[]): string {
  let before = escaped(prUrl);
  let text = before;
  for (const comment of comments) {
    const url = escaped(comment.url);
    const shared = sharedLength(before, url);
    const drops = before.length - shared;
    const rest = drops > dropsMax ? dropAll + url : drops.toString(36) + url.slice(shared);
    text += `\n${codeOf(comment)}${rest}`;
    before = url;
  }
  return text;
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  // A cut between the halves of a surrogate pair would leave two halves that cannot be encoded.
  return length > 0 && isHighSurrogate(one.charCodeAt(length - 1)) ? length - 1 : length;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const newline = 0x0a;
const quote = 0x22;
const closingBracket = 0x5d;
const firstBefore = Buffer.from(`[${beforeUrl}`);
const nextBefore = Buffer.from(`,${beforeUrl}`);

/** The pull request's URL is written already, at `prUrlStart`. Returns false if the payload was not made by `encode`. */
function writeComments(out: ByteWriter, payload: Uint8Array, prUrlStart: number): boolean {
  let end = payload.indexOf(newline);
  let urlStart = prUrlStart;
  let urlEnd = urlStart + end;
  for (let before = firstBefore; end < payload.length; before = nextBefore) {
    const start = end + 1;
    const tail = tailsByCode.get(codeNumber(payload, start));
    const keptEnd = endOfKept(out.buffer, urlStart, urlEnd, payload[start + 2]);
    if (tail === undefined || keptEnd < 0) return false;
    out.room(before.length + keptEnd - urlStart + payload.length - start + tail.length);
    const { buffer } = out;
    buffer.set(before, out.length);
    const at = out.length + before.length;
    buffer.copyWithin(at, urlStart, keptEnd);
    urlEnd = at + keptEnd - urlStart;
    urlStart = at;
    for (end = start + 3; end < payload.length && payload[end] !== newline; end++)
      buffer[urlEnd++] = payload[end] ?? 0;
    buffer.set(tail, urlEnd);
    out.length = urlEnd + tail.length;
  }
  out.byte(closingBracket);
  return true;
}

/** Where the beginning ends that a URL shares with the next one; below 0 if the mark asks for more than there is. */
function endOfKept(buffer: Uint8Array, start: number, end: number, mark: number | undefined): number {
  if (mark === dropAll.charCodeAt(0)) return start;
  let drops = dropsByMark.get(mark ?? 0) ?? Number.POSITIVE_INFINITY;
  let kept = end;
  // Counted in UTF-16 units: the bytes that continue a character count nothing, a character of four bytes counts two.
  for (; drops > 0 && kept > start; kept--) {
    const byte = buffer[kept - 1] ?? 0;
    if (byte < 0x80 || byte >= 0xc0) drops -= byte >= 0xf0 ? 2 : 1;
  }
  return drops === 0 ? kept : -1;
}
