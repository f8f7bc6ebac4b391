import type { OperationId } from "../../../lib/contract/operations.ts";
import type { SentRequest } from "../../../lib/contract/requests.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import { ask, askList, type Kinds, metrics, narrowed, optional, readersOf } from "./requests.ts";
import { type Holder, shared } from "./tenants.ts";

export type Collision = {
  readonly operation: OperationId;
  readonly kinds: Kinds;
  ask(holder: Holder, random: Random): SentRequest;
};

const list = (operation: OperationId, query: Record<string, string> = {}, kinds?: Kinds): Collision => ({
  operation,
  kinds: kinds ?? readersOf(operation),
  ask: (holder, random) => askList(operation, holder, random, query),
});
const plain = (operation: OperationId): Collision => ({
  operation,
  kinds: readersOf(operation),
  ask: (holder) => ask(operation, holder),
});

/** Requests with ids that exist in every tenant: each tenant must see its own data, and only its own. */
export const collisions: readonly Collision[] = [
  ...[...new Set([...optional, ...narrowed])].map((operation) => list(operation)),
  ...metrics.map((operation) => list(operation, { repository_ids: shared.repositoryId, user_ids: "u1" })),
  list("listLearnings", { repository_name: shared.repositoryName }, ["user"]),
  list("listLearnings", { file: shared.file, user_ids: "u1", search: "mind" }),
  list("listSecurityFindings", { repo_id: shared.repositoryId }),
  list("listUsers", { org_id: shared.orgIds[0] }, ["workspace"]),
  ...(["listAuditLogs", "listRoles", "listRepositories", "whoami"] as const).map(plain),
];
