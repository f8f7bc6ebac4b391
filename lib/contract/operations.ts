import type { Operation } from "./operation.ts";
import { listAuditLogs } from "./operations/audit-logs.ts";
import { keyOperations, whoami } from "./operations/keys.ts";
import { learningOperations, listLearnings } from "./operations/learnings.ts";
import { searchLearnings } from "./operations/learnings-search.ts";
import { metricsOperations } from "./operations/metrics.ts";
import { organizationOperations } from "./operations/organizations.ts";
import { roleOperations } from "./operations/roles.ts";
import { listSecurityFindings } from "./operations/security.ts";
import { listTeams } from "./operations/teams.ts";
import { userOperations } from "./operations/users.ts";
import { webhookOperations } from "./operations/webhooks.ts";

/**
 * The only list of operations. Routes, grants, handlers' chains, OpenAPI, the client and the generated tests are all
 * derived from it. The files of several operations list their own. A function imports only its own entry, so that its
 * bundle contains no other schema.
 */
export const operations = [
  ...metricsOperations,
  listLearnings,
  searchLearnings,
  ...learningOperations,
  ...organizationOperations,
  ...userOperations,
  listTeams,
  ...roleOperations,
  listAuditLogs,
  listSecurityFindings,
  ...keyOperations,
  ...webhookOperations,
  whoami,
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]["id"];

export type ListedOperation = Operation & { readonly id: OperationId };

export function operationOf(id: string): ListedOperation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new TypeError(`The contract has no ${id}.`);
  return found;
}
