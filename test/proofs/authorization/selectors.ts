import { systemRandom } from "../../../lib/runtime/random.ts";
import type { MarkedOrganization, Tenant } from "./world.ts";

/** How a request names organizations; which of them exist depends on the tenant. */
export const selectors = [
  "none",
  "own",
  "other in tenant",
  "foreign",
  "inactive",
  "unauthorized",
  "unauthorized and inactive",
  "unknown",
  "UUID form",
  "ALL",
  "all in small letters",
  "provider:id",
  "provider:id of the other",
  "in the other place",
  "organization_ids own",
  "organization_ids other in tenant",
  "organization_ids own and unknown",
  "organization_ids own and inactive",
  "organization_ids own and unauthorized",
  "organization_ids foreign",
  "organization_ids inactive",
  "organization_ids unauthorized",
  "organization_ids unauthorized and inactive",
  "organization_ids unknown",
  "path other in tenant",
  "path foreign",
  "path inactive",
  "path unauthorized",
  "path unauthorized and inactive",
  "path unknown",
  "path provider id",
] as const;
export type Selector = (typeof selectors)[number];

export type Selection = {
  readonly selector: Selector;
  /** The value sent as `org_id`. */
  readonly orgId?: string;
  /** Sent in the query of an operation that takes it in the body. */
  readonly isMisplaced?: boolean;
  readonly organizationIds?: string;
  /** The organization in the path, or the one that the resource in the path belongs to. */
  readonly pathOrganization: MarkedOrganization | undefined;
  readonly pathText?: string;
};

const unknownId = "nowhere";

/** An `org_id` that two providers of a workspace both use. */
export const qualified = ({ name, providerId }: MarkedOrganization): string =>
  `${name.provider}:${providerId}`;

/** Undefined if the tenant has no such organization. */
export function selectionOf(
  selector: Selector,
  tenant: Tenant,
  foreign: MarkedOrganization,
): Selection | undefined {
  const { home, other, inactive, unauthorized, unauthorizedInactive } = tenant;
  const organizations: Readonly<Record<string, MarkedOrganization | undefined>> = {
    own: home,
    "other in tenant": other,
    foreign,
    inactive,
    unauthorized,
    "unauthorized and inactive": unauthorizedInactive,
  };
  const plain = { selector, pathOrganization: home };
  if (selector.startsWith("organization_ids ")) {
    const [, first, second] = /^organization_ids (own and )?(.+)$/.exec(selector) ?? [];
    const last = second === "unknown" ? unknownId : organizations[second ?? ""]?.providerId;
    return last === undefined
      ? undefined
      : { ...plain, organizationIds: first ? `${home.providerId},${last}` : last };
  }
  if (selector.startsWith("path ")) {
    if (selector === "path unknown")
      return { selector, pathOrganization: undefined, pathText: systemRandom.uuid() };
    if (selector === "path provider id")
      return { selector, pathOrganization: undefined, pathText: home.providerId };
    const organization = organizations[selector.slice("path ".length)];
    return organization && { selector, pathOrganization: organization };
  }
  return orgIdSelection(selector, tenant, organizations);
}

function orgIdSelection(
  selector: Selector,
  { home, other }: Tenant,
  organizations: Readonly<Record<string, MarkedOrganization | undefined>>,
): Selection | undefined {
  const plain = { selector, pathOrganization: home };
  switch (selector) {
    case "none":
      return plain;
    case "unknown":
      return { ...plain, orgId: unknownId };
    case "UUID form":
      return { ...plain, orgId: home.uuid };
    case "ALL":
      return { ...plain, orgId: "ALL" };
    case "all in small letters":
      return { ...plain, orgId: "all" };
    case "provider:id":
      return { ...plain, orgId: qualified(home) };
    case "provider:id of the other":
      return other && { selector, orgId: qualified(other), pathOrganization: other };
    case "in the other place":
      return { ...plain, orgId: home.providerId, isMisplaced: true };
    default: {
      const organization = organizations[selector];
      return (
        organization && {
          selector,
          orgId: organization.providerId,
          pathOrganization: selector === "other in tenant" ? organization : home,
        }
      );
    }
  }
}
