import type { Principal } from "../access/principal.ts";
import type { Scope } from "../access/scope.ts";
import { isWorkspaceTenant, type WorkspaceTenant } from "../contract/tenants.ts";
import type { OrganizationItem } from "../store/items/organization.ts";

/** What decides whose seats a call is about. */
export type SeatScope = {
  readonly principal: Pick<Principal, "tenant">;
  readonly scope: Pick<Scope, "organizations" | "selector">;
};

export type Workspace = {
  readonly tenant: WorkspaceTenant;
  /** Of a key: active organizations on the plan; only their members can be given a seat. */
  readonly organizations: readonly OrganizationItem[];
};

/** Undefined for a call about one organization. */
export const wholeWorkspace = ({ principal: { tenant }, scope }: SeatScope): Workspace | undefined =>
  scope.selector === "all" && isWorkspaceTenant(tenant)
    ? { tenant, organizations: scope.organizations }
    : undefined;
