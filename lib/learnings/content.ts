import { redact, redactPath } from "../redaction/redact.ts";
import { contentDigest } from "./identity.ts";

/** A text to remember, with every recognized credential removed. */
export type LearningContent = {
  readonly repositoryId: string;
  readonly text: string;
  readonly digest: string;
  readonly file: string | null;
  readonly sourceUrl: string | null;
  /** Kinds of credentials that were removed from the text. */
  readonly redacted: readonly string[];
};

/** How each text of a Learning is redacted, by the name of its field in requests and events. */
export const redactors = { learning: redact, file: redactPath, source_url: redact } as const;

/** Redaction comes first: the digest, and so the id, never depends on a secret. */
export function redactContent(raw: {
  readonly repositoryId: string;
  readonly text: string;
  readonly file: string | null;
  readonly sourceUrl: string | null;
}): LearningContent {
  const { text, kinds } = redactors.learning(raw.text);
  return {
    repositoryId: raw.repositoryId,
    text,
    digest: contentDigest(raw.repositoryId, text),
    file: raw.file === null ? null : redactors.file(raw.file).text,
    sourceUrl: raw.sourceUrl === null ? null : redactors.source_url(raw.sourceUrl).text,
    redacted: text === raw.text ? [] : kinds,
  };
}
