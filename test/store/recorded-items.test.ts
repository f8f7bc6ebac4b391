import { readFileSync } from "node:fs";
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Item } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";

/**
 * Items of every kind in the table, recorded from release 1, whose client marshalled them itself: `stored` is what it
 * sent to DynamoDB, `read` is the item after it read the same back. Bytes are base64.
 */
const recorded = z
  .array(
    z.object({
      kind: z.string(),
      stored: z.record(z.string(), z.record(z.string(), z.unknown())),
      read: z.record(z.string(), z.unknown()),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL("./release-1-items.json", import.meta.url), "utf8")));

const store = useStore();
let raw: DynamoDBClient;
beforeAll(() => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  raw = new DynamoDBClient({ endpoint: store().endpoint, region: "local", credentials });
});
afterAll(() => raw.destroy());

/** The form that was sent: the client takes bytes where JSON has base64. */
const attribute = (value: unknown): AttributeValue => {
  // The recording defines this form of a DynamoDB attribute.
  const [[type, content] = ["", undefined]] = Object.entries(value as Record<string, unknown>);
  if (type === "B") return { B: new Uint8Array(Buffer.from(String(content), "base64")) };
  if (type === "L") return { L: (content as unknown[]).map(attribute) };
  if (type === "M") return { M: attributes(content as object) };
  return { [type]: content } as unknown as AttributeValue;
};
const attributes = (map: object): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, attribute(value)]));

/** Replaces `$bytes` with bytes. */
function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value) return new Uint8Array(Buffer.from(String(value.$bytes), "base64"));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, revived(each)]));
}

describe.each(recorded.map((each, index) => ({ ...each, name: `${index} ${each.kind}` })))(
  "release 1's item $name",
  ({ name, stored, read }) => {
    // The recorded value of an item is an item.
    const item = revived(read) as Item;
    const { pk, sk } = item;
    const Key = { pk: { S: pk }, sk: { S: sk } };

    const rawItem = async () =>
      (await raw.send(new GetItemCommand({ TableName: store().tableName, Key }))).Item;

    test(`release 1's item ${name} reads back unchanged, and is stored again as release 1 stored it`, async () => {
      await raw.send(new PutItemCommand({ TableName: store().tableName, Item: attributes(stored) }));
      const before = await rawItem();
      expect(await store().table.get({ pk, sk })).toStrictEqual(item);
      await store().table.write({ delete: { pk, sk } });
      await store().table.write({ put: item });
      expect(await rawItem()).toEqual(before);
    });
  },
);

test("the recording holds every kind of item of the table's layout", () => {
  const layout = readFileSync(new URL("../../lib/store/layout.ts", import.meta.url), "utf8");
  const prefixes = [...layout.matchAll(/^ \* \| [^|]+\| ([A-Z#-]+)[^|]*\|/gm)].map(
    ([, prefix = ""]) => prefix,
  );
  const keys = recorded.map(({ read }) => String(read.pk));
  /** Kinds that were added later, or have a partition of their own since then. */
  const sinceRelease1 = new Set([
    ...["OWED", "TRIES#", "SWEEPER", "PENDING#", "USED#", "MOVING-LOG"],
    ...["PEOPLE#", "MEMBERS#", "ROLES#", "SEATS#", "ORGS#", "KEYS#"],
  ]);
  expect(prefixes.length).toBeGreaterThan(25);
  expect(
    prefixes.filter((prefix) => !sinceRelease1.has(prefix) && !keys.some((pk) => pk.startsWith(prefix))),
  ).toEqual([]);
});
