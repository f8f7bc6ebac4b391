import type { Chance } from "../../../lib/runtime/chance.ts";
import type { Schema } from "./document.ts";
import { type Draft, isFor, listsMax, policyOf } from "./valid.ts";
import { invalidValues, oneOf } from "./values.ts";

/** A request that is wrong for exactly one reason. */
export type Spoiled = {
  readonly reason: string;
  readonly draft: Draft;
  /** In place of the draft's body. */
  readonly rawBody?: string;
  readonly rawHeaders?: readonly string[];
  /** An element of a batch is wrong: it fails alone, and the batch is answered with 200. */
  readonly isItem?: boolean;
};

type Way = (draft: Draft, chance: Chance) => Spoiled | undefined;

const wrongIntegers = [
  "0",
  "-1",
  "1e2",
  "0x10",
  "+5",
  "1.5",
  "010",
  " 5",
  "5 ",
  "٥",
  "９",
  "1_0",
  "NaN",
  "9".repeat(400),
];
const wrongDays = [
  "2026-02-30",
  "2026-13-01",
  "2026-1-1",
  "20260101",
  "0000-01-01",
  "2026-01-01 ",
  "today",
  "2026-00-10",
];
const wrongInstants = [...wrongDays, "2026-01-01T25:00:00Z", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"];
const wrongUuids = ["x", "00000000-0000-0000-0000-00000000000g", "../admin", "%00", "1001", "{}", "null"];
const wrongNames = [
  "surprise",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "LIMIT",
  "limit[]",
  "toString",
  "orgId",
];

function wrongQueryValues(name: string, schema: Schema): readonly string[] {
  const valuesMax = listsMax[name];
  if (valuesMax !== undefined) {
    const tooMany = Array.from({ length: valuesMax + 1 }, () => (name === "severity" ? "high" : "x")).join(
      ",",
    );
    return [
      tooMany,
      "a,,b",
      ",a",
      "a,",
      " ",
      ",",
      "nul\u0000",
      ...(name === "severity" ? ["urgent", "HIGH"] : []),
    ];
  }
  if (schema.type === "integer") return [...wrongIntegers, String((schema.maximum ?? 0) + 1)];
  if (schema.format === "date") return wrongDays;
  if (schema.anyOf?.some(({ format }) => format === "date-time")) return wrongInstants;
  return invalidValues(schema.items ?? schema)
    .filter((value) => typeof value === "string" && value.isWellFormed())
    .map(String);
}

/** A parameter of another kind of key is refused for that, whatever its value. */
const queryOf = ({ operation, kind }: Draft) =>
  operation.parameters.filter(({ name, in: place }) => place === "query" && isFor(name, kind));
const without = ({ query }: Draft, name: string) => query.filter(([each]) => each !== name);

const queryWays: readonly Way[] = [
  (draft, chance) => {
    const name = oneOf(chance, wrongNames);
    return { reason: `unknown parameter ${name}`, draft: { ...draft, query: [...draft.query, [name, "1"]] } };
  },
  (draft, chance) => {
    const given = draft.query.filter(([name]) => name !== "file");
    if (given.length === 0) return undefined;
    const pair = oneOf(chance, given);
    return { reason: `${pair[0]} twice`, draft: { ...draft, query: [...draft.query, pair] } };
  },
  (draft, chance) => {
    const { name } = oneOf(chance, queryOf(draft));
    return { reason: `${name} empty`, draft: { ...draft, query: [...without(draft, name), [name, ""]] } };
  },
  (draft, chance) => {
    const { name, schema } = oneOf(chance, queryOf(draft));
    const values =
      name === "cursor" ? ["x", "a.b", "a.b.c", "é", "x".repeat(1_025)] : wrongQueryValues(name, schema);
    if (values.length === 0 || name === "org_id") return undefined;
    const value = oneOf(chance, values);
    const query = [...without(draft, name), [name, value] as const];
    return { reason: `${name}=${value.slice(0, 40)}`, draft: { ...draft, query } };
  },
  (draft) => {
    const required = queryOf(draft).find((parameter) => parameter.required);
    return (
      required && { reason: `no ${required.name}`, draft: { ...draft, query: without(draft, required.name) } }
    );
  },
  (draft) => {
    if (!draft.query.some(([name]) => name === "start_date")) return undefined;
    const others = draft.query.filter(([name]) => name !== "start_date" && name !== "end_date");
    const query = [...others, ["start_date", "2026-02-02"], ["end_date", "2026-02-01"]] as const;
    return { reason: "days in the wrong order", draft: { ...draft, query } };
  },
];

const pathWays: readonly Way[] = [
  (draft, chance) => {
    const [name] = Object.keys(draft.path);
    if (name === undefined) return undefined;
    const value = oneOf(chance, wrongUuids);
    return { reason: `${name} ${value}`, draft: { ...draft, path: { [name]: encodeURIComponent(value) } } };
  },
];

const withBody = (draft: Draft, body: Record<string, unknown>): Draft => ({ ...draft, body });

const bodyWays: readonly Way[] = [
  (draft, chance) => {
    const name = oneOf(chance, ["surprise", "constructor", "author", "ORG_ID", "toString"]);
    return { reason: `unknown field ${name}`, draft: withBody(draft, { ...draft.body, [name]: 1 }) };
  },
  (draft) => {
    const rawBody = JSON.stringify(draft.body).replace("{", '{"__proto__":{"isAdmin":true},');
    return { reason: "a field __proto__", draft, rawBody: rawBody.replace(",}", "}") };
  },
  (draft, chance) => {
    const names = draft.operation.body?.required ?? [];
    if (names.length === 0) return undefined;
    const name = oneOf(chance, names);
    const { [name]: _, ...body } = draft.body ?? {};
    return { reason: `no ${name}`, draft: withBody(draft, body) };
  },
  (draft, chance) => {
    const [name, schema] = oneOf(chance, Object.entries(draft.operation.body?.properties ?? {}));
    const value = oneOf(chance, invalidValues(schema));
    const said = JSON.stringify(value)?.slice(0, 40);
    const isItem = draft.operation.id === "createLearnings" && name === "data" && isBatch(value);
    return {
      reason: `${name}: ${said}`,
      draft: withBody(draft, { ...draft.body, [name]: value }),
      ...(isItem && { isItem }),
    };
  },
  (draft, chance) => {
    const rawBody = oneOf(chance, [
      "[]",
      "null",
      '"text"',
      "7",
      "true",
      "{",
      "",
      "{}{}",
      "{'a':1}",
      "\ufeff",
      "NaN",
    ]);
    return { reason: `the body ${rawBody}`, draft, rawBody };
  },
  (draft, chance) => {
    const type = oneOf(chance, [
      "text/plain",
      "application/xml",
      "application/jsonp",
      "multipart/form-data",
      "json",
    ]);
    return { reason: `content-type ${type}`, draft, rawHeaders: ["content-type", type] };
  },
  (draft) => {
    const bytesMax = policyOf(draft.operation).bodyBytesMax ?? 1_048_576;
    return { reason: "too many bytes", draft, rawBody: `{"x":"${"y".repeat(bytesMax)}"}` };
  },
];

const isBatch = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.length <= 100;

/** Elements of a batch of Learnings that fail alone. */
const itemWay: Way = (draft, chance) => {
  const items = draft.operation.body?.properties?.data?.items;
  if (draft.operation.id !== "createLearnings" || !items) return undefined;
  const [name, schema] = oneOf(chance, Object.entries(items.properties ?? {}));
  const element = { repository_id: "9001", learning: "Good", [name]: oneOf(chance, invalidValues(schema)) };
  return {
    reason: `data[0].${name}`,
    draft: withBody(draft, { ...draft.body, data: [element] }),
    isItem: true,
  };
};

/** One mistake in an otherwise valid request. */
export function spoil(draft: Draft, chance: Chance): Spoiled {
  const items = Array.from({ length: 10 }, () => itemWay);
  const ways = [...queryWays, ...pathWays, ...(draft.body ? [...bodyWays, ...items] : [])];
  for (;;) {
    const spoiled = oneOf(chance, ways)(draft, chance);
    if (spoiled) return spoiled;
  }
}
