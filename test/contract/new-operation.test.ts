import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { recordingsFolder } from "../../lib/generate/examples.ts";
import { releasedFile } from "../../lib/generate/interface.ts";
import { rawSchema } from "../../lib/openapi/properties.ts";
import { asList, asNode, type Node } from "../../lib/openapi/schema-changes.ts";
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

/** The fields of an operation that do not say what they mean, such as `body.name` and `answer.data.id`. */
function fieldsWithoutWords({ pathParameters, query, body, answer }: Operation): string[] {
  const silent: string[] = [];
  const visit = (schema: Node, where: string): void => {
    const { items, additionalProperties, anyOf, properties } = schema;
    const parts = [items, additionalProperties, ...asList(anyOf)].filter((part) => typeof part === "object");
    for (const part of parts) visit(asNode(part), where);
    for (const [name, property] of Object.entries(asNode(properties))) {
      const path = `${where}.${name}`;
      // What `org_id` does follows from the operation's policy.
      const isSelector = ["query.org_id", "body.org_id"].includes(path);
      if (!asNode(property).description && !isSelector) silent.push(path);
      visit(asNode(property), path);
    }
  };
  const inputs = { path: pathParameters, query, body };
  for (const [where, schema] of Object.entries(inputs)) if (schema) visit(rawSchema(schema, "input"), where);
  if (answer.schema) visit(rawSchema(answer.schema, "output"), "answer");
  return silent;
}

/** What an operation needs besides its request, which the compiler asks for. Each line says what to do. */
function gapsOf(operation: Operation): string[] {
  const { id, source, method, path } = operation;
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
  const unsaid = fieldsWithoutWords(operation).map(
    (field) => `say what ${field} means: .describe("…") at the end of its schema`,
  );
  return [...gaps.filter(([isThere]) => !isThere).map(([, gap]) => gap), ...unsaid].map(
    (gap) => `${id}: ${gap}`,
  );
}

test("every operation has all that an operation needs", () => {
  expect(operations.flatMap(gapsOf)).toEqual([]);
});

test("an operation that has only its entry in the contract learns at once of everything else", () => {
  const [first] = operations;
  const added = { ...first, id: "getNothing", source: "nothing/get", path: "/v1/nothing" };
  expect(gapsOf(added).map((gap) => gap.split(":", 1)[0])).toEqual(Array(6).fill("getNothing"));
});

test("a field that does not say what it means is named, wherever it stands", () => {
  const [first] = operations;
  const silent = {
    ...first,
    pathParameters: z.strictObject({ id: z.string() }),
    query: first.query.safeExtend({ color: z.string().optional() }),
    body: z.strictObject({ items: z.array(z.strictObject({ size: z.int() })).describe("The items.") }),
    answer: {
      ...first.answer,
      schema: z.strictObject({
        data: z.union([z.strictObject({ one: z.string() }), z.strictObject({ two: z.string() })]).nullable(),
        counts: z.record(z.enum(["low"]), z.int()).describe("Counts."),
      }),
    },
  };
  expect(gapsOf(silent).map((gap) => /what (\S+) means/.exec(gap)?.[1])).toEqual([
    ...["path.id", "query.color", "body.items.size"],
    ...["answer.data", "answer.data.one", "answer.data.two", "answer.counts.low"],
  ]);
});
