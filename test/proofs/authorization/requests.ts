import { systemRandom } from "../../../lib/runtime/random.ts";
import type { Answer } from "../../support/api.ts";
import type { Selection, Selector } from "./selectors.ts";
import type { Kind, Row } from "./table.ts";
import { type MarkedOrganization, marksIn, siblingsMode, type Tenant } from "./world.ts";

export type Request = { readonly method: string; readonly target: string; readonly body?: object };

type Ask = {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly tenant: Tenant;
  /** Organizations whose people and repositories the request names: the answer shows where the request acted. */
  readonly candidates: readonly MarkedOrganization[];
};

type Recipe = {
  readonly method: string;
  readonly path: string | ((ask: Ask) => string);
  readonly query?: string | ((ask: Ask) => string);
  readonly body?: (ask: Ask) => object;
  /** The answer to an accepted call if it is not 200: a deterministic one that changes nothing. */
  readonly through?: readonly [status: number, code: string | null];
  /** The organizations that an answer shows; null if the answer does not show any. */
  readonly shows?: ((answer: Answer, ask: Ask) => readonly string[]) | null;
};

const window = "start_date=2026-11-01&end_date=2026-11-30";
const metrics = (name: string): Recipe => ({ method: "GET", path: `/v1/metrics/${name}`, query: window });
const rolePath = ({ selection: { pathText, pathOrganization } }: Ask) =>
  `/v1/roles/${pathText ?? pathOrganization?.roleId}`;
const learningPath = ({ selection: { pathText, pathOrganization } }: Ask) =>
  `/v1/learnings/${pathText ?? pathOrganization?.learningId}`;
/** Deletion is idempotent, so the request names a resource that must survive. */
const isOutOfReach = (kind: Kind, selector: Selector): boolean =>
  selector.startsWith("path ") && !(kind === "instance" && selector === "path other in tenant");
const isAll = ({ selection }: Ask) => selection.orgId?.toUpperCase() === "ALL";

const unknownKey = "kaaaaaaaaaaaaaaaa";

const recipes: Readonly<Record<string, Recipe>> = {
  listReviewCommentMetrics: metrics("review-comments"),
  listReviewMetrics: metrics("reviews"),
  listMcpMetrics: metrics("mcp"),
  listLearnings: { method: "GET", path: "/v1/learnings" },
  "listLearnings of a name": {
    method: "GET",
    path: "/v1/learnings",
    query: ({ tenant }) => `repository_name=group/${tenant.home.mark}`,
  },
  // Nothing waits for approval, so every accepted request gets an empty list.
  "listLearnings of pending": { method: "GET", path: "/v1/learnings", query: "state=pending", shows: null },
  createLearnings: {
    method: "POST",
    path: "/v1/learnings",
    body: ({ candidates }) => ({
      data: candidates.map(({ mark }) => ({ repository_id: `repo-${mark}`, learning: "One of all" })),
    }),
    shows: ({ json }, { candidates }) => createdIn(json, candidates),
  },
  getLearning: { method: "GET", path: learningPath },
  // Approves a Learning that is already approved: 200, and nothing changes.
  decideLearning: {
    method: "POST",
    path: (ask) => `${learningPath(ask)}/approval`,
    body: () => ({ decision: "approve" }),
  },
  updateLearning: {
    method: "PATCH",
    path: learningPath,
    body: ({ selection: { pathOrganization } }) => ({ learning: `Guidance of ${pathOrganization?.mark}` }),
  },
  deleteLearning: {
    method: "DELETE",
    path: ({ kind, selection: { selector, pathText, pathOrganization } }) =>
      `/v1/learnings/${pathText ?? (isOutOfReach(kind, selector) ? pathOrganization?.learningId : systemRandom.uuid())}`,
    through: [204, null],
    shows: null,
  },
  listOrganizations: { method: "GET", path: "/v1/organizations" },
  listRepositories: {
    method: "GET",
    path: ({ selection: { pathText, pathOrganization } }) =>
      `/v1/organizations/${pathText ?? pathOrganization?.uuid}/repositories`,
  },
  listUsers: { method: "GET", path: "/v1/users" },
  assignSeats: {
    method: "POST",
    path: "/v1/users/seats",
    body: ({ kind, candidates }) => ({
      action: "unassign",
      ...(kind === "workspace"
        ? { emails: candidates.map(({ mark }) => `m-${mark}@${mark}.test`) }
        : { user_ids: candidates.map(({ mark }) => `m-${mark}`) }),
    }),
    shows: ({ json }) => succeededIn(json),
  },
  getSeatAssignment: {
    method: "GET",
    path: "/v1/users/seats/assignment",
    // Only the home organization has another mode.
    shows: ({ json }, { tenant }) =>
      JSON.stringify(json) === `{"mode":"${siblingsMode}"}` ? [] : [tenant.home.mark],
  },
  setSeatAssignment: {
    method: "POST",
    path: "/v1/users/seats/assignment",
    body: () => ({ mode: siblingsMode }),
    // Every organization gives the same answer: the stored mode shows which one the request acted on.
    shows: null,
  },
  changeRoles: {
    method: "POST",
    path: "/v1/users/roles",
    // With ALL, "nobody" is a member nowhere: the failures list every organization that was tried.
    body: (ask) => ({
      role: "cr_member",
      user_ids: isAll(ask) ? ["nobody"] : ask.candidates.map(({ mark }) => `m-${mark}`),
    }),
    shows: ({ json, body }, ask) => (isAll(ask) ? marksIn(body.toString()) : succeededIn(json)),
  },
  listRoles: { method: "GET", path: "/v1/roles" },
  getRole: { method: "GET", path: rolePath },
  listPermissions: { method: "GET", path: "/v1/roles/permissions", shows: null },
  createRole: {
    method: "POST",
    path: "/v1/roles",
    // In the role's own organization its name is taken; elsewhere the name is free and the role does not exist.
    body: ({ selection: { pathText, pathOrganization } }) => ({
      name: `Role of ${pathOrganization?.mark ?? "nobody"}`,
      duplicate_from: pathText ?? pathOrganization?.roleId,
    }),
    through: [409, "ROLE_NAME_TAKEN"],
    shows: null,
  },
  updateRole: { method: "PATCH", path: rolePath, body: () => ({}) },
  deleteRole: { method: "DELETE", path: rolePath, through: [409, "ROLE_IN_USE"], shows: null },
  giveRole: {
    method: "POST",
    path: (ask) => `${rolePath(ask)}/users`,
    body: ({ candidates }) => ({ user_ids: candidates.map(({ mark }) => `m-${mark}`), dry_run: true }),
    shows: ({ json }) => succeededIn(json),
  },
  listAuditLogs: { method: "GET", path: "/v1/audit-logs", query: "actions=role.created" },
  listSecurityFindings: { method: "GET", path: "/v1/security/scans/code" },
  // Which keys exist depends on earlier cells: the tests of keys cover what the list shows.
  listKeys: { method: "GET", path: "/v1/keys", shows: null },
  rotateKey: {
    method: "POST",
    path: `/v1/keys/${unknownKey}/rotate`,
    body: () => ({}),
    through: [404, "KEY_NOT_FOUND"],
    shows: null,
  },
  deleteKey: {
    method: "DELETE",
    path: `/v1/keys/${unknownKey}`,
    through: [404, "KEY_NOT_FOUND"],
    shows: null,
  },
  whoami: { method: "GET", path: "/v1/whoami" },
};

