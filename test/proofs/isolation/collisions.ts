import type { Random } from "../../../lib/runtime/random.ts";
import {
  everyKind,
  get,
  type Kinds,
  lists,
  metrics,
  narrowed,
  notWorkspace,
  optional,
  own,
  type Request,
  readersOf,
  withLegacy,
} from "./requests.ts";
import { type Holder, shared } from "./tenants.ts";

export type Collision = {
  readonly operation: string;
  readonly kinds: Kinds;
  ask(holder: Holder, random: Random): Request;
};

/** Requests with ids that exist in every tenant: each tenant must see its own data, and only its own. */
export const collisions: readonly Collision[] = [
  ...[...new Set([...optional, ...narrowed])].map((operation) => ({
    operation,
    kinds: readersOf(operation),
    ask: (_: Holder, random: Random) => get(lists[operation](random)),
  })),
  { operation: "listAuditLogs", kinds: everyKind, ask: () => get("/v1/audit-logs") },
  ...metrics.map((operation) => ({
    operation,
    kinds: readersOf(operation),
    ask: (_: Holder, random: Random) =>
      get(lists[operation](random), { repository_ids: shared.repositoryId, user_ids: "u1" }),
  })),
  {
    operation: "listLearnings",
    kinds: ["user"],
    ask: (_, random) => get(lists.listLearnings(random), { repository_name: shared.repositoryName }),
  },
  {
    operation: "listLearnings",
    kinds: withLegacy(everyKind),
    ask: (_, random) =>
      get(lists.listLearnings(random), { file: shared.file, user_ids: "u1", search: "mind" }),
  },
  {
    operation: "listSecurityFindings",
    kinds: notWorkspace,
    ask: (_, random) => get(lists.listSecurityFindings(random), { repo_id: shared.repositoryId }),
  },
  { operation: "listUsers", kinds: ["workspace"], ask: () => get("/v1/users", { org_id: shared.orgIds[0] }) },
  { operation: "listRoles", kinds: everyKind, ask: (holder) => get("/v1/roles", own(holder)) },
  {
    operation: "listRepositories",
    kinds: everyKind,
    ask: ({ branch }) => get(`/v1/organizations/${branch.uuid}/repositories`),
  },
  { operation: "whoami", kinds: [...everyKind, "legacy", "agentic"], ask: () => get("/v1/whoami") },
];
