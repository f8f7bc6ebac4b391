import type { Random } from "../../../lib/runtime/random.ts";
import {
  everyKind,
  get,
  idOf,
  type Kinds,
  type List,
  lists,
  metrics,
  narrowed,
  notWorkspace,
  oneOf,
  optional,
  own,
  type Request,
  readersOf,
  withLegacy,
  write,
} from "./requests.ts";
import { type Holder, type Own, shared } from "./tenants.ts";

/** A thing of a tenant that a request can name. */
export type Named = Own & {
  readonly uuid: string;
  readonly learningId: string;
  readonly roleId: string;
  readonly keyId: string;
};
export type NamedThing = keyof Named;

const organizationNames = ["orgId", "qualifiedOrgId", "uuid"] as const;

/** A request in which one name is swapped: for another tenant's, or for one that does not exist. */
export type Swap = {
  readonly operation: string;
  /** Each request takes one of these. */
  readonly names: readonly NamedThing[];
  readonly kinds: Kinds;
  /** For operations that take several names at once: one of the caller's own, placed before them. */
  readonly mine?: (holder: Holder) => string;
  /** The last ones of several names are only for lists. */
  ask(name: string, holder: Holder, random: Random, more: readonly string[]): Request;
};

const listSwaps = (
  names: readonly NamedThing[],
  parameter: string,
  kinds: (operation: string) => Kinds,
  operations: readonly List[],
): Swap[] =>
  operations.map((operation) => ({
    operation,
    names,
    kinds: kinds(operation),
    ...(mineOf[parameter] && { mine: mineOf[parameter] }),
    ask: (name, _, random, more) => get(lists[operation](random), { [parameter]: [name, ...more].join(",") }),
  }));

/** For parameters that take lists: names in the caller's own tenant. */
const mineOf: Readonly<Record<string, (holder: Holder) => string>> = {
  organization_ids: ({ branch }) => idOf(branch),
  repository_ids: () => shared.repositoryId,
  user_ids: (holder) => holder.own.userId,
};

/** Operations on one organization, in which every other name is valid. */
const selected: ReadonlyArray<{ operation: string; ask(orgId: string, holder: Holder): Request }> = [
  { operation: "listRoles", ask: (org_id) => get("/v1/roles", { org_id }) },
  { operation: "listPermissions", ask: (org_id) => get("/v1/roles/permissions", { org_id }) },
  { operation: "getRole", ask: (org_id) => get("/v1/roles/cr_admin", { org_id }) },
  {
    operation: "createRole",
    ask: (org_id) => write("POST", "/v1/roles", { name: "New", org_id }),
  },
  {
    operation: "updateRole",
    ask: (org_id, { branch }) => write("PATCH", `/v1/roles/${branch.roleIds[0]}`, { name: "New", org_id }),
  },
  {
    operation: "deleteRole",
    ask: (org_id, { branch }) => ({
      ...get(`/v1/roles/${branch.roleIds[0]}`, { org_id }),
      method: "DELETE",
    }),
  },
  {
    operation: "giveRole",
    ask: (org_id, { branch }) =>
      write("POST", `/v1/roles/${branch.roleIds[0]}/users`, { user_ids: ["u2"], dry_run: true, org_id }),
  },
  {
    operation: "createLearnings",
    ask: (org_id) =>
      write("POST", "/v1/learnings", {
        data: [{ repository_id: shared.repositoryId, learning: "New" }],
        org_id,
      }),
  },
  {
    operation: "getLearning",
    ask: (org_id, { branch }) => get(`/v1/learnings/${branch.learningIds[0]}`, { org_id }),
  },
  {
    operation: "decideLearning",
    ask: (org_id, { branch }) =>
      write("POST", `/v1/learnings/${branch.learningIds[0]}/approval`, { decision: "approve", org_id }),
  },
  {
    operation: "updateLearning",
    ask: (org_id, { branch }) =>
      write("PATCH", `/v1/learnings/${branch.learningIds[0]}`, { learning: "New", org_id }),
  },
  {
    operation: "deleteLearning",
    ask: (org_id, { branch }) => ({
      ...get(`/v1/learnings/${branch.learningIds[0]}`, { org_id }),
      method: "DELETE",
    }),
  },
  {
    operation: "changeRoles",
    ask: (org_id) => write("POST", "/v1/users/roles", { role: "cr_member", user_ids: ["u2"], org_id }),
  },
];

