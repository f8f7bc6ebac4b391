import type { OrganizationItem } from "../../store/items/organization.ts";
import type { Author } from "./plan.ts";

/** Whoever holds the key, in the one organization that the request acts on: never what an item says. */
export function authorOf(
  { organizations }: { readonly organizations: readonly OrganizationItem[] },
  { userId }: { readonly userId: string | null },
): Author {
  const [organization, another] = organizations;
  if (!organization || another || userId === null)
    throw new TypeError("A batch is written by a person in one organization.");
  return { organization, authorId: userId };
}
