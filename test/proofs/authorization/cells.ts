import { isLong } from "../../support/volume.ts";
import type { Caller } from "./expected.ts";
import { hasBody, thingOf } from "./requests.ts";
import { qualified, type Selection, type Selector, selectionOf, selectors } from "./selectors.ts";
import { type Kind, kinds, type Role, type Row, roles, rows } from "./table.ts";
import { type MarkedOrganization, plans, type Tenant } from "./world.ts";

export type Cell = { readonly row: Row; readonly caller: Caller; readonly selection: Selection };

const kindsOf: Readonly<Record<Tenant["kind"], readonly Kind[]>> = {
  workspace: kinds.filter((kind) => kind !== "instance"),
  instance: kinds.filter((kind) => kind !== "workspace"),
  standalone: kinds.filter((kind) => kind !== "workspace" && kind !== "instance"),
};
export const kindsWithRole: readonly Kind[] = ["organization", "user", "instance"];
/** Keys of many organizations: the request's selection decides which organization they act on. */
export const wideKinds: readonly Kind[] = ["workspace", "instance"];
const narrowKinds = kinds.filter((kind) => !wideKinds.includes(kind));

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

function isPossible(row: Row, selector: Selector): boolean {
  // The body names the role to copy, and the schema sets no format for ids in a body.
  if (selector === "path provider id" && row.id === "createRole") return false;
  if (selector.startsWith("path ")) return !["key_id", "webhook_id", undefined].includes(thingOf(row));
  return selector !== "in the other place" || hasBody(row);
}

/** The long run takes every combination; the short run leaves out cells that another of its cells covers. */
export function cellsOf(tenant: Tenant, foreign: MarkedOrganization): Cell[] {
  const cells: Cell[] = [];
  for (const selector of selectors) {
    const selection = selectionOf(selector, tenant, foreign);
    if (!selection) continue;
    for (const caller of callersOf(tenant))
      for (const row of rows)
        if (isPossible(row, selector))
          cells.push({ row, caller, selection: withOwnOrgId(row, selection, tenant) });
  }
  return isLong ? cells : cells.filter(isInShortRun);
}

/** Every row with a list of its own area, of a foreign one, and with write for read or read for write. */
export function onlyCellsOf(tenant: Tenant, foreign: MarkedOrganization): Cell[] {
  const selection = selectionOf("none", tenant, foreign);
  if (!selection) return [];
  const cells = rows.flatMap((row) =>
    kindsOf[tenant.kind]
      .filter((kind) => row[kind] === "y" && kind !== "legacy" && kind !== "agentic")
      .flatMap((kind) =>
        listsOf(row).map((only): Cell => {
          const caller = { kind, tenant, role: "cr_admin", isOwnerAdmin: true, only } as const;
          return { row, caller, selection };
        }),
      ),
  );
  const candidates = kindsOf[tenant.kind].filter((kind) => kind !== "legacy" && kind !== "agentic");
  return isLong ? cells : cells.filter((cell) => isTurnOf(cell, candidates, 0));
}

const values = [...new Set(rows.map(({ only }) => only).filter((only) => only !== "-"))];

function listsOf({ only, id }: Row): string[][] {
  const [area = "", verb = ""] = only.split(":");
  const foreignOne = values.find((value) => !value.startsWith(`${area}:`)) ?? "";
  const others = values.filter((value) => !value.startsWith(`${area}:`));
  const other = `${area}:${verb === "read" ? "write" : "read"}`;
  return [
    [foreignOne],
    others,
    ...(only === "-" ? [] : [[only]]),
    ...(values.includes(other) ? [[other]] : []),
    ...(id === "createWebhook" ? [[only, "metrics:read"]] : []),
  ];
}

function isInShortRun(cell: Cell): boolean {
  const { home, other = home } = cell.caller.tenant;
  if (home !== other && home.providerId === other.providerId) return isAboutTwins(cell);
  if (home.plan !== other.plan) return isAboutMixedPlans(cell);
  if (home.plan !== "enterprise") return isAboutPlan(cell);
  return cell.selection.selector === "none" ? isAboutRole(cell) : isAboutSelection(cell);
}

/**
 * In an instance, every row with every kind of key and with every role; in other tenants, with the admin of one
 * accepted kind, in turn. All kinds of key look up a role in the same way, so each role is tried with one of them, in
 * turn; if only user keys need a permission, with user keys.
 */
function isAboutRole(cell: Cell): boolean {
  const { row, caller } = cell;
  const { kind, role, tenant } = caller;
  if (kind === "workspace") return true;
  if (tenant.kind === "instance") return role === "cr_admin" || kind === kindForRole(row, role);
  // Few operations accept agentic keys, so their turn would not come everywhere.
  if (kind === "agentic" && row.agentic === "y") return true;
  return role === "cr_admin" && isTurnOf(cell, narrowKinds, tenant.kind === "workspace" ? 0 : 1);
}

