import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../cli/document-file.ts";
import { operations } from "../../lib/contract/operations.ts";
import { possibleErrors } from "../../lib/contract/possible-errors.ts";
import { examplesFile } from "../../lib/contract/reference.ts";
import { asList, asNode, type Node } from "../../lib/openapi/schema-changes.ts";
import type { Examples } from "../../lib/reference/examples.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const text = JSON.stringify(await readDocument());
const document: Node = JSON.parse(text);
const examples: Examples = JSON.parse(read(examplesFile));

const operationOf = (path: string, method: string): Node =>
  asNode(asNode(asNode(document.paths)[path])[method.toLowerCase()]);

describe("the OpenAPI document", () => {
  test("the OpenAPI document is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect([errors ?? [], valid]).toEqual([[], true]);
  });

  const lint = async (source: string) => {
    const config = await loadConfig({ configPath: fileURLToPath(new URL("redocly.yaml", root)) });
    const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
    return problems.map(({ ruleId, message, location: [place] }) => [ruleId, message, place?.pointer]);
  };

  test("the OpenAPI document has no problem that the linter reports", async () => {
    expect(await lint(text)).toEqual([]);
  });

  test("the OpenAPI document with a planted problem is reported by the linter", async () => {
    const planted = structuredClone(document);
    Reflect.set(Object(asNode(asNode(asNode(planted.paths)["/v1/users"]).get)), "summary", undefined);
    expect((await lint(JSON.stringify(planted))).map(([rule]) => rule)).toEqual(["operation-summary"]);
  });

  test("every rule that is switched off has a comment with the reason", () => {
    const rules = read("redocly.yaml").split("\n");
    const isExplained = (index: number): boolean =>
      /^ +#/.test(rules[index - 1] ?? "") ||
      (/: off$/.test(rules[index - 1] ?? "") && isExplained(index - 1));
    const off = rules.flatMap((line, index) => (/^ +.*: off$/.test(line) ? [index] : []));
    expect(off.length).toBeGreaterThan(0);
    for (const index of off) expect([rules[index], isExplained(index)]).toEqual([rules[index], true]);
  });
});

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, "document");

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");

/** The validation error of a value, by the schema at this place of the document. */
function faultOf(value: unknown, ...place: readonly string[]): string | undefined {
  const check = ajv.getSchema(`document#/${pointer(...place)}`);
  if (!check) return `there is no schema at ${place.join(" ")}`;
  return check(value) ? undefined : ajv.errorsText(check.errors);
}

/** Everything with a schema and examples: its location, and the examples by name. */
function mediaOf(holder: unknown, ...place: readonly string[]) {
  return Object.entries(asNode(asNode(holder).content)).map(([type, media]) => ({
    place: [...place, "content", type, "schema"],
    examples: Object.entries(asNode(asNode(media).examples)).map(([, example]) => asNode(example).value),
  }));
}

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const { path, method } = operation;
  const described = operationOf(path, method);
  const place = ["paths", path, method.toLowerCase()];
  const responses = Object.entries(asNode(described.responses)).map(([status, response]) => {
    const { $ref: shared } = asNode(response);
    const steps = typeof shared === "string" ? shared.split("/").slice(1) : [...place, "responses", status];
    return { status, steps, response: steps.reduce<unknown>((node, step) => asNode(node)[step], document) };
  });

  test(`${id} has examples of its body and of every answer, each valid for its schema`, () => {
    const media = [
      ...mediaOf(described.requestBody, ...place, "requestBody"),
      ...responses.flatMap(({ response, steps }) => mediaOf(response, ...steps)),
    ];
    expect(media.length).toBeGreaterThan(0);
    for (const { place: where, examples: values } of media) {
      expect([where, values.length > 0]).toEqual([where, true]);
      for (const value of values) expect([where, faultOf(value, ...where)]).toEqual([where, undefined]);
    }
  });

  test(`${id} has an example of every parameter, valid for its schema`, () => {
    for (const [index, parameter] of asList(described.parameters).map(asNode).entries()) {
      expect(parameter).toHaveProperty("example");
      const fault = faultOf(parameter.example, ...place, "parameters", String(index), "schema");
      expect([parameter.name, fault]).toEqual([parameter.name, undefined]);
    }
  });

  test(`${id} has exactly the error codes that it can answer, each with a recorded example`, () => {
    const shown = responses.flatMap(({ status, response }) =>
      Object.keys(asNode(asNode(asNode(asNode(response).content)["application/json"]).examples))
        .filter((name) => /^[A-Z_]+$/.test(name))
        .map((code) => [code, status]),
    );
    const codes = possibleErrors(operation);
    expect(shown.map(([code]) => code).toSorted()).toEqual([...codes].toSorted());
    expect(Object.keys(examples.operations[id]?.errors ?? {}).toSorted()).toEqual([...codes].toSorted());
  });
});

test("a response that several operations have stands once, and every shared one is used", () => {
  const shared = Object.keys(asNode(asNode(document.components).responses));
  const used = new Set([...text.matchAll(/#\/components\/responses\/([^"]+)/g)].map(([, name = ""]) => name));
  expect(shared.toSorted()).toEqual([...used].toSorted());
  const own = Object.values(asNode(document.paths)).flatMap((methods) =>
    Object.values(asNode(methods)).flatMap((described) => Object.values(asNode(asNode(described).responses))),
  );
  const whole = own.map((response) => JSON.stringify(response)).filter((each) => !each.startsWith('{"$ref"'));
  expect(new Set(whole).size).toBe(whole.length);
});

test("every recorded header is described, with its recorded value", () => {
  const headers = asNode(asNode(document.components).headers);
  expect(Object.keys(headers).toSorted()).toEqual(Object.keys(examples.headers).toSorted());
  for (const [name, value] of Object.entries(examples.headers))
    expect([name, String(asNode(headers[name]).example)]).toEqual([name, value]);
});

test("the examples contain no key", () => {
  expect(read(examplesFile)).not.toMatch(/rk_[a-z]+_|cr-[0-9a-f]{40}/);
});
