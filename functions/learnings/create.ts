import { createLearnings as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { embedderAfter } from "../../lib/index/embedder.ts";

export const handler = createHandler(operation, async (call) => {
  // The redaction code is large: a cold start does not wait for it, and a refused request never needs it. Loading it during
  // authentication made a refused first request 60 ms slower, and an accepted one no faster.
  const { authorOf, createLearnings } = await import("../../lib/learnings/create.ts");
  const deps = { ...call, embedder: embedderAfter(call.admitted, configuredEmbedder()) };
  return { json: await createLearnings(deps, authorOf(call), call.input.body.data) };
});
