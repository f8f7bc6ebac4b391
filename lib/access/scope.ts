import type { KeyKind } from "../contract/access.ts";
import { ApiError } from "../contract/api-error.ts";
import type { Operation } from "../contract/operation.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { ScopeFollowUp } from "./follow-scope.ts";
import type { Principal } from "./principal.ts";

/** The organizations one request acts on. */
export type Scope = {
  readonly organizations: readonly OrganizationItem[];
  /** What was selected, in the form that a cursor stores: one organization, some, or all that the key can reach. */
  readonly selector: string;
  /** The changes of the scope that a walk over several organizations has not handled yet. */
  readonly following?: ScopeFollowUp;
  /** A workspace token that walks several organizations: UUIDs of all organizations of the workspace. */
  readonly inTenant?: ReadonlySet<string>;
  /** Organizations that moved away since the cursor was made: their audit entries stay, and some were not visible before. */
  readonly movedAway?: ReadonlyArray<{ readonly uuid: string }>;
};

/** A single organization is read or refused, never left out. Only a scope of several organizations can change. */
export const coversSeveral = ({ selector }: Scope): boolean => !selector.startsWith("one:");

export type Selection = {
  /** `org_id`, from where this operation takes it. */
  readonly orgId?: string | undefined;
  /** `organization_ids`, if the operation has this parameter. */
  readonly organizationIds?: readonly string[] | undefined;
  /** An organization named in the path, by its UUID. */
  readonly organizationUuid?: string | undefined;
};

/** Whether `org_id` decides anything for this kind of key. */
export const readsOrgId = ({ organization, instanceScope }: Operation, kind: KeyKind): boolean =>
  kind === "workspace" ? organization !== "ignored" : kind === "instance" && instanceScope === "named";

/** Where `ALL` is accepted, `org_id` is checked for every key (docs/use/keys.md); else only for keys that read it. */
export const checksOrgId = (operation: Operation, kind: KeyKind): boolean =>
  operation.instanceScope === "named" || readsOrgId(operation, kind);

export type ScopeOptions = {
  /** A walk continues after its organizations have left, one after another, to report that they left. */
  readonly mayBeEmpty?: boolean;
};

export function selectOrganizations(
  operation: Operation,
  principal: Principal,
  selection: Selection,
  options: ScopeOptions = {},
): Scope {
  if (selection.organizationIds && principal.key.kind !== "instance") {
    throw new ApiError(
      "INVALID_REQUEST",
      "organization_ids: is for instance keys only; leave it out with this key.",
    );
  }
  checkAllIsAllowed(operation, principal, selection.orgId);
  const scope = scopeByKind(operation, principal, selection, options);
  return selection.organizationUuid === undefined ? scope : narrowToPath(scope, selection.organizationUuid);
}

function scopeByKind(
  operation: Operation,
  principal: Principal,
  selection: Selection,
  options: ScopeOptions,
): Scope {
  if (principal.key.kind === "workspace") return workspaceScope(operation, principal, selection.orgId);
  if (principal.key.kind !== "instance") return one(principal.home);
  return operation.instanceScope === "named"
    ? namedScope(principal, selection.orgId)
    : instanceScope(operation, principal, selection.organizationIds, options);
}

const isAll = (orgId: unknown): boolean => typeof orgId === "string" && orgId.toUpperCase() === "ALL";

/** `ALL` is valid for instance keys only, and only on operations where they may name organizations. */
export function checkAllIsAllowed(operation: Operation, { key }: Principal, orgId: unknown): void {
  if (operation.instanceScope === "named" && isAll(orgId) && key.kind !== "instance") {
    throw new ApiError("INVALID_REQUEST", "org_id: ALL is for self-hosted instance keys only.");
  }
}

function namedScope(principal: Principal, orgId: string | undefined): Scope {
  if (orgId === undefined) return homeScope(principal);
  if (isAll(orgId)) return all(principal.organizations);
  if (principal.forbiddenOrganizations.some((organization) => isNamed(organization, orgId))) {
    throw new ApiError("ORGANIZATION_FORBIDDEN", `org_id: the key is not authorized for ${orgId}.`);
  }
  return one(organizationNamed(principal.organizations, orgId));
}

