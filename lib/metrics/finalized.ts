import * as z from "zod";
import { withoutCredentials } from "../contract/addresses.ts";
import { msPerDay } from "../contract/days.ts";
import {
  type EventWords,
  eventList,
  line,
  organizationName,
  organizationNameWords,
  orNull,
  publicUrl,
} from "../contract/event-fields.ts";
import { eventLimits, metricsLimits } from "../contract/limits.ts";
import { identifier } from "../contract/parameters.ts";
import { authorTypes, categories, pullRequestStatuses, severities } from "../contract/records-metrics.ts";
import { required } from "../runtime/required.ts";

/** Every field that is used is validated strictly; further fields are ignored. A nullable field may be omitted. */

/** Years that a record can show: four digits. */
const firstInstantMs = Date.parse("0001-01-01T00:00:00.000Z");
const lastInstantMs = Date.parse("9999-12-31T23:59:59.999Z");
const instant = z.iso
  .datetime({ offset: true, error: "must be a date-time with an offset" })
  .transform((text) => Date.parse(text))
  .refine((ms) => ms >= firstInstantMs && ms <= lastInstantMs, { error: "must lie in the years 1 to 9999" });

/** A value outside the documented list (`none`, a newer one) is treated as no value: stored as null, not refused. */
const knownOrNull = <const Word extends string>(words: readonly Word[]) =>
  z
    .unknown()
    .optional()
    .transform((value): Word | null => words.find((word) => word === value) ?? null);

const url = line(eventLimits.urlCharactersMax).transform(withoutCredentials);
const count = z.int().min(0).max(metricsLimits.countMax);

const comment = z.object({
  url,
  severity: knownOrNull(severities),
  category: knownOrNull(categories),
  accepted: orNull(z.boolean()),
});

const mcpServer = z.object({
  name: line(eventLimits.nameCharactersMax),
  tools: eventList(
    z.object({ name: line(eventLimits.nameCharactersMax), calls: count, failures: count }),
    (list) => list,
  ),
});

export const pullRequestFinalized = z
  .object({
    ...organizationName,
    repository_id: identifier,
    pr_url: url,
    author_id: orNull(identifier),
    author_username: orNull(line(eventLimits.nameCharactersMax)),
    author_type: knownOrNull(authorTypes),
    created_at: instant,
    ready_for_review_at: orNull(instant),
    first_human_review_at: orNull(instant),
    last_commit_at: orNull(instant),
    merged_at: orNull(instant),
    closed_at: orNull(instant),
    status: z.enum(pullRequestStatuses),
    reviewed: z.boolean(),
    review_iterations: count,
    estimated_complexity: orNull(z.int().min(1).max(5)),
    estimated_review_minutes: orNull(z.number().min(0).max(metricsLimits.countMax)),
    comments: eventList(comment, (list) => list.nullish()).transform((comments) => comments ?? []),
    mcp_servers: eventList(mcpServer, (list) => list.nullish()).transform((servers) => servers ?? []),
  })
  .refine(({ status, merged_at }) => status !== "merged" || merged_at !== null, {
    error: "is required of a merged pull request",
    path: ["merged_at"],
  })
  .refine(({ status, merged_at }) => status !== "closed" || merged_at === null, {
    error: "must be null of a pull request that was closed unmerged",
    path: ["merged_at"],
  })
  .refine(({ status, closed_at }) => status !== "closed" || closed_at !== null, {
    error: "is required of a closed pull request",
    path: ["closed_at"],
  });

export type PullRequestFinalized = z.output<typeof pullRequestFinalized>;

export const pullRequestFinalizedWords = (): EventWords => ({
  meaning:
    "A pull request that was merged or closed, with the findings of its review. Send it again when an outcome changes. " +
    "Waits for its repository.",
  fields: {
    ...organizationNameWords,
    repository_id: "The Git provider's id of the repository.",
    pr_url: `Its address, unique within the organization. Join the records of the three datasets on it. ${publicUrl}`,
    author_id: "The Git provider's id of the author; null where there is none, for example for a bot.",
    author_username: "The author's login; null where it is not known.",
    author_type:
      "`user` for a person, `bot` for a program such as a dependency updater. Any other word is stored as null, which means " +
      "unknown.",
    created_at: "When it was opened.",
    ready_for_review_at:
      "When it was last marked as ready for review; null where it never was a draft or where that is unknown.",
    first_human_review_at: "When a person first reviewed it; null for never.",
    last_commit_at: "When its last commit was pushed; null where that is not known.",
    merged_at: "Required for a merged pull request, null for a closed one. From 2000-01-01 to tomorrow.",
    closed_at:
      "Required for a pull request that was closed without a merge. For a merged one, null where it is unknown.",
    status: "`closed` means closed without a merge.",
    reviewed: "Whether the reviewer reviewed it. A pull request without a review is in no metrics.",
    review_iterations: "How often the reviewer reviewed it.",
    estimated_complexity: "1 (small) to 5 (large); null where there is no estimate.",
    estimated_review_minutes:
      "Minutes that a person would need to review it; null where there is no estimate.",
    comments: "One element for each finding; null means an empty list.",
    "comments[].url": `The address of the posted comment. Several findings may share it. ${publicUrl}`,
    "comments[].severity":
      "critical, major, minor, trivial or info. Any other word is stored as null, which means unknown or none.",
    "comments[].category":
      "data_integrity_and_integration, functional_correctness, maintainability_and_code_quality, " +
      "performance_and_scalability, security_and_privacy or stability_and_availability. Any other word is stored as null.",
    "comments[].accepted":
      "The outcome, as detected or confirmed. false is no proof of rejection; null means unknown.",
    mcp_servers: "MCP servers that the review used; null means an empty list.",
    "mcp_servers[].name": "The server's name.",
    "mcp_servers[].tools": "The tools of this server that the review used.",
    "mcp_servers[].tools[].name": "The tool's name.",
    "mcp_servers[].tools[].calls": "How often it was called.",
    "mcp_servers[].tools[].failures": "How many of these calls failed.",
  },
});

/** The instant that decides which windows include the pull request: when it was merged, or closed without a merge. */
export function finalizedAtMs({ status, merged_at, closed_at }: PullRequestFinalized): number {
  return required(status === "merged" ? merged_at : closed_at, `${status}_at of a validated pull request`);
}

const firstDayMs = Date.parse(`${metricsLimits.firstDay}T00:00:00.000Z`);

/** A schema cannot check it, because a schema does not know the current day. */
export function misplacement(pullRequest: PullRequestFinalized, nowMs: number): string | undefined {
  const atMs = finalizedAtMs(pullRequest);
  const endOfTomorrowMs = (Math.floor(nowMs / msPerDay) + 2) * msPerDay;
  if (atMs >= firstDayMs && atMs < endOfTomorrowMs) return undefined;
  const field = pullRequest.status === "merged" ? "merged_at" : "closed_at";
  return `${field}: must lie between ${metricsLimits.firstDay} and tomorrow`;
}