const selectedSwaps: readonly Swap[] = selected.map(({ operation, ask }) => ({
  operation,
  names: organizationNames,
  kinds: operation === "changeRoles" ? ["workspace", "instance"] : ["workspace"],
  ask: (name, holder) => ask(name, holder),
}));

/** Keys that act on their own organization and ignore `org_id`. */
const ignoring = (operation: string): Kinds => readersOf(operation).filter((kind) => kind !== "workspace");

/** Where `org_id` is ignored, the caller's own organization is used: so the request must change nothing. */
const asked: Readonly<Record<string, (org_id: string, holder: Holder) => Request>> = {
  listSecurityFindings: (org_id) => get("/v1/security/scans/code", { org_id }),
  listOrganizations: (org_id) => get("/v1/organizations", { org_id }),
  listRepositories: (org_id, { branch }) => get(`/v1/organizations/${branch.uuid}/repositories`, { org_id }),
  listRoles: (org_id) => get("/v1/roles", { org_id }),
  getRole: (org_id, { branch }) => get(`/v1/roles/${branch.roleIds[0]}`, { org_id }),
  listPermissions: (org_id) => get("/v1/roles/permissions", { org_id }),
  getSeatAssignment: (org_id) => get("/v1/users/seats/assignment", { org_id }),
  createRole: (org_id) => write("POST", "/v1/roles", { name: "Admin", org_id }),
  updateRole: (org_id, { branch }) => write("PATCH", `/v1/roles/${branch.roleIds[0]}`, { org_id }),
  deleteRole: (org_id) => ({ ...get("/v1/roles/cr_admin", { org_id }), method: "DELETE" }),
  giveRole: (org_id, { branch }) =>
    write("POST", `/v1/roles/${branch.roleIds[0]}/users`, { user_ids: ["u2"], dry_run: true, org_id }),
  createLearnings: (org_id) =>
    write("POST", "/v1/learnings", {
      data: [{ repository_id: shared.repositoryId, learning: shared.learning }],
      org_id,
    }),
  assignSeats: (org_id) => write("POST", "/v1/users/seats", { action: "unassign", user_ids: ["u2"], org_id }),
};

const ignoredSwaps: readonly Swap[] = [
  ...listSwaps(organizationNames, "org_id", ignoring, optional),
  ...Object.entries(asked).map(([operation, ask]) => ({
    operation,
    names: organizationNames,
    kinds: notWorkspace,
    ask: (name: string, holder: Holder) => ask(name, holder),
  })),
  {
    operation: "changeRoles",
    names: organizationNames,
    kinds: ["organization", "user"],
    ask: (org_id) => write("POST", "/v1/users/roles", { role: "cr_member", user_ids: ["u2"], org_id }),
  },
  {
    operation: "whoami",
    names: organizationNames,
    kinds: withLegacy(everyKind),
    ask: (org_id) => get("/v1/whoami", { org_id }),
  },
  // Separate: no other operation accepts these keys, and each kind must have its turn.
  {
    operation: "whoami",
    names: organizationNames,
    kinds: ["agentic"],
    ask: (org_id) => get("/v1/whoami", { org_id }),
  },
];

