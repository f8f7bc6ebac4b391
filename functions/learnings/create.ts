import { createLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { authorOf } from "../../lib/learnings/batch/author.ts";
import { createLearnings } from "../../lib/learnings/create.ts";

export const handler = lambda(operation, async (call) => ({
  json: await createLearnings(
    { ...call, embedder: configuredEmbedder() },
    authorOf(call),
    call.input.body.data,
  ),
}));
