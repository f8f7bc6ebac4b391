import type { Chance } from "../../../lib/runtime/chance.ts";
import { type Branch, type Holder, type Own, shared } from "./shops.ts";

export type Request = { readonly method: string; readonly target: string; readonly body?: object };

/** Something of a tenant that a request can name. */
export type Named = Own & { readonly uuid: string; readonly learningId: string; readonly roleId: string };
export type NamedThing = keyof Named;

/** A request in which one name is swapped: for another tenant's, or for one that nobody has. */
export type Swap = {
  readonly operation: string;
  readonly names: NamedThing;
  readonly kinds: ReadonlyArray<Holder["kind"]>;
  /** It takes several names at once. */
  readonly isList?: true;
  /** Of several names, the last ones are for lists only. */
  ask(name: string, holder: Holder, chance: Chance, more: readonly string[]): Request;
};

const everyKind = ["organization", "user", "workspace", "instance"] as const;
const notWorkspace = ["organization", "user", "instance"] as const;
const window = "start_date=2026-11-01&end_date=2026-11-30";

const get = (path: string, query: Record<string, string | undefined> = {}): Request => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return { method: "GET", target: text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}` };
};

const idOf = ({ name }: Branch): string => name.provider_organization_id;
/** A workspace token must name one of its own organizations where others need name none. */
const own = ({ kind, branch }: Holder): { org_id?: string } =>
  kind === "workspace" ? { org_id: idOf(branch) } : {};
const oneOf = <Element>(chance: Chance, elements: readonly [Element, ...Element[]]): Element =>
  elements[chance.below(elements.length)] ?? elements[0];

const formats = ["json", "csv", "ndjson"] as const;
const lists = {
  listReviewCommentMetrics: () => `/v1/metrics/review-comments?${window}`,
  listReviewMetrics: (chance: Chance) => `/v1/metrics/reviews?${window}&format=${oneOf(chance, formats)}`,
  listMcpMetrics: () => `/v1/metrics/mcp?${window}`,
  listLearnings: (chance: Chance) => `/v1/learnings?format=${oneOf(chance, formats)}`,
  listAuditLogs: (chance: Chance) => `/v1/audit-logs?format=${oneOf(chance, formats)}`,
  listUsers: () => "/v1/users",
  listOrganizations: () => "/v1/organizations",
  listSecurityFindings: (chance: Chance) =>
    `/v1/security/scans/code?format=${oneOf(chance, ["json", "csv", "sarif"])}`,
} as const;
type List = keyof typeof lists;

const listSwaps = (
  names: NamedThing,
  parameter: string,
  kinds: Swap["kinds"],
  operations: readonly List[],
): Swap[] =>
  operations.map((operation) => ({
    operation,
    names,
    kinds,
    ...(parameter.endsWith("_ids") && { isList: true }),
    ask: (name, _, chance, more) => get(lists[operation](chance), { [parameter]: [name, ...more].join(",") }),
  }));

const metrics = ["listReviewCommentMetrics", "listReviewMetrics", "listMcpMetrics"] as const;
const optional = [...metrics, "listLearnings", "listUsers", "listAuditLogs"] as const;
const narrowed = [
  ...metrics,
  "listLearnings",
  "listAuditLogs",
  "listOrganizations",
  "listSecurityFindings",
] as const;

/** Operations on one organization, with everything but the organization well named. */
const selected: ReadonlyArray<{ operation: string; ask(orgId: string, holder: Holder): Request }> = [
  { operation: "listRoles", ask: (org_id) => get("/v1/roles", { org_id }) },
  { operation: "listPermissions", ask: (org_id) => get("/v1/roles/permissions", { org_id }) },
  { operation: "getRole", ask: (org_id) => get("/v1/roles/cr_admin", { org_id }) },
  {
    operation: "createRole",
    ask: (org_id) => ({ method: "POST", target: "/v1/roles", body: { name: "New", org_id } }),
  },
  {
    operation: "updateRole",
    ask: (org_id, { branch }) => ({
      method: "PATCH",
      target: `/v1/roles/${branch.roleIds[0]}`,
      body: { name: "New", org_id },
    }),
  },
  {
    operation: "deleteRole",
    ask: (org_id, { branch }) => ({
      ...get(`/v1/roles/${branch.roleIds[0]}`, { org_id }),
      method: "DELETE",
    }),
  },
  {
    operation: "createLearnings",
    ask: (org_id) => ({
      method: "POST",
      target: "/v1/learnings",
      body: { data: [{ repository_id: shared.repositoryId, learning: "New" }], org_id },
    }),
  },
  {
    operation: "updateLearning",
    ask: (org_id, { branch }) => ({
      method: "PATCH",
      target: `/v1/learnings/${branch.learningIds[0]}`,
      body: { learning: "New", org_id },
    }),
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
    ask: (org_id) => ({
      method: "POST",
      target: "/v1/users/roles",
      body: { role: "cr_member", user_ids: ["u2"], org_id },
    }),
  },
];

const selectedSwaps = (names: "orgId" | "uuid"): Swap[] =>
  selected.map(({ operation, ask }) => ({
    operation,
    names,
    kinds: operation === "changeRoles" ? ["workspace", "instance"] : ["workspace"],
    ask: (name, holder) => ask(name, holder),
  }));

const thingSwaps: readonly Swap[] = [
  {
    operation: "listRepositories",
    names: "uuid",
    kinds: everyKind,
    ask: (uuid) => get(`/v1/organizations/${uuid}/repositories`),
  },
  {
    operation: "updateLearning",
    names: "learningId",
    kinds: everyKind,
    ask: (id, holder) => ({
      method: "PATCH",
      target: `/v1/learnings/${id}`,
      body: { learning: "Taken over", ...own(holder) },
    }),
  },
  {
    operation: "deleteLearning",
    names: "learningId",
    kinds: everyKind,
    ask: (id, holder) => ({ ...get(`/v1/learnings/${id}`, own(holder)), method: "DELETE" }),
  },
  {
    operation: "getRole",
    names: "roleId",
    kinds: everyKind,
    ask: (id, holder) => get(`/v1/roles/${id}`, own(holder)),
  },
  {
    operation: "updateRole",
    names: "roleId",
    kinds: everyKind,
    ask: (id, holder) => ({
      method: "PATCH",
      target: `/v1/roles/${id}`,
      body: { name: "Taken over", ...own(holder) },
    }),
  },
  {
    operation: "deleteRole",
    names: "roleId",
    kinds: everyKind,
    ask: (id, holder) => ({ ...get(`/v1/roles/${id}`, own(holder)), method: "DELETE" }),
  },
  {
    operation: "createRole",
    names: "roleId",
    kinds: everyKind,
    ask: (duplicate_from, holder) => ({
      method: "POST",
      target: "/v1/roles",
      body: { name: "Copied", duplicate_from, ...own(holder) },
    }),
  },
];

const peopleSwaps: readonly Swap[] = [
  {
    operation: "createLearnings",
    names: "repositoryId",
    kinds: everyKind,
    isList: true,
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
    names: "userId",
    kinds: notWorkspace,
    isList: true,
    ask: (id, _, chance, more) => ({
      method: "POST",
      target: "/v1/users/seats",
      body: { action: oneOf(chance, ["assign", "unassign"]), user_ids: [id, ...more] },
    }),
  },
  {
    operation: "assignSeats",
    names: "email",
    kinds: ["workspace"],
    isList: true,
    ask: (email, _, chance, more) => ({
      method: "POST",
      target: "/v1/users/seats",
      body: { action: oneOf(chance, ["assign", "unassign"]), emails: [email, ...more] },
    }),
  },
  {
    operation: "changeRoles",
    names: "userId",
    kinds: everyKind,
    isList: true,
    ask: (id, holder, _, more) => ({
      method: "POST",
      target: "/v1/users/roles",
      body: { role: "cr_admin", user_ids: [id, ...more], ...own(holder) },
    }),
  },
];

export const swaps: readonly Swap[] = [
  ...listSwaps("orgId", "org_id", ["workspace"], optional),
  ...listSwaps("uuid", "org_id", ["workspace"], optional),
  ...listSwaps("orgId", "organization_ids", ["instance"], narrowed),
  ...listSwaps("repositoryId", "repository_ids", everyKind, [...metrics, "listLearnings"]),
  ...listSwaps("repositoryId", "repo_id", notWorkspace, ["listSecurityFindings"]),
  ...listSwaps("userId", "user_ids", everyKind, [...metrics, "listLearnings", "listAuditLogs"]),
  ...listSwaps("word", "search", everyKind, ["listLearnings", "listAuditLogs"]),
  ...listSwaps("file", "file", everyKind, ["listLearnings"]),
  ...listSwaps("repositoryName", "repository_name", ["user"], ["listLearnings"]),
  ...selectedSwaps("orgId"),
  ...selectedSwaps("uuid"),
  ...thingSwaps,
  ...peopleSwaps,
];

/** Requests that mean something in every tenant: each must see its own, and only its own. */
export const collisions: ReadonlyArray<
  Omit<Swap, "names" | "ask"> & { ask(holder: Holder, chance: Chance): Request }
> = [
  ...(Object.keys(lists) as List[]).flatMap((operation) => {
    const kinds = operation === "listSecurityFindings" ? notWorkspace : everyKind;
    return { operation, kinds, ask: (_: Holder, chance: Chance) => get(lists[operation](chance)) };
  }),
  ...metrics.map((operation) => ({
    operation,
    kinds: everyKind,
    ask: (_: Holder, chance: Chance) =>
      get(lists[operation](chance), { repository_ids: shared.repositoryId, user_ids: "u1" }),
  })),
  {
    operation: "listLearnings",
    kinds: ["user"],
    ask: (_, chance) => get(lists.listLearnings(chance), { repository_name: shared.repositoryName }),
  },
  {
    operation: "listLearnings",
    kinds: everyKind,
    ask: (_, chance) =>
      get(lists.listLearnings(chance), { file: shared.file, user_ids: "u1", search: "mind" }),
  },
  {
    operation: "listSecurityFindings",
    kinds: notWorkspace,
    ask: (_, chance) => get(lists.listSecurityFindings(chance), { repo_id: shared.repositoryId }),
  },
  { operation: "listUsers", kinds: ["workspace"], ask: () => get("/v1/users", { org_id: shared.orgIds[0] }) },
  { operation: "listRoles", kinds: everyKind, ask: (holder) => get("/v1/roles", own(holder)) },
  {
    operation: "listRepositories",
    kinds: everyKind,
    ask: ({ branch }) => get(`/v1/organizations/${branch.uuid}/repositories`),
  },
  { operation: "whoami", kinds: everyKind, ask: () => get("/v1/whoami") },
];
