import type { ReadableRepositories } from "../../access/readable.ts";
import type { OrganizationItem } from "../../store/items/organization.ts";
import type { BatchAuthor } from "./plan.ts";

/** The owner of the key, in the one organization that the request acts on; never taken from an item. */
export function authorOf({
  scope,
  principal: { userId },
  readable,
}: {
  readonly scope: { readonly organizations: readonly OrganizationItem[] };
  readonly principal: { readonly userId: string | null };
  readonly readable: ReadableRepositories;
}): BatchAuthor {
  const [organization, another] = scope.organizations;
  if (!organization || another || userId === null)
    throw new TypeError("A batch is written by a person in one organization.");
  return { organization, authorId: userId, readable };
}
