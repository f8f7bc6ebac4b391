import type { OrganizationItem } from "../store/items/organization.ts";
import type { Call } from "./exchange.ts";

/** For operations that always act on exactly one organization: selection has seen to that. */
export function onlyOrganization({ scope }: Pick<Call, "scope">): OrganizationItem {
  const [organization] = scope.organizations;
  if (!organization) throw new TypeError("The operation selects one organization.");
  return organization;
}