const recipeOf = ({ operation }: Row): Recipe => {
  const recipe = recipes[operation];
  if (!recipe) throw new Error(`There is no request for ${operation}.`);
  return recipe;
};

export function requestOf(row: Row, ask: Ask): Request {
  const recipe = recipeOf(row);
  const { orgId, isMisplaced, organizationIds } = ask.selection;
  const query = new URLSearchParams(textOf(recipe.query, ask) ?? "");
  const inBody = recipe.body !== undefined && !isMisplaced;
  if (orgId !== undefined && !inBody) query.set("org_id", orgId);
  if (organizationIds !== undefined) query.set("organization_ids", organizationIds);
  const path = textOf(recipe.path, ask) ?? "";
  const target = query.size > 0 ? `${path}?${query}` : path;
  if (!recipe.body) return { method: recipe.method, target };
  const selected = orgId !== undefined && inBody ? { org_id: orgId } : {};
  return { method: recipe.method, target, body: { ...recipe.body(ask), ...selected } };
}

const textOf = (value: string | ((ask: Ask) => string) | undefined, ask: Ask): string | undefined =>
  typeof value === "function" ? value(ask) : value;

export const hasBody = (row: Row): boolean => recipeOf(row).body !== undefined;
export const throughOf = (row: Row): readonly [number, string | null] => recipeOf(row).through ?? [200, null];

/** The marks of the organizations that an answer shows. */
export function shownBy(row: Row, answer: Answer, ask: Ask): readonly string[] | null {
  const { shows } = recipeOf(row);
  if (shows === null) return null;
  return shows ? shows(answer, ask) : marksIn(answer.body.toString());
}

const succeededIn = (json: unknown): string[] => {
  const succeeded = typeof json === "object" && json !== null ? Reflect.get(json, "succeeded") : undefined;
  return marksIn(JSON.stringify(succeeded ?? []));
};

function createdIn(json: unknown, candidates: readonly MarkedOrganization[]): string[] {
  const results: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "results") : [];
  if (!Array.isArray(results)) return [];
  const isStored = (result: unknown) => !JSON.stringify(result).includes('"failed"');
  return candidates.filter((_, index) => isStored(results[index])).map(({ mark }) => mark);
}