const thingSwaps: readonly Swap[] = [
  {
    operation: "listRepositories",
    names: ["uuid"],
    kinds: everyKind,
    ask: (uuid) => get(`/v1/organizations/${uuid}/repositories`),
  },
  {
    operation: "getLearning",
    names: ["learningId"],
    kinds: withLegacy(everyKind),
    ask: (id, holder) => get(`/v1/learnings/${id}`, own(holder)),
  },
  {
    operation: "decideLearning",
    names: ["learningId"],
    kinds: everyKind,
    ask: (id, holder) =>
      write("POST", `/v1/learnings/${id}/approval`, { decision: "disapprove", ...own(holder) }),
  },
  {
    operation: "updateLearning",
    names: ["learningId"],
    kinds: everyKind,
    ask: (id, holder) => write("PATCH", `/v1/learnings/${id}`, { learning: "Taken over", ...own(holder) }),
  },
  {
    operation: "deleteLearning",
    names: ["learningId"],
    kinds: everyKind,
    ask: (id, holder) => ({ ...get(`/v1/learnings/${id}`, own(holder)), method: "DELETE" }),
  },
  {
    operation: "getRole",
    names: ["roleId"],
    kinds: everyKind,
    ask: (id, holder) => get(`/v1/roles/${id}`, own(holder)),
  },
  {
    operation: "updateRole",
    names: ["roleId"],
    kinds: everyKind,
    ask: (id, holder) => write("PATCH", `/v1/roles/${id}`, { name: "Taken over", ...own(holder) }),
  },
  {
    operation: "deleteRole",
    names: ["roleId"],
    kinds: everyKind,
    ask: (id, holder) => ({ ...get(`/v1/roles/${id}`, own(holder)), method: "DELETE" }),
  },
  {
    operation: "giveRole",
    names: ["roleId"],
    kinds: everyKind,
    ask: (id, holder) => write("POST", `/v1/roles/${id}/users`, { user_ids: ["u2"], ...own(holder) }),
  },
  {
    operation: "rotateKey",
    names: ["keyId"],
    kinds: everyKind,
    ask: (id) => write("POST", `/v1/keys/${id}/rotate`, {}),
  },
  {
    operation: "deleteKey",
    names: ["keyId"],
    kinds: everyKind,
    ask: (id) => ({ ...get(`/v1/keys/${id}`), method: "DELETE" }),
  },
  {
    operation: "createRole",
    names: ["roleId"],
    kinds: everyKind,
    ask: (duplicate_from, holder) =>
      write("POST", "/v1/roles", { name: "Copied", duplicate_from, ...own(holder) }),
  },
];

/** The member that all tenants have has no seat, and must not get one. */
const actionOn = (person: string, random: Random): string =>
  person === "u2" || person === shared.email ? "unassign" : oneOf(random, ["assign", "unassign"]);

const peopleSwaps: readonly Swap[] = [
  {
    operation: "createLearnings",
    names: ["repositoryId"],
    kinds: everyKind,
    mine: () => shared.repositoryId,
    ask: (first, holder, _, more) => ({
      method: "POST",
      target: "/v1/learnings",
      body: {
        data: [first, ...more].map((repository_id) => ({ repository_id, learning: shared.learning })),
        ...own(holder),
      },
    }),
  },
  {
    operation: "assignSeats",
    names: ["userId"],
    kinds: notWorkspace,
    mine: () => "u2",
    ask: (id, _, random, more) =>
      write("POST", "/v1/users/seats", { action: actionOn(id, random), user_ids: [id, ...more] }),
  },
  {
    operation: "assignSeats",
    names: ["email"],
    kinds: ["workspace"],
    mine: () => shared.email,
    ask: (email, _, random, more) =>
      write("POST", "/v1/users/seats", { action: actionOn(email, random), emails: [email, ...more] }),
  },
  {
    operation: "changeRoles",
    names: ["userId"],
    kinds: everyKind,
    mine: () => "u1",
    ask: (id, holder, _, more) =>
      write("POST", "/v1/users/roles", { role: "cr_admin", user_ids: [id, ...more], ...own(holder) }),
  },
];

const only =
  (...kinds: Kinds) =>
  (): Kinds =>
    kinds;

export const swaps: readonly Swap[] = [
  ...listSwaps(organizationNames, "org_id", only("workspace"), optional),
  ...listSwaps(["orgId"], "organization_ids", only("instance"), narrowed),
  ...listSwaps(["repositoryId"], "repository_ids", readersOf, [...metrics, "listLearnings"]),
  ...listSwaps(["repositoryId"], "repo_id", readersOf, ["listSecurityFindings"]),
  ...listSwaps(["userId"], "user_ids", readersOf, [...metrics, "listLearnings", "listAuditLogs"]),
  ...listSwaps(["word"], "search", readersOf, ["listLearnings", "listAuditLogs"]),
  ...listSwaps(["file"], "file", readersOf, ["listLearnings"]),
  ...listSwaps(["repositoryName"], "repository_name", only("user"), ["listLearnings"]),
  ...selectedSwaps,
  ...ignoredSwaps,
  ...thingSwaps,
  ...peopleSwaps,
];
