import * as z from "zod";
import { withoutCredentials } from "../../contract/addresses.ts";
import type { OrganizationName } from "../../contract/identity.ts";
import { eventLimits, learningLimits } from "../../contract/limits.ts";
import { learningFile, learningSourceUrl, learningText } from "../../contract/operations/learnings.ts";
import { identifier, text } from "../../contract/parameters.ts";
import { toTimestamp } from "../../runtime/clock.ts";

/** Later instants have a five-digit year and do not compare as text. */
const lastInstantMs = Date.parse("9999-12-31T23:59:59.999Z");

const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null);

/** The fields of the events beside the organization's name. Unknown fields are ignored. */
export const learningCapturedFields = {
  repository_id: identifier,
  learning: learningText,
  author_id: identifier,
  source: z.enum(["chat", "pull_request"]),
  pr_url: orNull(text(1, eventLimits.urlCharactersMax).transform(withoutCredentials)),
  file: orNull(learningFile),
  source_url: orNull(learningSourceUrl.transform(withoutCredentials)),
};

type Captured = z.output<z.ZodObject<typeof learningCapturedFields>>;

const pullRequestField: string[] = ["pr_url"];

/** The parameters of a `refine`: a Learning that waits for its pull request must name that pull request. */
export const namesItsPullRequest = [
  ({ source, pr_url }: Pick<Captured, "source" | "pr_url">) => source === "chat" || pr_url !== null,
  { error: "is required when source is pull_request", path: pullRequestField },
] as const;

export const learningUsedFields = {
  learning_id: z.guid({ error: "must be a UUID" }).transform((id) => id.toLowerCase()),
  /** Any offset; stored in UTC with milliseconds. */
  used_at: z.iso
    .datetime({ offset: true, error: "must be a date-time with an offset" })
    .transform((instant) => Date.parse(instant))
    .refine((ms) => ms >= 0 && ms <= lastInstantMs, { error: "must lie between 1970 and 9999" })
    .transform(toTimestamp),
  count: z.int().min(1).max(learningLimits.usesMax),
};

export type LearningCaptured = OrganizationName & Captured;
export type LearningUsed = OrganizationName & z.output<z.ZodObject<typeof learningUsedFields>>;
