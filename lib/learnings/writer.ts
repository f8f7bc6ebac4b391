import type { AuditEvent, AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import type { AuditAction } from "../contract/audit.ts";
import { learningLimits } from "../contract/limits.ts";
import type { Embedder } from "../index/embedder.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { AttributeValue } from "../store/table.ts";

/** The dependencies of the operations that write Learnings. */
export type LearningDeps = AuditedContext & { readonly embedder: Embedder; readonly signal: AbortSignal };

export function shortenedText(text: string | null): string | null {
  const { auditTextCharactersMax: most } = learningLimits;
  const characters = text === null ? [] : [...text];
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : text;
}

export const learningEvent = (
  organization: OrganizationItem,
  action: Extract<AuditAction, `learning.${string}`>,
  ids: readonly string[],
  metadata: { readonly [name: string]: AttributeValue } = {},
): AuditEvent => {
  const [only, another] = ids;
  const one = only !== undefined && another === undefined ? only : null;
  return {
    action,
    resourceType: "learning",
    resourceId: one,
    summary: `${action.replace(".", " ")}: ${one ?? `${ids.length} Learnings`}`,
    tenant: organization.tenant,
    organization,
    metadata: one === null ? { ...metadata, learning_ids: [...ids] } : metadata,
  };
};

/** The record is as requested: the caller may repeat the request, and the reconciler is notified. */
export const indexRefreshFailed = (cause: unknown): ApiError =>
  new ApiError(
    "INDEX_REFRESH_FAILED",
    "The change is stored, but the review index does not follow it yet. Repeat the same request.",
    { cause },
  );
