import { expect, test } from "vitest";
import { cosine, embeddedText } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { type Asked, heldOutLearnings, heldOutQuestions, knownQuestions } from "./asked-set.ts";
import { measuredLearnings } from "./measured-learnings.ts";

/** How many questions find the Learning that answers them among the five nearest. */
async function foundInFive(
  texts: Readonly<Record<string, string>>,
  asked: readonly Asked[],
): Promise<number> {
  const embedded = await Promise.all(
    Object.entries(texts).map(async ([name, text]) => ({ name, vector: await localEmbedder.embed(text) })),
  );
  const found = await Promise.all(
    asked.map(async ({ wants, question }) => {
      const query = await localEmbedder.embed(question);
      const nearest = embedded
        .map(({ name, vector }) => ({ name, score: cosine(query, vector) }))
        .toSorted((one, other) => other.score - one.score);
      return nearest.slice(0, 5).some(({ name }) => name === wants);
    }),
  );
  return found.filter(Boolean).length;
}

const knownLearnings = Object.fromEntries(
  Object.entries(measuredLearnings).map(([name, { text, file = null }]) => [
    name,
    embeddedText({ text, file }),
  ]),
);

test.each([
  ["known", knownLearnings, knownQuestions],
  ["held-out", heldOutLearnings, heldOutQuestions],
] as const)(
  "three of four %s questions in other words find their Learning in the first five",
  async (name, texts, asked) => {
    const found = await foundInFive(texts, asked);
    console.info(`${name} questions: ${found} of ${asked.length} in the first five`);
    expect(found / asked.length).toBeGreaterThanOrEqual(18 / 24);
  },
);
