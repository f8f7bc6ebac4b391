import type { Random } from "../../../lib/runtime/random.ts";
import type { Schema } from "./document.ts";
import { type Draft, isFor, listsMax, policyOf } from "./draft.ts";
import { checksOrgId } from "./selector.ts";
import { invalidValues, oneOf } from "./values.ts";
import { repositories } from "./world.ts";

/** A request that is wrong for exactly one reason. */
export type Spoiled = {
  readonly reason: string;
  readonly draft: Draft;
  /** In place of the draft's body. */
  readonly rawBody?: string;
  readonly rawHeaders?: readonly string[];
  readonly status?: 400 | 413 | 415;
  /** The beginning of the message: the field that is wrong. Undefined if one mistake affects several fields. */
  readonly field: string | undefined;
  /** This element of a batch is wrong: it fails alone, and the batch gets 200. */
  readonly item?: number;
};

type Way = (draft: Draft, random: Random) => Spoiled | undefined;

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

/** A parameter of another kind of key is refused for that reason, with any value. */
const queryOf = ({ operation, kind }: Draft) =>
  operation.parameters.filter(({ name, in: place }) => place === "query" && isFor(name, kind));
const without = ({ query }: Draft, name: string) => query.filter(([each]) => each !== name);

const queryWays: readonly Way[] = [
  (draft, random) => {
    const name = oneOf(random, wrongNames);
    const query = [...draft.query, [name, "1"] as const];
    return { reason: `unknown parameter ${name}`, field: name, draft: { ...draft, query } };
  },
  (draft, random) => {
    const given = draft.query.filter(([name]) => name !== "file");
    if (given.length === 0) return undefined;
    const pair = oneOf(random, given);
    const query = [...draft.query, pair];
    return { reason: `${pair[0]} twice`, field: pair[0], draft: { ...draft, query } };
  },
  (draft, random) => {
    const { name } = oneOf(random, queryOf(draft));
    const query = [...without(draft, name), [name, ""] as const];
    return { reason: `${name} empty`, field: name, draft: { ...draft, query } };
  },
  (draft, random) => {
    const { name, schema } = oneOf(random, queryOf(draft));
    if (name === "org_id" && !checksOrgId(draft)) return undefined;
    const values =
      name === "cursor" ? ["x", "a.b", "a.b.c", "é", "x".repeat(1_025)] : wrongQueryValues(name, schema);
    if (values.length === 0) return undefined;
    const value = oneOf(random, values);
    const query = [...without(draft, name), [name, value] as const];
    return { reason: `${name}=${value.slice(0, 40)}`, field: name, draft: { ...draft, query } };
  },
  (draft) => {
    const required = queryOf(draft).find((parameter) => parameter.required);
    if (!required) return undefined;
    const { name } = required;
    return { reason: `no ${name}`, field: name, draft: { ...draft, query: without(draft, name) } };
  },
  (draft) => {
    if (!draft.query.some(([name]) => name === "start_date")) return undefined;
    const others = draft.query.filter(([name]) => name !== "start_date" && name !== "end_date");
    const query = [...others, ["start_date", "2026-02-02"], ["end_date", "2026-02-01"]] as const;
    return { reason: "days in the wrong order", field: "end_date", draft: { ...draft, query } };
  },
];

const pathWays: readonly Way[] = [
  (draft, random) => {
    const [name] = Object.keys(draft.path);
    if (name === undefined) return undefined;
    const value = oneOf(random, wrongUuids);
    const path = { [name]: encodeURIComponent(value) };
    return { reason: `${name} ${value}`, field: name, draft: { ...draft, path } };
  },
];

const withBody = (draft: Draft, body: Record<string, unknown>): Draft => ({ ...draft, body });

const bodyWays: readonly Way[] = [
  (draft, random) => {
    const name = oneOf(random, ["surprise", "constructor", "author", "ORG_ID", "toString"]);
    const body = { ...draft.body, [name]: 1 };
    return { reason: `unknown field ${name}`, field: name, draft: withBody(draft, body) };
  },
  (draft) => {
    const rawBody = JSON.stringify(draft.body).replace("{", '{"__proto__":{"isAdmin":true},');
    const reason = "a field __proto__";
    return { reason, field: "__proto__", draft, rawBody: rawBody.replace(",}", "}") };
  },
  (draft, random) => {
    const names = draft.operation.body?.required ?? [];
    if (names.length === 0) return undefined;
    const name = oneOf(random, names);
    const { [name]: _, ...body } = draft.body ?? {};
    return { reason: `no ${name}`, field: name, draft: withBody(draft, body) };
  },
  (draft, random) => {
    const [name, schema] = oneOf(random, Object.entries(draft.operation.body?.properties ?? {}));
    const value = oneOf(random, invalidValues(schema));
    if (name === "org_id" && value !== "" && !checksOrgId(draft)) return undefined;
    const said = JSON.stringify(value)?.slice(0, 40);
    const isItem = draft.operation.id === "createLearnings" && name === "data" && isBatch(value);
    return {
      reason: `${name}: ${said}`,
      field: isItem ? undefined : name,
      draft: withBody(draft, { ...draft.body, [name]: value }),
      ...(isItem && { item: 0 }),
    };
  },
  (draft, random) => {
    const rawBody = oneOf(random, [
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
    return { reason: `the body ${rawBody}`, field: "body", draft, rawBody };
  },
  (draft, random) => {
    const type = oneOf(random, [
      "text/plain",
      "application/xml",
      "application/jsonp",
      "multipart/form-data",
      "json",
    ]);
    const rawHeaders = ["content-type", type];
    return { reason: `content-type ${type}`, status: 415, field: "The body", draft, rawHeaders };
  },
  (draft) => {
    const bytesMax = policyOf(draft.operation).bodyBytesMax ?? 1_048_576;
    const rawBody = `{"x":"${"y".repeat(bytesMax)}"}`;
    return { reason: "too many bytes", status: 413, field: "The body", draft, rawBody };
  },
];

const isBatch = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.length <= 100;

/** Elements of a batch of Learnings that fail alone, among others that succeed. */
const itemWay: Way = (draft, random) => {
  const items = draft.operation.body?.properties?.data?.items;
  if (draft.operation.id !== "createLearnings" || !items) return undefined;
  const [name, schema] = oneOf(random, Object.entries(items.properties ?? {}));
  const good = { repository_id: repositories[0], learning: "Good" };
  const data = Array.from({ length: 1 + random.below(4) }, () => good);
  const item = random.below(data.length);
  const bad = { ...good, [name]: oneOf(random, invalidValues(schema)) };
  return {
    reason: `data[${item}].${name}`,
    field: name,
    draft: withBody(draft, { ...draft.body, data: data.with(item, bad) }),
    item,
  };
};

/** One mistake in an otherwise valid request. */
export function spoil(draft: Draft, random: Random): Spoiled {
  const items = Array.from({ length: 10 }, () => itemWay);
  const ways = [...queryWays, ...pathWays, ...(draft.body ? [...bodyWays, ...items] : [])];
  for (;;) {
    const spoiled = oneOf(random, ways)(draft, random);
    if (spoiled) return spoiled;
  }
}
