import type { Operation } from "../../../lib/contract/operation.ts";
import type { Schema } from "./document.ts";
import { type Draft, policyOf } from "./draft.ts";
import type { FuzzHome, FuzzKind } from "./world.ts";

/** The possible values of `org_id`: these words, or any text that this schema allows. */
export type OrganizationChoice = {
  readonly isRequired: boolean;
  readonly values: ReadonlyArray<string | Schema>;
};

const anything: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 256,
  description: "At most 256 bytes of UTF-8.",
};
const ignored = (home: FuzzHome): OrganizationChoice => ({
  isRequired: false,
  values: [...home.names, home.uuid, "9999", anything],
});

/** By docs/use/keys.md ("Scopes"): which keys use `org_id`, and where; undefined where it must not be sent. */
function organizationChoice(
  { id, organization, body }: Operation,
  kind: FuzzKind,
  place: "query" | "body",
  home: FuzzHome,
): OrganizationChoice | undefined {
  const isElsewhere = place === "query" && body !== undefined;
  if (kind === "instance" && id === "changeRoles" && place === "body")
    return { isRequired: false, values: [...home.names, "ALL", "all", "All"] };
  if (kind !== "workspace" || organization === "ignored") return ignored(home);
  if (organization === "refused") return undefined;
  return isElsewhere ? ignored(home) : { isRequired: organization === "required", values: home.names };
}

/** The draft with `org_id` in both its places, chosen by `pick` from the allowed values. */
export function withOrganization(
  draft: Draft,
  home: FuzzHome,
  pick: (choice: OrganizationChoice) => string | undefined,
): Draft {
  const chosen = (place: "query" | "body"): string | undefined => {
    const choice = organizationChoice(policyOf(draft.operation), draft.kind, place, home);
    return choice && pick(choice);
  };
  const [pickedForQuery, inBody] = [chosen("query"), draft.body && chosen("body")];
  const inQuery = inBody !== undefined && readsIt(draft) ? undefined : pickedForQuery;
  return {
    ...draft,
    query: inQuery === undefined ? draft.query : [...draft.query, ["org_id", inQuery]],
    body: inBody === undefined ? draft.body : { ...draft.body, org_id: inBody },
  };
}

/** Then two different values are a mistake. */
function readsIt({ operation, kind }: Draft): boolean {
  const { id, organization } = policyOf(operation);
  return kind === "workspace" ? organization !== "ignored" : kind === "instance" && id === "changeRoles";
}

/** For other drafts, only an empty `org_id` is a mistake. */
export const checksOrgId = (draft: Draft): boolean =>
  readsIt(draft) || policyOf(draft.operation).id === "changeRoles";
