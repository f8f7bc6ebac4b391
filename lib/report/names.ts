import { shortened } from "../contract/schema-sentences.ts";
import type { Question } from "./arguments.ts";
import type { Organization } from "./left-out.ts";
import type { PullRequest } from "./pull-request.ts";
import type { Team } from "./teams.ts";

/** Names as a person writes them, looked up among what is known. */

const namesShownMax = 20;

type NamingArgument = "team" | "repository" | "repository_ids" | "author" | "org_id" | "organization_ids";

/** Something that a person can name. A provider gives each id once: a person in two organizations is one. */
type Known = { readonly name: string; readonly id: string; readonly organization: string };

export class Names {
  readonly #question: Pick<Question, NamingArgument>;
  readonly #refuse: (message: string) => Error;

  constructor(question: Pick<Question, NamingArgument>, refuse: (message: string) => Error) {
    this.#question = question;
    this.#refuse = refuse;
  }

  /** The ids of the things that a person means, and what is not the name of anything. */
  lookUp(argument: NamingArgument, all: () => readonly Known[]) {
    const asked = [this.#question[argument] ?? []].flat();
    if (asked.length === 0) return { known: [], ids: undefined, unknown: [] };
    const known = [...new Map(all().map((each) => [JSON.stringify([each.id, each.name]), each])).values()];
    const ids = asked.map((each) => {
      const found = knownAs(known, each);
      if (new Set(found.map(({ id }) => id)).size < 2) return found[0]?.id;
      const several = `means several ${shownOf(found, ": send the id of one")}`;
      throw this.#refuse(`${argument}: ${quoted(each)} ${several}`);
    });
    return { known, ids, unknown: asked.filter((_, place) => ids[place] === undefined).map(quoted) };
  }

  /** The same where every name must be known. */
  idsOf(argument: NamingArgument, all: () => readonly Known[], none = "is unknown here. Known") {
    const { known, ids, unknown } = this.lookUp(argument, all);
    if (unknown.length === 0) return ids;
    throw this.#refuse(`${argument}: ${unknown.join(", ")} ${none} ${shownOf(known)}`);
  }
}

export const knownTeam = ({ provider, team_id, name, organization_id }: Team): Known => ({
  name,
  id: `${provider}:${team_id}`,
  organization: organization_id,
});
export const knownOrganization = ({ provider, provider_organization_id: id, name }: Organization): Known => ({
  name,
  id: `${provider}:${id}`,
  organization: name,
});
export const knownRepository = (each: PullRequest): Known => ({
  name: each.repositoryFullName,
  id: `${each.provider}:${each.repositoryId}`,
  organization: each.organizationName,
});
export const knownAuthor = ({ provider, authorId, authorName, organizationName }: PullRequest): Known => ({
  name: authorName ?? authorId ?? "",
  id: `${provider}:${authorId ?? authorName ?? ""}`,
  organization: organizationName,
});
export const withoutProvider = (id = ""): string => id.slice(id.indexOf(":") + 1);

/** By id, with or without the provider, or by name in any letter case; else by the last part of a name. */
function knownAs(known: readonly Known[], asked: string): readonly Known[] {
  const isAsked = (text: string | undefined) => text?.toLowerCase() === asked.toLowerCase();
  const exact = known.filter(({ id, name }) => [id, withoutProvider(id)].includes(asked) || isAsked(name));
  return exact.length > 0 ? exact : known.filter(({ name }) => isAsked(name.split("/").at(-1)));
}

const shownOf = (known: readonly Known[], words = ""): string => {
  const shown = known.slice(0, namesShownMax);
  return `(${shown.length} of ${known.length})${words}: ${shown.map((each) => JSON.stringify(each)).join(", ") || "none"}.`;
};

const quoted = (text: string): string => JSON.stringify(shortened(text));
