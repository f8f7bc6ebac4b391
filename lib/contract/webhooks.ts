/** What a webhook says. A ring names what is new and contains no record: the receiver resumes its cursor. */

import type { Only } from "./only.ts";

/** Types that ring when a resumed walk of this operation has something new, and what a narrow key needs for it. */
const datasetTypes = {
  "metrics.review_comments": ["listReviewCommentMetrics", "metrics:read"],
  "metrics.reviews": ["listReviewMetrics", "metrics:read"],
  "metrics.mcp": ["listMcpMetrics", "metrics:read"],
  learnings: ["listLearnings", "learnings:read"],
  audit_logs: ["listAuditLogs", "audit_logs:read"],
} as const;

/** Types that name what they are about, and the operation that shows more. */
const subjectTypes = {
  "learning.pending": ["listLearnings", "learnings:read"],
  "security.scan_completed": ["listSecurityFindings", "security:read"],
  "key.expiring": ["listKeys", "keys:read"],
  "webhook.disabled": ["listWebhooks", "webhooks:read"],
} as const;

type DatasetType = keyof typeof datasetTypes;
export type SubjectType = keyof typeof subjectTypes;
export type WebhookType = DatasetType | SubjectType;

export const webhookTypes = [
  "metrics.review_comments",
  "metrics.reviews",
  "metrics.mcp",
  "learnings",
  "audit_logs",
  "learning.pending",
  "security.scan_completed",
  "key.expiring",
  "webhook.disabled",
] as const satisfies readonly WebhookType[];

const isDatasetType = (type: WebhookType): type is DatasetType => Object.hasOwn(datasetTypes, type);

const rowOfType = (type: WebhookType): readonly [operation: string, only: Only] =>
  isDatasetType(type) ? datasetTypes[type] : subjectTypes[type];

/** The operation that a receiver of the type calls. */
export const operationOfType = (type: WebhookType): string => rowOfType(type)[0];

/** What a narrow key needs to read what a ring of the type is about. */
export const onlyOfType = (type: WebhookType): Only => rowOfType(type)[1];

/** For the guide. */
export const webhookTypeMeanings: Readonly<Record<WebhookType, string>> = {
  "metrics.review_comments": "Review comment metrics may have something new.",
  "metrics.reviews": "Review metrics may have something new.",
  "metrics.mcp": "MCP metrics may have something new.",
  learnings: "Learnings were created, changed, approved or deleted.",
  audit_logs: "The audit log has new entries.",
  "learning.pending": "Learnings wait for approval; the delivery names them.",
  "security.scan_completed": "Security scans ended; the delivery names their repositories.",
  "key.expiring": "Keys expire in 14, 3 or 1 days; the delivery names them.",
  "webhook.disabled": "The service disabled other webhooks of this scope; the delivery names them.",
};

/** Why a webhook is not active. */
export const disabledReasons = ["switched_off", "gone", "failing"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** `waiting`: the service tries again. `replaced`: it does not. */
export const deliveryStates = ["delivered", "waiting", "replaced"] as const;
