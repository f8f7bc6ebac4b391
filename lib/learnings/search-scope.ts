import type * as z from "zod";
import type { OperationContext } from "../access/operation-context.ts";
import type { Principal } from "../access/principal.ts";
import { isReadable } from "../access/readable.ts";
import type { KeyKind } from "../contract/access.ts";
import { ApiError } from "../contract/api-error.ts";
import { indexLimits, requestLimits } from "../contract/limits.ts";
import type { searchLearnings as operation } from "../contract/operations/learnings-search.ts";
import type { Embedder } from "../index/embedder.ts";
import { beginningOf } from "../index/pieces.ts";
import { type SearchDeps, type SearchPlace, searchedPieces, searchLearnings } from "../index/search.ts";
import { isTemporaryAwsError } from "../runtime/aws-error.ts";
import { required } from "../runtime/required.ts";
import { readableRepositories } from "./export/named-repository.ts";
import { readNames, toLearningRecord } from "./present.ts";
import { shownScore } from "./search.ts";

type SearchContext = Pick<OperationContext<typeof operation>, "table" | "scope" | "readable" | "input"> & {
  /** The operator has none. */
  readonly principal?: Principal;
};
type SearchAnswer = z.input<(typeof operation)["answer"]["schema"]>;

const { searchesMax, searchPiecesMax, organizationsMax } = indexLimits;

/** The Learnings nearest to the caller's question or change, of those that the caller can read. */
export async function searchScope(call: SearchContext, deps: SearchDeps): Promise<SearchAnswer> {
  const { table, scope, input } = call;
  const { query, file, limit, min_score } = input.body;
  const places = await placesOf(call);
  const piecesMax = Math.min(searchPiecesMax, Math.floor(searchesMax / Math.max(1, places.length)));
  const paths = file === undefined ? [] : [beginningOf(file, indexLimits.pathBytesMax)];
  const pieces = searchedPieces(query, paths, piecesMax);
  if (pieces.length > piecesMax) throw tooManySearches(call, places.length, pieces.length);
  const embedder = retriableEmbedder(deps.embedder);
  const wanted = { places, pieces, resultsMax: limit, scoreMin: min_score };
  const found = await searchLearnings({ ...deps, embedder }, wanted);
  const names = await readNames(
    table,
    found.map(({ learning }) => learning),
  );
  const organizations = new Map(scope.organizations.map((each) => [each.uuid, each]));
  return {
    data: found.map(({ learning, score, matched }) => ({
      learning: toLearningRecord(
        learning,
        required(organizations.get(learning.organization), "organization of a found Learning"),
        names,
      ),
      score: shownScore(score),
      matched,
    })),
  };
}

/** An outage of the model is a 503: the caller can repeat the search. */
const retriableEmbedder = ({ id, embed }: Embedder): Embedder => ({
  id,
  embed: async (text, signal) => {
    try {
      return await embed(text, signal);
    } catch (error) {
      if (!isTemporaryAwsError(error)) throw error;
      throw new ApiError(
        "SERVICE_UNAVAILABLE",
        "The query cannot be compared with the Learnings right now. Retry the same request.",
        { retryAfterSeconds: requestLimits.retryAfterSeconds, cause: error },
      );
    }
  },
});

/** Excluded by the search itself: filtered afterwards, an unreadable Learning would take the place of a readable one. */
async function placesOf(call: SearchContext): Promise<readonly SearchPlace[]> {
  const { scope } = call;
  if (scope.organizations.length > organizationsMax)
    throw new ApiError(
      "INVALID_REQUEST",
      `The search would cover ${scope.organizations.length} organizations; at most ${organizationsMax} are searched at ` +
        `once. ${howToNarrow(call) ?? ""}`.trim(),
    );
  const { repository_id: id, repository_name: name } = call.input.body;
  const readable = await readableRepositories(call, name);
  return scope.organizations.flatMap(({ uuid: organization }) => {
    if (id !== undefined) return isReadable(readable, id) ? [{ organization, repositoryId: id }] : [];
    if (readable === "*") return [{ organization }];
    return [...readable].map((repositoryId) => ({ organization, repositoryId }));
  });
}

/** The other kinds of key cover one organization; a member's key may cover many repositories of it. */
const narrowing: Readonly<Partial<Record<KeyKind, string>>> = {
  workspace: "Name one organization with org_id.",
  instance: "Name some organizations in organization_ids.",
  user: "Name one repository with repository_id or repository_name.",
};
const howToNarrow = ({ principal }: SearchContext) => narrowing[principal?.key.kind ?? "workspace"];

function tooManySearches(call: SearchContext, places: number, pieces: number): ApiError {
  const what = call.readable === "*" ? "organizations" : "repositories";
  const narrow = [howToNarrow(call), "Or send a shorter query."].filter(Boolean).join(" ");
  return new ApiError(
    "INVALID_REQUEST",
    `query: has ${pieces} pieces of ${indexLimits.pieceBytesMax} bytes, to be searched in ${places} ${what}; at most ` +
      `${searchesMax} searches are made at once. ${narrow}`,
  );
}
