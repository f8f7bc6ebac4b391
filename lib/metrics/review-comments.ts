import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import { codeOf, type ReviewFinding, tailsByCode } from "./finding.ts";
import { damagedPayload, entryDraftOf, payloadTextOf, prUrlAtStart } from "./payload.ts";

/**
 * The payload has one line for the pull request's URL and one for each finding, all of them already JSON-escaped:
 *
 *   https://github.com/acme/api/pull/12
 *   8 2 0 #discussion_r2109876543          (without the spaces)
 *   │ │ └ characters to drop from the end of the URL before, in base 36; "~" drops all of it
 *   └─┴ severity and acceptance, category
 *
 * A page is joined from these lines and never becomes objects. That takes two thirds of the time that building and
 * stringifying objects takes.
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

type Outside = Pick<CommentedPullRequest, "organizationId" | "repositoryId" | "authorId" | "mergedAtMs">;

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const dropAll = "~";
const dropsMax = 35;
const dropsByMark: ReadonlyMap<string, number> = new Map(
  Array.from({ length: dropsMax + 1 }, (_, drops) => [drops.toString(36), drops]),
);

export function draftReviewComments(pullRequest: CommentedPullRequest): EntryDraft {
  const { prUrl, repositoryId, authorId, mergedAtMs } = pullRequest;
  const text = encode(prUrl, pullRequest.comments);
  const record = required(render(text, pullRequest), "record of an entry just made");
  return entryDraftOf({ atMs: mergedAtMs, repositoryId, authorId }, text, record);
}

/** The record as JSON text. */
export function renderReviewComments(entry: StreamEntry, organizationId: string): string {
  const { repositoryId, authorId, atMs: mergedAtMs } = entry;
  const record = render(payloadTextOf(entry), { organizationId, repositoryId, authorId, mergedAtMs });
  if (record === undefined) throw damagedPayload(entry.number);
  return record;
}

const beginningOfRecord =
  /^\{"pr_url":("(?:[^"\\]|\\.)*"),"organization_id":"(?:[^"\\]|\\.)*","repository_id":("(?:[^"\\]|\\.)*")/;

/** The pull request of a record, and the record's size; the record itself never becomes an object. */
export function sizeOfReviewComments(record: string) {
  const [, prUrl = '""', repositoryId = '""'] = beginningOfRecord.exec(record) ?? [];
  return {
    pr_url: String(JSON.parse(prUrl)),
    repository_id: String(JSON.parse(repositoryId)),
    bytes: Buffer.byteLength(record),
  };
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

/** Returns undefined if the text was not made by `encode`. */
function render(
  text: string,
  { organizationId, repositoryId, authorId, mergedAtMs }: Outside,
): string | undefined {
  let end = text.indexOf("\n");
  if (end < 0) return undefined;
  const prUrl = text.slice(0, end);
  let record =
    `{"pr_url":"${prUrl}","organization_id":${JSON.stringify(organizationId)},` +
    `"repository_id":${JSON.stringify(repositoryId)},"author_id":${JSON.stringify(authorId)},` +
    `"merged_at":"${toTimestamp(mergedAtMs)}","coderabbit_comments":[`;
  let separator = '{"url":"';
  let url = prUrl;
  while (end >= 0) {
    const start = end + 1;
    end = text.indexOf("\n", start);
    const tail = tailsByCode.get(text.slice(start, start + 2));
    const mark = text.charAt(start + 2);
    const rest = text.slice(start + 3, end < 0 ? text.length : end);
    const drops = mark === dropAll ? url.length : dropsByMark.get(mark);
    if (tail === undefined || drops === undefined || drops > url.length) return undefined;
    url = url.slice(0, url.length - drops) + rest;
    record += separator + url + tail;
    separator = ',{"url":"';
  }
  return `${record}]}`;
}
