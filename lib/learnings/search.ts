import * as z from "zod";
import { providers } from "../contract/access.ts";
import { organizationUuid } from "../contract/identity.ts";
import { indexLimits, learningLimits } from "../contract/limits.ts";
import { identifier } from "../contract/parameters.ts";
import { type SearchDeps, searchLearnings } from "../index/search.ts";

/** What the reviewer asks: which Learnings of this repository fit this change. */
const searchRequest = z.strictObject({
  provider: z.enum(providers),
  instance_id: identifier.nullish().transform((id) => id ?? null),
  provider_organization_id: identifier,
  repository_id: identifier,
  text: z.string().max(indexLimits.searchCharactersMax),
  file_paths: z
    .array(z.string().max(learningLimits.fileCharactersMax))
    .max(indexLimits.searchFilesMax)
    .default([]),
  k: z.int().min(1).max(indexLimits.resultsMax),
});

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
  const { repository_id, text, file_paths, k, ...name } = searchRequest.parse(request);
  const found = await searchLearnings(deps, {
    organization: organizationUuid(name),
    repositoryId: repository_id,
    text,
    filePaths: file_paths,
    resultsMax: k,
  });
  return {
    learnings: found.map(({ learning: { id, text: learning, file, source_url }, score }) => ({
      id,
      learning,
      file,
      source_url,
      score: Math.round(score * 1e4) / 1e4,
    })),
  };
}
