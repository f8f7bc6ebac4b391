import * as z from "zod";
import { providers } from "../contract/access.ts";
import { organizationUuid } from "../contract/identity.ts";
import { indexLimits, learningLimits } from "../contract/limits.ts";
import { identifier, utf8Bytes } from "../contract/parameters.ts";
import { beginningOf } from "../index/pieces.ts";
import { type SearchDeps, searchedPieces, searchLearnings } from "../index/search.ts";

/** The reviewer's question: which Learnings of this repository fit this change. */
const searchRequest = z.strictObject({
  provider: z.enum(providers),
  instance_id: identifier.nullish().transform((id) => id ?? null),
  provider_organization_id: identifier,
  repository_id: identifier,
  text: z.string(),
  file_paths: z
    .array(z.string().max(learningLimits.fileCharactersMax))
    .max(indexLimits.searchFilesMax)
    .default([]),
  k: z.int().min(1).max(indexLimits.resultsMax),
  /** Less similar Learnings are left out, so that nonsense finds nothing. */
  min_score: z.number().min(0).max(1).optional(),
});

/** The reviewer's request is not a valid search; the message names the fields and contains no text of the request. */
export class SearchRefused extends Error {
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
  /** Present if the text was too long: only its beginning was searched. */
  readonly text_cut?: { readonly searched_bytes: number; readonly text_bytes: number };
};

/** The answer to a request that is not a valid search. */
export type SearchRefusal = {
  readonly error: { readonly code: "INVALID_REQUEST"; readonly message: string };
};

export async function searchForReview(deps: SearchDeps, request: unknown): Promise<SearchAnswer> {
  const parsed = searchRequest.safeParse(request);
  if (!parsed.success) throw new SearchRefused(problemsOf(parsed.error));
  const { repository_id, text: wholeText, file_paths, k, min_score, ...name } = parsed.data;
  const text = firstFilesOf(wholeText, indexLimits.searchBytesMax);
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
    ...(text.length < wholeText.length && {
      text_cut: { searched_bytes: utf8Bytes(text), text_bytes: utf8Bytes(wholeText) },
    }),
  };
}

/** The first files of a change that fit together; if the first file alone does not fit, its beginning. */
function firstFilesOf(text: string, bytesMax: number): string {
  const beginning = beginningOf(text, bytesMax);
  if (beginning.length === text.length) return text;
  // A removed line may look like half of a plain header: `-- a comment` of SQL.
  const header = /^diff --git /m.test(text) ? /\ndiff --git /g : /\n--- .*\n\+\+\+ /g;
  const files = Array.from(`\n${text}`.matchAll(header), ({ index }) => index - 1);
  const end = files.slice(1).findLast((place) => place <= beginning.length);
  return end === undefined ? beginning : text.slice(0, end);
}

/** From 0 to 1, also for texts that point away from each other. Further digits are noise. */
export const shownScore = (score: number): number => Math.min(1, Math.max(0, Math.round(score * 1e4) / 1e4));

const problemsOf = ({ issues }: z.ZodError): string =>
  issues
    .map(({ code, path, message }) =>
      code === "unrecognized_keys"
        ? "request: has a field that no search takes"
        : `${path.join(".") || "request"}: ${message}`,
    )
    .join("; ");