/** No key is created whose list leaves out its home. If a list does, the key cannot act there. */
function homeScope({ home, forbiddenOrganizations }: Principal): Scope {
  const forbidden = forbiddenOrganizations.find(({ uuid }) => uuid === home?.uuid);
  if (!forbidden) return one(home);
  throw new ApiError(
    "ORGANIZATION_FORBIDDEN",
    `The key is not authorized for its home organization ${forbidden.provider_organization_id}, which this operation ` +
      "acts on. Create a key whose authorized organizations contain its home.",
  );
}

function workspaceScope(operation: Operation, principal: Principal, orgId: string | undefined): Scope {
  if (operation.organization === "ignored") return all(principal.organizations);
  if (orgId === undefined) {
    if (operation.organization !== "required") return all(principal.organizations);
    const place = operation.body ? "body" : "query string";
    throw new ApiError(
      "ORG_ID_REQUIRED",
      `A workspace token must name one organization: put its provider_organization_id as org_id in the ${place}.`,
    );
  }
  if (operation.organization === "refused") {
    throw new ApiError(
      "INVALID_REQUEST",
      "org_id: must not be sent with a workspace token on this operation.",
    );
  }
  return one(organizationNamed(principal.organizations, orgId));
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isNamed = ({ provider, provider_organization_id: id }: OrganizationItem, orgId: string): boolean =>
  id === orgId || `${provider}:${id}` === orgId;

/** Finds an organization by provider id, or by `provider:id` if two providers of a workspace use the same id. */
export function organizationNamed(
  organizations: readonly OrganizationItem[],
  orgId: string,
): OrganizationItem {
  const matches = organizations.filter((organization) => isNamed(organization, orgId));
  const [match] = matches;
  if (matches.length > 1) {
    const names = matches.map(({ provider, provider_organization_id: id }) => `${provider}:${id}`).join(", ");
    throw new ApiError("INVALID_REQUEST", `org_id: names several organizations; use one of: ${names}.`);
  }
  // Checks only the form, so that the message does not reveal what exists.
  if (!match && uuidForm.test(orgId)) {
    throw new ApiError(
      "ORGANIZATION_NOT_FOUND",
      "No organization matches org_id. It looks like a service UUID: use provider_organization_id.",
    );
  }
  if (!match)
    throw new ApiError(
      "ORGANIZATION_NOT_FOUND",
      "No active organization in the key's scope has this org_id. Send its provider_organization_id.",
    );
  return match;
}

function instanceScope(
  operation: Operation,
  principal: Principal,
  organizationIds: readonly string[] | undefined,
  { mayBeEmpty = false }: ScopeOptions,
): Scope {
  if (operation.instanceScope === "home") return homeScope(principal);
  if (!organizationIds) return all(principal.organizations);
  const wanted = new Set(organizationIds);
  const isWanted = ({ provider_organization_id: id }: OrganizationItem) => wanted.has(id);
  const forbidden = principal.forbiddenOrganizations.find(isWanted);
  if (forbidden) {
    throw new ApiError(
      "ORGANIZATION_FORBIDDEN",
      `organization_ids: the key is not authorized for ${forbidden.provider_organization_id}.`,
    );
  }
  const organizations = principal.organizations.filter(isWanted);
  if (organizations.length === 0 && !mayBeEmpty) {
    throw new ApiError(
      "ORGANIZATION_NOT_FOUND",
      "organization_ids: matches no active organization of the instance.",
    );
  }
  return { organizations, selector: `some:${[...wanted].sort().join(",")}` };
}

function narrowToPath({ organizations }: Scope, uuid: string): Scope {
  const organization = organizations.find((candidate) => candidate.uuid === uuid);
  if (!organization) {
    throw new ApiError("ORGANIZATION_NOT_FOUND", "The key can see no active organization with this id.");
  }
  return one(organization);
}

const all = (organizations: readonly OrganizationItem[]): Scope => ({ organizations, selector: "all" });

function one(organization: OrganizationItem | null): Scope {
  if (!organization) throw new TypeError("This kind of key has no organization of its own.");
  return { organizations: [organization], selector: `one:${organization.uuid}` };
}

/** For operations that always act on exactly one organization: `selectOrganizations` has made sure of that. */
export function onlyOrganization({
  scope,
}: {
  readonly scope: Pick<Scope, "organizations" | "selector">;
}): OrganizationItem {
  const [organization] = scope.organizations;
  if (!organization) throw new TypeError("The operation selects one organization.");
  return organization;
}
