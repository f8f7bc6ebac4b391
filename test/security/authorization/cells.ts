import { isLong } from "../../support/volume.ts";
import type { Caller } from "./expected.ts";
import { hasBody } from "./requests.ts";
import { type Selection, type Selector, selectionOf, selectors } from "./selectors.ts";
import { type Kind, type Role, type Row, roles, rows } from "./table.ts";
import type { Place, Tenant } from "./world.ts";

export type Cell = { readonly row: Row; readonly caller: Caller; readonly selection: Selection };

const kindsOf: Readonly<Record<Tenant["kind"], readonly Kind[]>> = {
  workspace: ["organization", "user", "workspace", "legacy", "agentic"],
  instance: ["organization", "user", "instance"],
  standalone: ["organization", "user", "legacy", "agentic"],
};
const kindsWithRole: readonly Kind[] = ["organization", "user", "instance"];

/** Every caller of a tenant: kinds, each with the roles that such a key can have. */
function callersOf(tenant: Tenant): Caller[] {
  return kindsOf[tenant.kind].flatMap((kind) => {
    const ownRoles: readonly Role[] = kindsWithRole.includes(kind) ? roles : ["cr_admin"];
    const callers = ownRoles.map((role) => ({ kind, tenant, role, isOwnerAdmin: true }));
    return kind === "workspace"
      ? [...callers, ...callers.map((each) => ({ ...each, isOwnerAdmin: false }))]
      : callers;
  });
}

/** Selectors that keys of one organization are tried with in the short run: they must change nothing. */
const ignoredSelectors: readonly Selector[] = ["foreign", "UUID form", "ALL", "organization_ids own"];
/** And those that decide for keys of many organizations, where the plan is in question too. */
const planSelectors: readonly Selector[] = [
  "own",
  "other in tenant",
  "foreign",
  "organization_ids other in tenant",
];

/**
 * The long run takes the whole product. The short one takes of it every role for requests that select nothing,
 * and every selector for the admins of Enterprise tenants whose keys it decides about.
 */
function isChosen({ kind, role, tenant, isOwnerAdmin }: Caller, selector: Selector): boolean {
  if (isLong) return true;
  const isEnterprise = tenant.id.includes("enterprise");
  if (selector === "none") return isEnterprise || role === "cr_admin" || role === "without";
  if (!isOwnerAdmin) return isEnterprise && selector === "ALL";
  if (role !== "cr_admin") return false;
  if (kind === "workspace" || kind === "instance") return isEnterprise || planSelectors.includes(selector);
  return isEnterprise && (ignoredSelectors.includes(selector) || selector.startsWith("path "));
}

const rowsWithThingsInPath = new Set([
  "listRepositories",
  "updateLearning",
  "deleteLearning",
  "getRole",
  "updateRole",
]);

function isPossible(row: Row, selector: Selector): boolean {
  if (selector.startsWith("path ")) return rowsWithThingsInPath.has(row.id);
  return selector !== "in the other place" || hasBody(row);
}

export function cellsOf(tenant: Tenant, foreign: Place): Cell[] {
  const cells: Cell[] = [];
  for (const selector of selectors) {
    const selection = selectionOf(selector, tenant, foreign);
    if (!selection) continue;
    for (const caller of callersOf(tenant).filter((each) => isChosen(each, selector)))
      for (const row of rows)
        if (isPossible(row, selector))
          cells.push({ row, caller, selection: withOwnOrgId(row, selection, tenant) });
  }
  return isLong ? cells : cells.filter(isSampled);
}

/** Shares no factor with the number of rows, so that every row, kind, role and selector comes up. */
const sampledEvery = 5;

/** Of the rest of a short run every fifth, in a fixed order; every row by every kind of an Enterprise tenant. */
const isSampled = ({ caller, selection }: Cell, index: number): boolean =>
  index % sampledEvery === 0 ||
  (selection.selector === "none" && caller.role === "cr_admin" && caller.tenant.id.includes("enterprise"));

/** What is named in the path is looked for in an organization that a workspace token must name. */
const withOwnOrgId = (row: Row, selection: Selection, { home }: Tenant): Selection =>
  selection.selector.startsWith("path ") && row.orgId === "required"
    ? { ...selection, orgId: home.mark }
    : selection;
