import type { Provider } from "../contract/access.ts";
import type { CsvCell } from "../contract/csv-row.ts";
import { authorTypes, categories, severities } from "../contract/records-metrics.ts";
import type { ByteWriter } from "../runtime/byte-writer.ts";
import { toTimestamp } from "../runtime/clock.ts";
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
  const [, letter, prUrl = "", username = "", created, ready, reviewed, committed] = found;
  const timeOf = (before = "null") => (before === "null" ? null : toTimestamp(entry.atMs - Number(before)));
  const isMerged = letter === "m";
  const ended = toTimestamp(entry.atMs);
  const ends = isMerged ? [ended, timeOf(found[12])] : [null, ended];
  return {
    prUrl,
    username,
    /** Of the creation, readiness, first review, last commit, merge and closing. */
    times: [timeOf(created), timeOf(ready), timeOf(reviewed), timeOf(committed), ...ends],
    status: isMerged ? "merged" : "closed",
    iterations: found[8] ?? "",
    complexity: found[9] ?? "",
    minutes: found[10] ?? "",
    counts: found[11] ?? "",
    authorType: authorTypes[Number(found[13])] ?? null,
  };
}

/** What comes before each count in JSON. */
const countNames = [
  '"total":{',
  ...severities.map((name, index) => `},${index === 0 ? '"severity":{' : ""}"${name}":{`),
  ...categories.map((name, index) => `}${index === 0 ? '},"category":{' : ","}"${name}":{`),
].flatMap((beginning) => [`${beginning}"posted":`, ',"accepted":']);
/** Most counts have one digit: then a copy of this needs only the digits. */
const smallCounts = Buffer.from(countNames.map((name) => `${name}0`).join(""));
const digitPlaces = countNames.map((_, index) => countNames.slice(0, index + 1).join("0").length);

function writeCounts(out: ByteWriter, counts: string): void {
  const start = out.length;
  if (counts.length !== 2 * countsLength - 1) {
    const values = counts.split(",");
    out.text(countNames.map((name, index) => `${name}${values[index]}`).join(""));
    return;
  }
  out.bytes(smallCounts);
  for (let index = 0; index < countsLength; index++)
    out.buffer[start + (digitPlaces[index] ?? 0)] = counts.charCodeAt(2 * index);
}

/** By the object, which all reviews of a repository share. */
const namesInJson = new WeakMap<
  ReviewNames,
  readonly [organization: string, repository: string, end: string]
>();

function toJson(names: ReviewNames) {
  const { organizationId, organizationName, repositoryName, provider, repositoryFullName } = names;
  const made = [
    `"organization_id":${JSON.stringify(organizationId)},"organization_name":${JSON.stringify(organizationName)}`,
    `"repository_name":${JSON.stringify(repositoryName)}`,
    `"provider":${JSON.stringify(provider)},"repository_full_name":${JSON.stringify(repositoryFullName)}`,
  ] as const;
  namesInJson.set(names, made);
  return made;
}

const quoted = (time: string | null): string => (time === null ? "null" : `"${time}"`);

/** The JSON of a `ReviewRecord`; no object is built. */
export function writeReview(out: ByteWriter, { entry, names }: NamedReview): void {
  const parts = partsOf(entry);
  const [created, ready, reviewed, committed, merged, closed] = parts.times.map(quoted);
  const [organization, repository, end] = namesInJson.get(names) ?? toJson(names);
  out.text(
    `{"pr_url":${parts.prUrl},"author_id":${JSON.stringify(entry.authorId)},"author_username":${parts.username},` +
      `${organization},"repository_id":${JSON.stringify(entry.repositoryId)},${repository},` +
      `"created_at":${created},"ready_for_review_at":${ready},"first_human_review_at":${reviewed},` +
      `"last_commit_at":${committed},"merged_at":${merged},"closed_at":${closed},"status":"${parts.status}",` +
      `"review_iterations":${parts.iterations},"estimated_complexity":${parts.complexity},` +
      `"estimated_review_minutes":${parts.minutes},"coderabbit_comments":{`,
  );
  writeCounts(out, parts.counts);
  out.text(`}}},${end},"author_type":${quoted(parts.authorType)}}`);
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
    ...parts.times,
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
