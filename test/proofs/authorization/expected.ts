import { hasBody, thingOf, throughOf } from "./requests.ts";
import { qualified, type Selection } from "./selectors.ts";
import { type Kind, type Role, type Row, roleAllows } from "./table.ts";
import { type MarkedOrganization, reachedOf, type Tenant } from "./world.ts";

export type Caller = {
  readonly kind: Kind;
  readonly tenant: Tenant;
  readonly role: Role;
  /** For a workspace token. */
  readonly isOwnerAdmin: boolean;
  /** Of a narrow key. */
  readonly only?: readonly string[];
};

export type Expected = {
  readonly status: number;
  readonly code: string | null;
  /** The request passed every check, so it counts in a rate-limit window and the headers say so. */
  readonly isAdmitted: boolean;
  /** The organizations whose data the answer shows; undefined if it shows none. */
  readonly organizations?: readonly MarkedOrganization[];
};

const refused = (status: number, code: string): Expected => ({ status, code, isAdmitted: false });

/**
 * The first failed check decides the answer, in the order of "Errors" in docs/use/limits.md. Every request is well formed
 * except for its selection.
 */
export function expectedOf(row: Row, caller: Caller, selection: Selection): Expected {
  return (
    checkKind(row, caller, selection) ??
    checkOnly(row, caller) ??
    checkShape(row, selection) ??
    checkSelection(row, caller, selection) ??
    checkPlan(row, scopeOf(row, caller, selection)) ??
    checkRole(row, caller) ??
    letThrough(row, caller, selection)
  );
}

const isAll = ({ orgId }: Selection): boolean => orgId?.toUpperCase() === "ALL";
const namesAll = (row: Row, selection: Selection): boolean =>
  row.id === "changeRoles" && isAll(selection) && !selection.isMisplaced;

function checkKind(row: Row, caller: Caller, selection: Selection): Expected | undefined {
  const verdict = row[caller.kind];
  if (caller.kind === "legacy" && namesAll(row, selection)) return refused(400, "INVALID_REQUEST");
  if (verdict === "410") return refused(410, "LEGACY_API_KEY");
  if (verdict === "403") return refused(403, "KEY_TYPE_FORBIDDEN");
  return caller.isOwnerAdmin ? undefined : refused(403, "WORKSPACE_ADMIN_REQUIRED");
}

/** The right to change something includes the right to read it. */
function checkOnly({ only: needed }: Row, { only }: Caller): Expected | undefined {
  if (!only || needed === "-") return undefined;
  const isIn = only.includes(needed) || only.includes(needed.replace("read", "write"));
  return isIn ? undefined : refused(403, "KEY_LIMITED");
}

/** A parameter that the operation does not know, or a provider id in place of a UUID. */
function checkShape(row: Row, { organizationIds, selector }: Selection): Expected | undefined {
  if (organizationIds !== undefined && !row.takesOrganizationIds) return refused(400, "INVALID_REQUEST");
  return selector === "path provider id" ? refused(400, "INVALID_REQUEST") : undefined;
}

function checkSelection(row: Row, caller: Caller, selection: Selection): Expected | undefined {
  const { kind, tenant } = caller;
  const { orgId, organizationIds, isMisplaced } = selection;
  if (organizationIds !== undefined && kind !== "instance") return refused(400, "INVALID_REQUEST");
  if (namesAll(row, selection) && kind !== "instance") return refused(400, "INVALID_REQUEST");
  if (kind === "workspace") {
    if (row.orgId === "refused" && orgId !== undefined) return refused(400, "INVALID_REQUEST");
    const isGiven = orgId !== undefined && !(isMisplaced && hasBody(row));
    if (row.orgId === "required" && !isGiven) return refused(400, "ORG_ID_REQUIRED");
    if (row.orgId === "optional" && isMisplaced && hasBody(row)) return refused(400, "INVALID_REQUEST");
    const isUsed = row.orgId === "required" || row.orgId === "optional";
    if (isUsed && isGiven) {
      const { length } = named(tenant, orgId);
      if (length === 0) return refused(404, "ORGANIZATION_NOT_FOUND");
      if (length > 1) return refused(400, "INVALID_REQUEST");
    }
  }
  if (kind === "instance" && row.instanceActsOn === "named" && orgId !== undefined) {
    if (isMisplaced) return refused(400, "INVALID_REQUEST");
    if (orgId === tenant.unauthorized?.providerId) return refused(403, "ORGANIZATION_FORBIDDEN");
    if (!isAll(selection) && named(tenant, orgId).length === 0) return refused(404, "ORGANIZATION_NOT_FOUND");
  }
  if (organizationIds !== undefined) {
    const wanted = organizationIds.split(",");
    if (wanted.includes(tenant.unauthorized?.providerId ?? "")) return refused(403, "ORGANIZATION_FORBIDDEN");
    if (!wanted.some((id) => named(tenant, id).length > 0)) return refused(404, "ORGANIZATION_NOT_FOUND");
  }
  const isPath =
    row.id === "listRepositories" &&
    !reachOf(caller).some((organization) => organization === selection.pathOrganization);
  return isPath ? refused(404, "ORGANIZATION_NOT_FOUND") : undefined;
}

