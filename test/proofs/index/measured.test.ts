import { beforeAll, describe, expect, test } from "vitest";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { searchedPieces, searchLearnings } from "../../../lib/index/search.ts";
import { read } from "../../docs/pages.ts";
import { measuredChanges } from "../../index/measured-changes.ts";
import { measuredLearnings } from "../../index/measured-learnings.ts";
import { type Home, newHome, verbsOf } from "../../learnings/fixture.ts";
import { useStore } from "../../support/engine.ts";
import { organizationOf } from "../../support/stored.ts";
import { vectorsOf } from "../../support/vectors.ts";
import { World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const rightAtLeast = 0.9;

describe("the review index with the local embedder", () => {
  let home: Home;
  const idOf = new Map<string, string>();
  beforeAll(async () => {
    home = await newHome(world);
    const { table } = store();
    const author = { organization: await organizationOf(table, home.uuid), authorId: "ann" };
    const data = Object.values(measuredLearnings).map(({ text, file }) => ({
      repository_id: home.repository,
      learning: text,
      ...(file && { file }),
    }));
    const { results } = await verbsOf(table).post(author, ...data);
    Object.keys(measuredLearnings).forEach((name, index) => {
      idOf.set(name, results[index]?.id ?? "");
    });
  });

  test("nine of ten changes find the right one in the top five, above the documented min_score", async () => {
    const { table } = store();
    const vectors = vectorsOf(store());
    const rightScores: number[] = [];
    const places = await Promise.all(
      measuredChanges.map(async ({ wants, change, files = [] }) => {
        const found = await searchLearnings(
          { table, vectors, embedder: localEmbedder },
          {
            places: [{ organization: home.uuid, repositoryId: home.repository }],
            pieces: searchedPieces(change, files),
            resultsMax: 5,
          },
        );
        expect(found.map(({ score }) => score)).toEqual(
          found.map(({ score }) => score).toSorted((one, other) => other - one),
        );
        const place = found.findIndex(({ learning }) => learning.id === idOf.get(String(wants)));
        const score = found[place]?.score;
        if (score !== undefined) rightScores.push(score);
        return place;
      }),
    );
    const right = places.filter((place) => place >= 0).length / places.length;
    const first = places.filter((place) => place === 0).length / places.length;
    const percent = (share: number) => `${Math.round(share * 100)} %`;
    console.info(`measured set: ${percent(right)} in the first five, ${percent(first)} first`);
    expect(right).toBeGreaterThanOrEqual(rightAtLeast);
    const [, documented] = /"min_score": ([\d.]+)/.exec(read("docs/use/learnings.md")) ?? [];
    expect(Math.min(...rightScores)).toBeGreaterThanOrEqual(Number(documented));
  });
});
