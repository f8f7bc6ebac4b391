import type { Operation } from "./operation.ts";
import { listAuditLogs } from "./operations/audit-logs.ts";
import { createKey, deleteKey, listKeys, rotateKey, whoami } from "./operations/keys.ts";
import {
  createLearnings,
  decideLearning,
  deleteLearning,
  getLearning,
  listLearnings,
  updateLearning,
} from "./operations/learnings.ts";
import { searchLearnings } from "./operations/learnings-search.ts";
import { mcpMetrics, reviewCommentMetrics, reviewMetrics } from "./operations/metrics.ts";
import { listOrganizations, listRepositories } from "./operations/organizations.ts";
import {
  createRole,
  deleteRole,
  getRole,
  giveRole,
  listPermissions,
  listRoles,
  updateRole,
} from "./operations/roles.ts";
import { listSecurityFindings } from "./operations/security.ts";
import { listTeams } from "./operations/teams.ts";
import {
  assignSeats,
  changeRoles,
  getSeatAssignment,
  listUsers,
  setSeatAssignment,
} from "./operations/users.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from "./operations/webhooks.ts";

/**
 * The only list of operations. Routes, grants, handlers' chains, OpenAPI, the client and the generated tests are all
 * derived from it. A function imports only its own entry, so that its bundle contains no other schema.
 */
export const operations = [
  reviewCommentMetrics,
  reviewMetrics,
  mcpMetrics,
  listLearnings,
  searchLearnings,
  createLearnings,
  getLearning,
  updateLearning,
  deleteLearning,
  decideLearning,
  listOrganizations,
  listRepositories,
  listUsers,
  assignSeats,
  getSeatAssignment,
  setSeatAssignment,
  changeRoles,
  listTeams,
  listRoles,
  listPermissions,
  getRole,
  createRole,
  updateRole,
  deleteRole,
  giveRole,
  listAuditLogs,
  listSecurityFindings,
  listKeys,
  createKey,
  rotateKey,
  deleteKey,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listWebhookDeliveries,
  whoami,
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]["id"];

/** An operation of the list. */
export type ListedOperation = Operation & { readonly id: OperationId };

export function operationOf(id: string): ListedOperation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new TypeError(`The contract has no ${id}.`);
  return found;
}
