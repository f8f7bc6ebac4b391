import * as z from "zod";
import { withoutCredentials } from "../../contract/addresses.ts";
import { type EventWords, organizationNameWords, orNull, publicUrl } from "../../contract/event-fields.ts";
import type { OrganizationName } from "../../contract/identity.ts";
import { markedAddress, markedText } from "../../contract/learning-fields.ts";
import { eventLimits, learningLimits } from "../../contract/limits.ts";
import { identifier, text } from "../../contract/parameters.ts";
import { toTimestamp } from "../../runtime/clock.ts";

/** Later instants have a five-digit year and do not compare as text. */
const lastInstantMs = Date.parse("9999-12-31T23:59:59.999Z");

/** A waiting event is stored redacted and checked again: redaction makes no text more than ten times as long. */
const redactable = (charactersMax: number) => [charactersMax, 10 * charactersMax] as const;

/** The fields of the events beside the organization's name. Unknown fields are ignored. */
export const learningCapturedFields = {
  repository_id: identifier,
  learning: markedText(...redactable(learningLimits.textCharactersMax)),
  author_id: identifier,
  source: z.enum(["chat", "pull_request"]),
  pr_url: orNull(text(1, eventLimits.urlCharactersMax).transform(withoutCredentials)),
  file: orNull(markedText(...redactable(learningLimits.fileCharactersMax))),
  source_url: orNull(
    markedAddress(...redactable(learningLimits.sourceUrlCharactersMax)).transform(withoutCredentials),
  ),
};

type Captured = z.output<z.ZodObject<typeof learningCapturedFields>>;

const pullRequestField: string[] = ["pr_url"];

/** The parameters of a `refine`: a Learning that waits for its pull request must name that pull request. */
export const namesItsPullRequest = [
  ({ source, pr_url }: Pick<Captured, "source" | "pr_url">) => source === "chat" || pr_url !== null,
  { error: "is required when source is pull_request", path: pullRequestField },
] as const;

export const learningCapturedWords = (): EventWords => ({
  meaning: "Guidance that the platform found in a chat or a pull request. Waits for its repository.",
  fields: {
    ...organizationNameWords,
    repository_id: "The Git provider's id of the repository.",
    learning: "The text, 1 to 10,000 characters. Credentials in it are removed before it is stored anywhere.",
    author_id: "The Git provider's id of the author.",
    source: "Where it was found. With `pull_request` it stays private until the pull request merges.",
    pr_url: "The pull request; required if `source` is `pull_request`, otherwise it may be null.",
    file: "The file it is about; null for none.",
    source_url: `Its source, an http or https URL; null for none. ${publicUrl}`,
  },
});

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

export const learningUsedWords = (): EventWords => ({
  meaning:
    "Reviews used a Learning again. This event is no state: it adds uses, once for each id of an event.",
  fields: {
    ...organizationNameWords,
    learning_id: "The Learning's id, a UUID.",
    used_at: "When it was last used, with an offset.",
    count: "How many uses to add.",
  },
});

export type LearningCaptured = OrganizationName & Captured;
export type LearningUsed = OrganizationName & z.output<z.ZodObject<typeof learningUsedFields>>;
