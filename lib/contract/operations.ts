import type { Operation } from "./operation.ts";
import { listAuditLogs } from "./operations/audit-logs.ts";
import { whoami } from "./operations/keys.ts";
import { listOrganizations, listRepositories } from "./operations/organizations.ts";

/**
 * The one list of operations. Routes, grants, handlers' chains, OpenAPI, the client and the generated
 * tests all start here. A function imports its own entry only, so that its bundle holds no other schema.
 */
export const operations = [
  listOrganizations,
  listRepositories,
  listAuditLogs,
  whoami,
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]["id"];
