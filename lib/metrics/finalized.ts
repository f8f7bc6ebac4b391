import * as z from "zod";
import { providers } from "../contract/access.ts";
import { withoutCredentials } from "../contract/addresses.ts";
import { msPerDay } from "../contract/days.ts";
import { eventList } from "../contract/event-list.ts";
import { eventLimits, metricsLimits } from "../contract/limits.ts";
import { identifier, wellFormed } from "../contract/parameters.ts";
import { categories, pullRequestStatuses, severities } from "../contract/records-metrics.ts";
import { required } from "../runtime/required.ts";

/**
 * `pull_request.finalized`: the whole state of a pull request that was merged or closed. Every field that is used is
 * validated strictly; further fields are ignored. A field that may be null may also be omitted.
 */

const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null);

const line = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .refine(wellFormed, { error: "must not contain NUL or unpaired surrogate characters" });

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
    provider: z.enum(providers),
    instance_id: orNull(identifier),
    provider_organization_id: identifier,
    repository_id: identifier,
    pr_url: url,
    author_id: orNull(identifier),
    author_username: orNull(line(eventLimits.nameCharactersMax)),
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

/** The instant that decides which windows include the pull request: when it was merged, or closed without a merge. */
export function finalizedAtMs({ status, merged_at, closed_at }: PullRequestFinalized): number {
  return required(status === "merged" ? merged_at : closed_at, `${status}_at of a validated pull request`);
}

const firstDayMs = Date.parse(`${metricsLimits.firstDay}T00:00:00.000Z`);

/**
 * The reason why its time is invalid, or undefined: a schema cannot check it, because a schema does not know the
 * current day.
 */
export function misplacement(pullRequest: PullRequestFinalized, nowMs: number): string | undefined {
  const atMs = finalizedAtMs(pullRequest);
  const endOfTomorrowMs = (Math.floor(nowMs / msPerDay) + 2) * msPerDay;
  if (atMs >= firstDayMs && atMs < endOfTomorrowMs) return undefined;
  const field = pullRequest.status === "merged" ? "merged_at" : "closed_at";
  return `${field}: must lie between ${metricsLimits.firstDay} and tomorrow`;
}
