import { createHash } from "node:crypto";
import { v5 } from "uuid";
import { identityNamespace } from "../contract/identity.ts";

/**
 * The id of a Learning: UUID v5 of `[organization, repository, redacted text]`. While other Learnings created from the
 * same text hold such ids, UUID v5 of `[…, text, n]`.
 */
export const learningUuid = (
  organization: string,
  repositoryId: string,
  redactedText: string,
  generation: number,
): string => {
  const name = [organization, repositoryId, redactedText];
  return v5(JSON.stringify(generation === 1 ? name : [...name, generation]), identityNamespace);
};

/** Two Learnings of an organization are the same if their digests are equal. */
export const contentDigest = (repositoryId: string, redactedText: string): string =>
  createHash("sha256")
    .update(JSON.stringify([repositoryId, redactedText]))
    .digest("base64url");

/** `pr_url` is unique within an organization, and too long for a key. */
export const pullRequestDigest = (prUrl: string): string =>
  createHash("sha256").update(prUrl).digest("base64url");
