import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { recordingsFolder } from "../../lib/generate/examples.ts";
import { releasedFile } from "../../lib/generate/interface.ts";
import { rows } from "../proofs/authorization/table.ts";

const locationOf = (file: string) => new URL(`../../${file}`, import.meta.url);
const read = (file: string): string => readFileSync(locationOf(file), "utf8");
const idsIn = (file: string, text: RegExp): ReadonlySet<string> =>
  new Set([...read(file).matchAll(text)].map(([, id = ""]) => id));

const table = "test/proofs/authorization/table.ts";
const counts = "test/measure/bench/round-trips/counts";
const tabulated = new Set(rows.map(({ id }) => id));
const released = idsIn(releasedFile, /"operationId": "(\w+)"/g);
const changes = read("CHANGELOG.md");

/** What an operation needs besides its request, which the compiler asks for. Each line says what to do. */
function gapsOf({ id, source, method, path }: Operation): string[] {
  const [folder = ""] = source.split("/");
  const isTested = existsSync(locationOf(`test/functions/${folder}.test.ts`));
  const gaps: ReadonlyArray<readonly [isThere: boolean, gap: string]> = [
    [existsSync(locationOf(`functions/${source}.ts`)), `write its handler, functions/${source}.ts`],
    [
      isTested || existsSync(locationOf(`test/${folder}`)),
      `test what it guarantees in test/functions/${folder}.test.ts`,
    ],
    [tabulated.has(id), `say who may call it, by hand, in ${table}`],
    [
      released.has(id) || changes.includes(`${method} ${path}`),
      `tell callers about ${method} ${path} in CHANGELOG.md, under Unreleased`,
    ],
    [
      existsSync(locationOf(`${counts}/${id}.txt`)),
      `count its round trips: npm run test:measure -- test/measure/bench/round-trips --update writes ${counts}/${id}.txt`,
    ],
    [
      existsSync(locationOf(`${recordingsFolder}/${id}.json`)),
      `record its examples: npm run generate writes ${recordingsFolder}/${id}.json`,
    ],
  ];
  return gaps.filter(([isThere]) => !isThere).map(([, gap]) => `${id}: ${gap}`);
}

test("every operation has all that an operation needs", () => {
  expect(operations.flatMap(gapsOf)).toEqual([]);
});

test("an operation that has only its entry in the contract learns at once of everything else", () => {
  const [first] = operations;
  const added = { ...first, id: "getNothing", source: "nothing/get", path: "/v1/nothing" };
  expect(gapsOf(added).map((gap) => gap.split(":", 1)[0])).toEqual(Array(6).fill("getNothing"));
});
