import { expect, test } from "vitest";
import * as z from "zod";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { openApi } from "../../lib/generate/interface.ts";
import { describeParameters } from "../../lib/openapi/document.ts";

/** Everything in the document that readers see as a field: its location, and its schema or object. */
type Met = { readonly where: string; readonly thing: Readonly<Record<string, unknown>> };

const record = z.record(z.string(), z.unknown());
const document = openApi();

function* propertiesIn(value: unknown, where: string): Generator<Met> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    // Examples are answers, not schemas.
    if (name === "example" || name === "examples") continue;
    const properties = name === "properties" ? record.safeParse(inner).data : undefined;
    for (const [field, schema] of Object.entries(properties ?? {}))
      yield { where: `${where}.${field}`, thing: record.parse(schema) };
    for (const [field, schema] of Object.entries(properties ?? {}))
      yield* propertiesIn(schema, `${where}.${field}`);
    if (!properties) yield* propertiesIn(inner, `${where}.${name}`);
  }
}

const properties = [...propertiesIn({ ...document.paths }, ""), ...propertiesIn(document.components, "")];
const parameters: Met[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    z
      .object({ parameters: z.array(record) })
      .parse(operation)
      .parameters.map((thing) => ({ where: `${method} ${path} ${thing.name}`, thing })),
  ),
);
const { headers } = z.object({ headers: z.record(z.string(), record) }).parse(document.components);
const sentence = /^[^\s].*\.$/s;

test("every property, parameter and header has a description that is a sentence", () => {
  const met = [
    ...properties,
    ...parameters,
    ...Object.entries(headers).map(([where, thing]) => ({ where, thing })),
  ];
  expect(properties.length).toBeGreaterThan(350);
  expect(
    met.filter(({ thing }) => !sentence.test(String(thing.description ?? ""))).map(({ where }) => where),
  ).toEqual([]);
});

const allowsNull = ({ type, anyOf }: Readonly<Record<string, unknown>>): boolean =>
  [type].flat().includes("null") ||
  (Array.isArray(anyOf) && anyOf.some((each) => record.parse(each).type === "null"));

test("every nullable field describes the meaning of null", () => {
  const nullable = properties.filter(({ thing }) => allowsNull(thing));
  expect(nullable.length).toBeGreaterThan(30);
  expect(
    nullable.filter(({ thing }) => !/\bnull\b/.test(String(thing.description))).map(({ where }) => where),
  ).toEqual([]);
});

test("every field with a default documents it, and every time documents its unit or UTC", () => {
  const silent = [...properties, ...parameters].filter(({ where, thing }) => {
    const schema = record.safeParse(thing.schema).data ?? thing;
    const said = String(thing.description);
    const name = where.split(/[ .]/).at(-1) ?? "";
    if (schema.default !== undefined && !/default/i.test(said)) return true;
    const formats = [schema, ...z.array(record).catch([]).parse(schema.anyOf)].map(({ format }) => format);
    if (formats.includes("date-time") && !/UTC/.test(said)) return true;
    // An optional choice needs a documented default, or documented behaviour without a value.
    const isChoice = "schema" in thing && (schema.enum !== undefined || schema.type === "boolean");
    if (isChoice && thing.required !== true && !/default|unless given|only|ignored/i.test(said)) return true;
    return /_(seconds|minutes|days)$/.test(name) && !/seconds|minutes|days/i.test(said);
  });
  expect(silent.map(({ where }) => where)).toEqual([]);
});

test("`accepted` is described in the interface's own words", () => {
  const [accepted] = properties.filter(({ where }) =>
    /review-comments.*coderabbit_comments\..*accepted$/.test(where),
  );
  expect(accepted?.thing.description).toBe(
    "Stored resolution outcome from automatic detection or user confirmation; not necessarily acceptance by the pull " +
      "request author. false is not proof of rejection; null means unknown. The value can change after the comment was " +
      "posted.",
  );
});

/** What a shared description would get wrong for the operations that differ. */
test("a parameter with one name is described as what it is in each operation", () => {
  const wrong = operations.flatMap((operation: Operation) => {
    const { id, paging, errors } = operation;
    const described = (["path", "query"] as const).flatMap((place) => describeParameters(operation, place));
    const said = (name: string) => described.find((each) => each.name === name)?.description ?? "";
    const has = (name: string) => described.some((each) => each.name === name);
    const rules: ReadonlyArray<readonly [string, boolean, RegExp]> = [
      // The cursor of some lists is bound to the page size.
      ["cursor", paging?.bindsPageSize === true, /the same `limit`/],
      ["cursor", paging?.resumable === true, /x-resume-cursor/],
      ["include_removed", has("format"), /NDJSON.*CSV/],
      ["include_removed", has("start_date"), /the window/],
      ["include_removed", has("stat_filter"), /`stat_filter`/],
      ["role_id", errors.includes("SYSTEM_ROLE"), /409/],
      ["user_ids", id === "listAuditLogs", /actor/],
      ["user_ids", id === "listLearnings", /Learnings/],
      ["user_ids", has("start_date"), /pull requests/],
      ["search", id === "listAuditLogs", /`key_id`.*short or empty.*`next_cursor`/],
      ["search", id === "listLearnings", /Learnings whose text/],
    ];
    return rules
      .filter(([name, holds, words]) => has(name) && words.test(said(name)) !== holds)
      .map(([name, holds, words]) => `${id} ${name}: ${holds ? "lacks" : "must not say"} ${words}`);
  });
  expect(wrong).toEqual([]);
});

test("a description names its default once", () => {
  const twice = [...properties, ...parameters].filter(
    ({ thing }) => String(thing.description).split(/default/i).length > 2,
  );
  expect(twice.map(({ where }) => where)).toEqual([]);
});

test("the text of an exported Learning is described as a text, that of a search result as a Learning", () => {
  const said = (path: RegExp) =>
    properties.filter(({ where }) => path.test(where)).map(({ thing }) => thing.description);
  const [exported] = said(/^\.\/v1\/learnings\.get\..*data.*\.learning$/);
  const [found] = said(
    /^\.\/v1\/learnings\/search\.post\..*data\.items\.properties\.learning$|search\.post.*data.*\.learning$/,
  );
  expect(exported).toMatch(/^The text/);
  expect(found).toMatch(/^The Learning/);
});
