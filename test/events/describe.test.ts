import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type EventTypeName, eventTypeNames } from "../../lib/contract/event-names.ts";
import { securityLimits } from "../../lib/contract/limits.ts";
import { eventFieldsOf, eventJsonSchema, eventWords } from "../../lib/events/describe.ts";
import { EventRefused, parseOrRefuse, readEvent } from "../../lib/events/envelope.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { generatedPages } from "../../lib/generate/pages.ts";

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const example = z.looseObject({ type: z.enum(eventTypeNames), data: z.record(z.string(), z.unknown()) });
const examples = file("docs/use/examples/events.ndjson")
  .trimEnd()
  .split("\n")
  .map((line) => example.parse(JSON.parse(line)));
const generated = generatedPages();
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

test("there is one example of every type, in an order in which no event has to wait", () => {
  expect(examples.map(({ type }) => type)).toEqual([...eventTypeNames]);
  expect(Object.keys(eventTypes)).toEqual([...eventTypeNames]);
  expect(Object.keys(eventWords)).toEqual([...eventTypeNames]);
});

describe.each(examples.map((each) => [each.type, each] as const))("%s", (type, sent) => {
  const schema = eventJsonSchema(type);

  test(`the worker and the JSON Schema both accept the example of ${type}`, () => {
    const { data } = readEvent(sent);
    expect(() => parseOrRefuse(eventTypes[type].schema, data)).not.toThrow();
    const validate = ajv.compile(schema);
    expect([validate(sent), validate.errors]).toEqual([true, null]);
  });

  test(`the example of ${type} shows every field`, () => {
    const shown = new Set(pathsIn(sent.data));
    const missing = eventFieldsOf(type).filter(({ path }) => !shown.has(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  test(`the worker and the JSON Schema reject ${type} without a required field; the worker names the field`, () => {
    for (const { path, required } of eventFieldsOf(type)) {
      if (!required || path.includes(".") || path.includes("[")) continue;
      const { [path]: _, ...data } = sent.data;
      expect(ajv.compile(schema)({ ...sent, data }), path).toBe(false);
      expect(reasonOf(type, data)).toContain(`${path}: is required`);
    }
  });

  test(`every text about ${type} belongs to a field`, () => {
    expect(new Set(Object.keys(eventWords[type].fields))).toEqual(
      new Set(eventFieldsOf(type).map(({ path }) => path)),
    );
  });

  test(`every property of the JSON Schema of ${type} has a description`, () => {
    expect(undescribed(schema, type)).toEqual([]);
  });

  test(`the schema file of ${type} and the documented tables match the generated ones`, () => {
    for (const path of [`docs/use/events/${type}.json`, "docs/use/events.md"])
      expect(file(path)).toBe(generated.get(path));
  });
});

function reasonOf(type: EventTypeName, data: unknown): string {
  try {
    parseOrRefuse(eventTypes[type].schema, data);
  } catch (error) {
    if (error instanceof EventRefused) return error.message;
    throw error;
  }
  return "";
}

function pathsIn(value: unknown, prefix = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each, `${prefix}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return [path, ...pathsIn(inner, path)];
  });
}

/** Every schema below `properties`, at any depth. */
function undescribed(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const own =
      name === "properties" && typeof inner === "object" && inner !== null
        ? Object.entries(inner).flatMap(([field, schema]) =>
            typeof Reflect.get(Object(schema), "description") === "string" ? [] : [`${path}.${field}`],
          )
        : [];
    return [...own, ...undescribed(inner, `${path}.${name}`)];
  });
}

describe("validation errors have our own messages", () => {
  const base = examples.find(({ type }) => type === "pull_request.finalized")?.data ?? {};
  test.each([
    [{ reviewed: "yes" }, "reviewed: must be true or false"],
    [{ review_iterations: 1.5 }, "review_iterations: must be a whole number"],
    [{ review_iterations: -1 }, "review_iterations: must be at least 0"],
    [{ estimated_complexity: 6 }, "estimated_complexity: must be at most 5"],
    [{ status: "open" }, "status: must be one of: merged, closed"],
    [{ pr_url: "" }, "pr_url: must have at least 1 characters"],
    [{ comments: {} }, "comments: must be a list"],
    [{ comments: [{ severity: "minor" }] }, "comments[0].url: is required"],
    [{ comments: [7] }, "comments[0]: must be an object"],
    [{ created_at: "yesterday" }, "created_at: must be a date-time with an offset"],
    [{ merged_at: null }, "merged_at: is required of a merged pull request"],
  ])("pull_request.finalized with %j is rejected with our own message: %s", (change, sentence) => {
    expect(reasonOf("pull_request.finalized", { ...base, ...change })).toBe(sentence);
  });

  test.each([
    [{ readable_repository_ids: "all" }, 'readable_repository_ids: must be "*" or a list of repository ids'],
    [{ readable_repository_ids: undefined }, "readable_repository_ids: is required"],
    [{ email: 5 }, "email: must be an e-mail address or null"],
  ])("member.saved with %j is rejected with our own message: %s", (change, sentence) => {
    const member = examples.find(({ type }) => type === "member.saved")?.data ?? {};
    expect(reasonOf("member.saved", { ...member, ...change })).toBe(sentence);
  });

  test("a list that is too long is refused with the number of elements that it may have", () => {
    const scan = examples.find(({ type }) => type === "security_scan.completed")?.data ?? {};
    const finding = {
      ...Object(Object(scan.findings)[0]),
      evidence: Array(securityLimits.evidenceMax + 1).fill(""),
    };
    expect(reasonOf("security_scan.completed", { ...scan, findings: [finding] })).toBe(
      `findings[0].evidence: must have at most ${securityLimits.evidenceMax} elements`,
    );
  });

  test("a type that no table can store is refused with the characters that it must not contain", () => {
    expect(() => readEvent({ ...examples[0], type: "a\u0000b" })).toThrow(
      new EventRefused("type: must not contain NUL or unpaired surrogate characters"),
    );
  });

  test("a check without a message of its own gets a general one, which does not show the value", () => {
    expect(() => parseOrRefuse(z.email(), "secret")).toThrow(
      new EventRefused("event: Invalid email address"),
    );
    expect(() => parseOrRefuse(z.bigint(), "secret")).toThrow(new EventRefused("event: must be bigint"));
  });

  test("data that is not an object is rejected", () => {
    expect(reasonOf("member.saved", [])).toBe("event: must be an object");
  });
});
