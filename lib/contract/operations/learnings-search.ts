import * as z from "zod";
import { eventLimits, indexLimits, learningLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  identifier,
  organizationIdsWords,
  organizationSelector,
  repositoryNameWords,
  text,
  wholeNumber,
} from "../parameters.ts";
import { learningRecord } from "../records-learnings.ts";
import { readLimit } from "./learnings-limits.ts";

const { resultsMax, resultsDefault, queryCharactersMax, organizationsMax } = indexLimits;

const foundLearning = z.strictObject({
  learning: learningRecord.describe("The Learning, as in the export."),
  /** Cosine of the angle between query and Learning. */
  score: z.number().describe("How well it fits: 1 is the same text, 0 is unrelated."),
  matched: z
    .enum(["text", "piece"])
    .describe("`text`: the whole Learning was compared. `piece`: the best piece of a long Learning."),
});

export const searchLearnings = operation({
  id: "searchLearnings",
  source: "learnings/search",
  method: "POST",
  readOnly: true,
  path: "/v1/learnings/search",
  tag: "Learnings",
  only: "learnings:read",
  summary: "Find the Learnings that fit a question or a change",
  description:
    "Searches by meaning, as the reviewer does, and returns the nearest shared, approved Learnings, best first. Without " +
    "`min_score` the nearest come however far away they are. The query is neither stored nor logged, and the request " +
    "changes nothing: you may repeat it. A new or changed Learning is found within seconds. A search covers at most " +
    `${organizationsMax} organizations; if it would cover more, the 400 says how to narrow it.`,
  query: z.strictObject({ ...organizationSelector }),
  body: z
    .strictObject({
      query: text(1, queryCharactersMax).describe(
        "A question in plain words, or the text of a change: 1 to 20,000 characters after trimming. It is neither stored nor " +
          "logged.",
      ),
      repository_id: identifier
        .optional()
        .describe("Only Learnings of this repository, by the Git provider's id."),
      repository_name: text(1, eventLimits.fullNameCharactersMax)
        .optional()
        .describe(`${repositoryNameWords} Not with \`repository_id\`.`),
      file: text(1, learningLimits.fileCharactersMax)
        .optional()
        .describe(
          "The path of a file that the query is about: Learnings about it, or about files near it, score higher.",
        ),
      limit: wholeNumber(1, resultsMax)
        .default(resultsDefault)
        .describe("The maximum number of results. Default `10`."),
      min_score: z
        .number({ error: "must be a number from 0 to 1" })
        .min(0, { error: "must be a number from 0 to 1" })
        .max(1, { error: "must be a number from 0 to 1" })
        .optional()
        .describe("Leaves out Learnings with a lower score."),
      organization_ids: z
        .array(identifier, { error: "must be an array of ids" })
        .min(1, { error: "must have at least 1 id" })
        .max(organizationsMax, { error: `must have at most ${organizationsMax} ids` })
        .optional()
        .describe(organizationIdsWords),
      ...organizationSelector,
    })
    .refine(({ repository_id, repository_name }) => !(repository_id && repository_name), {
      error: "must not be sent with repository_id",
      path: ["repository_name"],
    }),
  answer: {
    status: 200,
    description: "The Learnings that fit, best first",
    schema: z.strictObject({ data: z.array(foundLearning).describe("The Learnings that fit, best first.") }),
  },
  keys: noLegacyKey,
  keysOfParameter: { repository_name: ["user"] },
  plan: "enterprise",
  needs: "learning:read",
  readableOnly: true,
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: readLimit,
  // 50 Learnings of the largest size exceed what Lambda buffers.
  streaming: true,
  reads: { getMany: ["learning", "vector"], search: ["vector"] },
  uses: ["embedder"],
});
