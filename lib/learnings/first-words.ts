import { redact } from "../redaction/redact.ts";
import type { LearningItem } from "../store/items/learning.ts";
import { contentDigest } from "./identity.ts";
import { shortenedText } from "./writer.ts";

/** The digest tells two long texts apart. Redacted once more: rules that were added later may redact a stored text. */
export function firstWords(learning: Pick<LearningItem, "text" | "repository_id">) {
  const { text } = redact(learning.text);
  return { learning: shortenedText(text), digest: contentDigest(learning.repository_id, text) };
}
