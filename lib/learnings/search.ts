import * as z from "zod";
import { providers } from "../contract/access.ts";
import { organizationUuid } from "../contract/identity.ts";
import { indexLimits, learningLimits } from "../contract/limits.ts";
import { identifier, utf8Bytes } from "../contract/parameters.ts";
import { type SearchDeps, searchedPieces, searchLearnings } from "../index/search.ts";

/** The reviewer's question: which Learnings of this repository fit this change. */
const searchRequest = z.strictObject({
  provider: z.enum(providers),
  instance_id: identifier.nullish().transform((id) => id ?? null),
  provider_organization_id: identifier,
  repository_id: identifier,
  text: z.string().refine((text) => utf8Bytes(text) <= indexLimits.searchBytesMax, {
    error: `must have at most ${indexLimits.searchBytesMax} bytes of UTF-8: send the parts of the change that matter`,
  }),
  file_paths: z
    .array(z.string().max(learningLimits.fileCharactersMax))
    .max(indexLimits.searchFilesMax)
    .default([]),
  k: z.int().min(1).max(indexLimits.resultsMax),
  /** Less similar Learnings are left out, so that nonsense finds nothing. */
  min_score: z.number().min(0).max(1).optional(),
});

/** The reviewer's request is not a valid search; the message names the fields. */
class SearchRefused extends Error {
  override readonly name = "SearchRefused";
}

export type SearchAnswer = {
  readonly learnings: ReadonlyArray<{
    readonly id: string;
    readonly learning: string;
    readonly file: string | null;
    readonly source_url: string | null;
    /** Cosine of the angle between change and Learning: 1 is the same, 0 is unrelated. */
    readonly score: number;
  }>;
};

export async function searchForReview(deps: SearchDeps, request: unknown): Promise<SearchAnswer> {
  const parsed = searchRequest.safeParse(request);
  if (!parsed.success) throw new SearchRefused(problemsOf(parsed.error));
  const { repository_id, text, file_paths, k, min_score, ...name } = parsed.data;
  const found = await searchLearnings(deps, {
    places: [{ organization: organizationUuid(name), repositoryId: repository_id }],
    pieces: searchedPieces(text, file_paths),
    resultsMax: k,
    scoreMin: min_score,
  });
  return {
    learnings: found.map(({ learning: { id, text: learning, file, source_url }, score }) => ({
      id,
      learning,
      file,
      source_url,
      score: shownScore(score),
    })),
  };
}

/** Further digits are noise. */
export const shownScore = (score: number): number => Math.round(score * 1e4) / 1e4;

/** The message is logged, so it never contains text of the request. */
const problemsOf = ({ issues }: z.ZodError): string =>
  issues
    .map(({ code, path, message }) =>
      code === "unrecognized_keys"
        ? "request: has a field that no search takes"
        : `${path.join(".") || "request"}: ${message}`,
    )
    .join("; ");