/** The active organizations of the tenant that an `org_id` can match: one, none, or twins. */
const named = (tenant: Tenant, orgId: string): readonly MarkedOrganization[] =>
  reachedOf(tenant).filter(
    (organization) => organization.providerId === orgId || qualified(organization) === orgId,
  );

/** Every organization that the key can reach. */
const reachOf = ({ kind, tenant }: Caller): readonly MarkedOrganization[] =>
  kind === "workspace" || kind === "instance" ? reachedOf(tenant) : [tenant.home];

/** The organizations that a request acts on, before those on other plans are left out. */
function scopeOf(row: Row, caller: Caller, selection: Selection): readonly MarkedOrganization[] {
  const { kind, tenant } = caller;
  const { orgId, organizationIds, pathOrganization, isMisplaced } = selection;
  const reach = reachOf(caller);
  if (row.id === "listRepositories") return reach.filter((organization) => organization === pathOrganization);
  const [one] = orgId === undefined || isMisplaced ? [] : named(tenant, orgId);
  if (kind === "workspace" && row.orgId !== "ignored" && one) return [one];
  if (kind === "instance") {
    if (row.instanceActsOn === "home") return [tenant.home];
    if (row.instanceActsOn === "named") return isAll(selection) ? reach : [one ?? tenant.home];
    if (organizationIds !== undefined)
      return reach.filter((organization) => organizationIds.split(",").includes(organization.providerId));
  }
  return reach;
}

function checkPlan(row: Row, scope: readonly MarkedOrganization[]): Expected | undefined {
  const isSeatAssignment = row.id === "getSeatAssignment" || row.id === "setSeatAssignment";
  if (isSeatAssignment && scope[0]?.name.instance_id === null) return refused(403, "SELF_HOSTED_ONLY");
  if (row.plan === "every" || scope.some(({ plan }) => plan === "enterprise")) return undefined;
  return refused(403, "ENTERPRISE_PLAN_REQUIRED");
}

function checkRole(row: Row, { kind, role }: Caller): Expected | undefined {
  // A workspace token has admin rights; a legacy key has no role and needs none where it is accepted.
  if (kind === "workspace" || kind === "legacy") return undefined;
  const needed = kind === "user" && row.needsOfUserKeys !== "-" ? row.needsOfUserKeys : row.needs;
  if (roleAllows(role, needed)) return undefined;
  return needed === "Admin" ? refused(403, "NOT_ADMIN") : refused(403, "PERMISSION_DENIED");
}

/** Deletion of a Learning is idempotent; keys are looked up where the key itself belongs. */
const missingCodes: Readonly<Record<string, string>> = {
  learning_id: "LEARNING_NOT_FOUND",
  role_id: "ROLE_NOT_FOUND",
};

/** The seats of a workspace are one pool for all its people. */
const isWholePool = (row: Row, { kind }: Caller): boolean => row.id === "assignSeats" && kind === "workspace";

function letThrough(row: Row, caller: Caller, selection: Selection): Expected {
  const scope = scopeOf(row, caller, selection);
  const isNarrowed = row.plan === "enterprise" && !isWholePool(row, caller);
  const organizations = isNarrowed ? scope.filter(({ plan }) => plan === "enterprise") : scope;
  const missing = row.id === "deleteLearning" ? undefined : missingCodes[thingOf(row) ?? ""];
  const isThere = organizations.some((organization) => organization === selection.pathOrganization);
  if (missing && !isThere) return { status: 404, code: missing, isAdmitted: true };
  // The webhook would tell of metrics.
  if (row.id === "createWebhook" && caller.only && !caller.only.includes("metrics:read"))
    return refused(403, "KEY_LIMITED");
  const [status, code] = throughOf(row);
  const shown = missing
    ? organizations.filter((organization) => organization === selection.pathOrganization)
    : organizations;
  return { status, code, isAdmitted: true, organizations: shown };
}
