/** What a webhook says. A ring names what is new and contains no record: the receiver resumes its cursor. */

import type { Only } from "./only.ts";

/** They name what they are about, and ring by notes (lib/webhooks/news.ts). */
const subjectTypes = [
  "learning.pending",
  "security.scan_completed",
  "key.expiring",
  "webhook.disabled",
] as const;
export type SubjectType = (typeof subjectTypes)[number];

/** The others ring when a resumed walk of their operation has something new. */
export const webhookTypes = [
  ...(["metrics.review_comments", "metrics.reviews", "metrics.mcp", "learnings", "audit_logs"] as const),
  ...subjectTypes,
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** The operation that a receiver calls, and what a narrow key needs for it. */
const rows: Readonly<Record<WebhookType, readonly [operation: string, only: Only]>> = {
  "metrics.review_comments": ["listReviewCommentMetrics", "metrics:read"],
  "metrics.reviews": ["listReviewMetrics", "metrics:read"],
  "metrics.mcp": ["listMcpMetrics", "metrics:read"],
  learnings: ["listLearnings", "learnings:read"],
  audit_logs: ["listAuditLogs", "audit_logs:read"],
  "learning.pending": ["listLearnings", "learnings:read"],
  "security.scan_completed": ["listSecurityFindings", "security:read"],
  "key.expiring": ["listKeys", "keys:read"],
  "webhook.disabled": ["listWebhooks", "webhooks:read"],
};

export const operationOfType = (type: WebhookType): string => rows[type][0];

export const onlyOfType = (type: WebhookType): Only => rows[type][1];

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

/** `waiting`: the service tries again. `replaced` and `ended`: it does not. */
export const deliveryStates = ["delivered", "waiting", "replaced", "ended"] as const;
