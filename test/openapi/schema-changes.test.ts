import { expect, test } from "vitest";
import { type Direction, type Node, schemaChanges } from "../../lib/openapi/schema-changes.ts";

/** Forms that our document does not contain today may come later. */
const open = { type: "object" };
const closed = { type: "object", additionalProperties: false };
const mapOf = (values: Node): Node => ({ type: "object", additionalProperties: values });
const namesOf = (names: Node): Node => ({ type: "object", propertyNames: names });
const text = { type: "string" };
const [noOthers, anotherType] = ["the whole: has no other names any more", ".*: its type changed"];
const otherNames = "{name}: it is no longer one of a list, or has become one";

test.each<[string, Direction, Node, Node, string[]]>([
  ["a body that takes no other names", "request", open, closed, [noOthers]],
  ["a body that takes other names", "request", closed, open, []],
  ["other names of a body with a type", "request", open, mapOf(text), [anotherType]],
  ["other names of a body without one", "request", mapOf(text), open, []],
  ["names of a body out of a list", "request", open, namesOf({ enum: ["a"] }), [otherNames]],
  ["names of a body out of no list", "request", namesOf({ enum: ["a"] }), open, []],
  [
    "names of a body with a pattern",
    "request",
    open,
    namesOf({ pattern: "^a" }),
    ["{name}: a narrower pattern"],
  ],
  ["an answer with other names", "answer", closed, open, []],
  ["a map that is gone", "answer", mapOf(text), closed, [noOthers]],
  ["a map of anything", "answer", mapOf(text), open, [anotherType]],
  ["a map of something else", "answer", mapOf(text), mapOf({ type: "integer" }), [anotherType]],
  ["a map with any names", "answer", namesOf({ enum: ["a"] }), open, [otherNames]],
  ["an answer without a type", "answer", text, {}, ["the whole: its type changed"]],
  ["an answer with a type", "answer", {}, text, []],
  ["a body with a type", "request", {}, text, ["the whole: its type changed"]],
  ["a value that says its type", "answer", text, { const: "a" }, []],
  ["a value of another type", "answer", text, { const: 1 }, ["the whole: its type changed"]],
  ["null that says its type", "answer", { type: "null" }, { const: null }, []],
  ["a list that says its type", "answer", { type: "array" }, { const: ["a"] }, []],
  ["whole numbers where there were numbers", "answer", { type: "number" }, { type: "integer" }, []],
  ["a list of anything", "answer", { items: text }, {}, ["[]: its type changed"]],
  ["a list that takes texts only", "request", {}, { items: text }, ["[]: its type changed"]],
  [
    "an alternative that stands alone",
    "answer",
    { anyOf: [text] },
    { type: "integer" },
    ["the whole: its type changed"],
  ],
  [
    "an alternative that is gone",
    "request",
    { anyOf: [text, { type: "integer" }] },
    text,
    ["the whole: its alternatives changed"],
  ],
  [
    "another default",
    "request",
    { ...text, default: "a" },
    { ...text, default: "b" },
    ["the whole: its default changed"],
  ],
])(
  "breaking changes of a schema are found, and nothing else: %s, in the %s",
  (_, direction, old, now, changes) => {
    expect(schemaChanges(direction, old, now)).toEqual(changes);
  },
);
