import type { Provider } from "../contract/access.ts";
import type { CsvCell } from "../contract/csv-row.ts";
import {
  authorTypes,
  type CommentCounts,
  categories,
  type ReviewRecord,
  severities,
} from "../contract/records-metrics.ts";
import type { ByteWriter } from "../runtime/byte-writer.ts";
import { toTimestamp } from "../runtime/clock.ts";
import {
  type JsonText,
  jsonText,
  objectWriter,
  plainText,
  storedJson,
  type Written,
  written,
} from "../runtime/json-text.ts";
import type { StreamEntry } from "../stream/stream.ts";
import { damagedPayload, payloadTextOf } from "./payload.ts";

const text = String.raw`"(?:[^"\\]|\\.)*"`;
const number = String.raw`\d+(?:\.\d+)?(?:e[+-]\d+)?`;
const time = String.raw`-?\d+`;
const countsLength = 2 * (1 + severities.length + categories.length);
/** The payload as `draftReview` makes it. All values but the times are stored as a record's JSON shows them. */
const payloadForm = new RegExp(
  `^(.)\\[(${text}),(${text}|null),(${time}),(${time}|null),(${time}|null),(${time}|null),(${number}),(${number}|null),` +
    `(${number}|null),((?:${number},){${countsLength - 1}}${number})(?:,(${time}|null))?(?:,(\\d|null))?\\]$`,
);

/** Names change, so the entry does not hold them: the reader adds the current ones. */
export type ReviewNames = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly provider: Provider;
  readonly repositoryName: string;
  readonly repositoryFullName: string;
};

type ReviewEntry = Pick<StreamEntry, "number" | "atMs" | "authorId" | "repositoryId" | "payload">;
type NamedReview = { readonly entry: ReviewEntry; readonly names: ReviewNames };

function partsOf(entry: ReviewEntry) {
  const found = payloadForm.exec(payloadTextOf(entry));
  if (!found) throw damagedPayload(entry.number);
  const [, letter, prUrl = "", username = "", created = "", ready, reviewed, committed] = found;
  const timeOf = (before = "null") => (before === "null" ? null : toTimestamp(entry.atMs - Number(before)));
  const isMerged = letter === "m";
  const ended = toTimestamp(entry.atMs);
  return {
    prUrl: storedJson<string>(prUrl),
    username: storedJson<string | null>(username),
    created: toTimestamp(entry.atMs - Number(created)),
    ready: timeOf(ready),
    reviewed: timeOf(reviewed),
    committed: timeOf(committed),
    merged: isMerged ? ended : null,
    closed: isMerged ? timeOf(found[12]) : ended,
    status: isMerged ? "merged" : "closed",
    iterations: storedJson<number>(found[8] ?? ""),
    complexity: storedJson<number | null>(found[9] ?? ""),
    minutes: storedJson<number | null>(found[10] ?? ""),
    counts: found[11] ?? "",
    authorType: authorTypes[Number(found[13])] ?? null,
  } as const;
}

type Comments = ReviewRecord["coderabbit_comments"];

const none: CommentCounts = { posted: 0, accepted: 0 };
/** `Object.fromEntries` forgets the names; they are those of the list. */
const noneOfEach = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, none])) as Record<Name, CommentCounts>;
const noComments: Comments = {
  total: none,
  severity: noneOfEach(severities),
  category: noneOfEach(categories),
};
/** Most counts have one digit: then a copy of this needs only the digits. */
const smallCounts = Buffer.from(JSON.stringify(noComments));
/** What comes before each count, and after the last one. */
const countNames = smallCounts.toString().split("0");
const digitPlaces = countNames.map((_, index) => countNames.slice(0, index + 1).join("0").length);

function writeCounts(out: ByteWriter, counts: string): Written<Comments> {
  const start = out.length;
  if (counts.length !== 2 * countsLength - 1) {
    const values = counts.split(",");
    out.text(countNames.map((name, index) => `${name}${values[index] ?? ""}`).join(""));
    return written<Comments>();
  }
  out.bytes(smallCounts);
  for (let index = 0; index < countsLength; index++)
    out.buffer[start + (digitPlaces[index] ?? 0)] = counts.charCodeAt(2 * index);
  return written<Comments>();
}

type NamesInJson = { readonly [Name in keyof ReviewNames]: JsonText<ReviewNames[Name]> };

/** By the object, which all reviews of a repository share. */
const namesInJson = new WeakMap<ReviewNames, NamesInJson>();

function toJson(names: ReviewNames): NamesInJson {
  const made = {
    organizationId: jsonText(names.organizationId),
    organizationName: jsonText(names.organizationName),
    provider: jsonText(names.provider),
    repositoryName: jsonText(names.repositoryName),
    repositoryFullName: jsonText(names.repositoryFullName),
  };
  namesInJson.set(names, made);
  return made;
}

const isNull = jsonText(null);
const orNull = <Text extends string>(text: Text | null): JsonText<Text | null> =>
  text === null ? isNull : plainText(text);

const writeFields = objectWriter<ReviewRecord>();

/** Writes the record as JSON. No object of the record is built. */
export function writeReview(out: ByteWriter, { entry, names }: NamedReview): Written<ReviewRecord> {
  const parts = partsOf(entry);
  const known = namesInJson.get(names) ?? toJson(names);
  return writeFields(out, {
    pr_url: parts.prUrl,
    author_id: jsonText(entry.authorId),
    author_username: parts.username,
    organization_id: known.organizationId,
    organization_name: known.organizationName,
    repository_id: jsonText(entry.repositoryId),
    repository_name: known.repositoryName,
    created_at: plainText(parts.created),
    ready_for_review_at: orNull(parts.ready),
    first_human_review_at: orNull(parts.reviewed),
    last_commit_at: orNull(parts.committed),
    merged_at: orNull(parts.merged),
    closed_at: orNull(parts.closed),
    status: plainText(parts.status),
    review_iterations: parts.iterations,
    estimated_complexity: parts.complexity,
    estimated_review_minutes: parts.minutes,
    coderabbit_comments: () => writeCounts(out, parts.counts),
    provider: known.provider,
    repository_full_name: known.repositoryFullName,
    author_type: orNull(parts.authorType),
  });
}

/** The cells of `reviewColumns`, in their order. */
export function reviewCells({ entry, names }: NamedReview): readonly CsvCell[] {
  const parts = partsOf(entry);
  const estimate = (value: string) => (value === "null" ? null : value);
  return [
    JSON.parse(parts.prUrl),
    entry.authorId,
    JSON.parse(parts.username),
    names.organizationId,
    names.organizationName,
    entry.repositoryId,
    names.repositoryName,
    parts.created,
    parts.ready,
    parts.reviewed,
    parts.committed,
    parts.merged,
    parts.closed,
    parts.status,
    parts.iterations,
    estimate(parts.complexity),
    estimate(parts.minutes),
    ...parts.counts.split(","),
    names.provider,
    names.repositoryFullName,
    parts.authorType,
  ];
}