function kindForRole(row: Row, role: Role): Kind | undefined {
  const isOfUserKeys = row.needsOfUserKeys !== "-";
  const letIn = kindsWithRole.filter((kind) => row[kind] === "y" && (kind === "user" || !isOfUserKeys));
  return letIn[(rows.indexOf(row) + roles.indexOf(role)) % letIn.length];
}

/** Selectors that some keys must ignore, and that would show a mistake. */
export const forbiddenSelectors: readonly Selector[] = ["other in tenant", "foreign", "unauthorized", "ALL"];

function isAboutSelection(cell: Cell): boolean {
  const { row, caller, selection } = cell;
  const { kind, role, tenant, isOwnerAdmin } = caller;
  const { selector } = selection;
  if (!isOwnerAdmin) return selector === "ALL" && row.instanceActsOn === "named";
  if (role !== "cr_admin") return false;
  const isPath = selector.startsWith("path ");
  if (!wideKinds.includes(kind)) {
    const isTried = isPath || forbiddenSelectors.includes(selector) || selector === "organization_ids own";
    const turn = selectors.indexOf(selector);
    return tenant.kind === wideKindOfTurn(row, selector) && isTried && isTurnOf(cell, narrowKinds, turn);
  }
  if (isPath || selector === "in the other place") return true;
  if (selector === "organization_ids own") return kind === wideKindOfTurn(row, selector);
  if (selector.startsWith("organization_ids ")) return kind === "instance" && row.takesOrganizationIds;
  if (forbiddenSelectors.includes(selector))
    return kind === wideKindOfTurn(row, selector) || row.instanceActsOn === "named";
  return kind === "workspace"
    ? takesOrgId(row) && isSelectorsTurn(row, selector)
    : row.instanceActsOn === "named";
}

/** The same code resolves `org_id` for all rows: each row takes every third selector, in turn. */
function isSelectorsTurn(row: Row, selector: Selector): boolean {
  const alike = rows.filter(({ orgId }) => orgId === row.orgId);
  return (alike.indexOf(row) + selectors.indexOf(selector)) % 3 === 0;
}

/** Alternates between a workspace token and an instance key; only an instance key can lack an authorization. */
function wideKindOfTurn(row: Row, selector: Selector): Kind {
  const isInstances = (rows.indexOf(row) + selectors.indexOf(selector)) % 2 === 0;
  return isInstances || selector.includes("unauthorized") ? "instance" : "workspace";
}

/**
 * Every row in every kind of tenant. The plan is checked before the role, so instances send a key without the
 * permission.
 */
function isAboutPlan(cell: Cell): boolean {
  const { kind, role, tenant, isOwnerAdmin } = cell.caller;
  if (cell.selection.selector !== "none" || !isOwnerAdmin) return false;
  const wanted = tenant.kind === "instance" && kindsWithRole.includes(kind) ? "without" : "cr_admin";
  return role === wanted && isTurnOf(cell, kindsOf[tenant.kind], plans.indexOf(tenant.home.plan));
}

/** Takes turns among the kinds that the row accepts. */
function isTurnOf({ row, caller }: Cell, candidates: readonly Kind[], turn: number): boolean {
  const letIn = candidates.filter((kind) => row[kind] === "y");
  return letIn[(rows.indexOf(row) + turn) % letIn.length] === caller.kind;
}

const mixedSelectors: readonly Selector[] = [
  "none",
  "own",
  "other in tenant",
  "organization_ids own",
  "organization_ids other in tenant",
];

/** Organizations on other plans are left out, unless the request names one of them. */
function isAboutMixedPlans({ row, caller, selection: { selector } }: Cell): boolean {
  const { kind, role, isOwnerAdmin } = caller;
  if (!wideKinds.includes(kind) || row[kind] !== "y" || role !== "cr_admin" || !isOwnerAdmin) return false;
  if (!mixedSelectors.includes(selector)) return false;
  if (selector.startsWith("organization_ids ")) return kind === "instance" && row.takesOrganizationIds;
  if (kind === "workspace") return isSelectorsTurn(row, selector);
  return selector === "none" || row.instanceActsOn === "named";
}

const twinSelectors: readonly Selector[] = ["own", "provider:id", "provider:id of the other"];

function isAboutTwins({ row, caller, selection: { selector } }: Cell): boolean {
  const isWorkspace = caller.kind === "workspace" && caller.isOwnerAdmin;
  return isWorkspace && takesOrgId(row) && twinSelectors.includes(selector) && isSelectorsTurn(row, selector);
}

/** For workspace tokens. */
const takesOrgId = ({ workspace, orgId }: Row): boolean =>
  workspace === "y" && (orgId === "required" || orgId === "optional");

/** The resource in the path is looked up in an organization, which a workspace token must name. */
const withOwnOrgId = (row: Row, selection: Selection, { home }: Tenant): Selection =>
  selection.selector.startsWith("path ") && row.orgId === "required"
    ? { ...selection, orgId: qualified(home) }
    : selection;
