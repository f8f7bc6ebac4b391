import { systemChance } from "../../../lib/runtime/chance.ts";
import type { Place, Tenant } from "./world.ts";

/** How a request names organizations; which of them exist depends on the tenant. */
export const selectors = [
  "none",
  "own",
  "other in tenant",
  "foreign",
  "inactive",
  "unauthorized",
  "unknown",
  "UUID form",
  "ALL",
  "all in small letters",
  "provider:id",
  "in the other place",
  "organization_ids own",
  "organization_ids other in tenant",
  "organization_ids own and unknown",
  "organization_ids foreign",
  "organization_ids inactive",
  "organization_ids unauthorized",
  "organization_ids unknown",
  "path other in tenant",
  "path foreign",
  "path inactive",
  "path unauthorized",
  "path unknown",
  "path provider id",
] as const;
export type Selector = (typeof selectors)[number];

export type Selection = {
  readonly selector: Selector;
  /** What is sent as `org_id`. */
  readonly orgId?: string;
  /** Sent in the query of an operation that takes it in the body. */
  readonly isMisplaced?: boolean;
  readonly organizationIds?: string;
  /** The organization that the path or the thing in the path belongs to. */
  readonly pathPlace: Place | undefined;
  readonly pathText?: string;
};

const unknownId = "nowhere";

/** Undefined where the tenant has no such organization. */
export function selectionOf(selector: Selector, tenant: Tenant, foreign: Place): Selection | undefined {
  const { home, other, inactive, unauthorized } = tenant;
  const places: Readonly<Record<string, Place | undefined>> = {
    own: home,
    "other in tenant": other,
    foreign,
    inactive,
    unauthorized,
  };
  const chosen = (prefix: string) => places[selector.slice(prefix.length)];
  const plain = { selector, pathPlace: home };
  if (selector.startsWith("organization_ids ")) {
    if (selector.endsWith(" own and unknown"))
      return { ...plain, organizationIds: `${home.mark},${unknownId}` };
    if (selector.endsWith(" unknown")) return { ...plain, organizationIds: unknownId };
    const place = chosen("organization_ids ");
    return place && { ...plain, organizationIds: place.mark };
  }
  if (selector.startsWith("path ")) {
    if (selector === "path unknown") return { selector, pathPlace: undefined, pathText: systemChance.uuid() };
    if (selector === "path provider id") return { selector, pathPlace: undefined, pathText: home.mark };
    const place = chosen("path ");
    return place && { selector, pathPlace: place };
  }
  return orgIdSelection(selector, tenant, places);
}

function orgIdSelection(
  selector: Selector,
  { home }: Tenant,
  places: Readonly<Record<string, Place | undefined>>,
): Selection | undefined {
  const plain = { selector, pathPlace: home };
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
      return { ...plain, orgId: `${home.name.provider}:${home.mark}` };
    case "in the other place":
      return { ...plain, orgId: home.mark, isMisplaced: true };
    default: {
      const place = places[selector];
      return (
        place && { selector, orgId: place.mark, pathPlace: selector === "other in tenant" ? place : home }
      );
    }
  }
}
