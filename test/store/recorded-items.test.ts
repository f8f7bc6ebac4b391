import { readFileSync } from "node:fs";
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Key } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { anyKind, kindNames, kindOf } from "./item-kinds.ts";
import { parseByKind } from "./item-parsers.ts";

/**
 * Items of every kind, as DynamoDB holds them; bytes are base64. `npm run record:items` records them again: once per
 * release, at its end. What is recorded here, the next release must read.
 */
const stored = z.record(z.string(), z.record(z.string(), z.unknown()));
const recorded = readFileSync(new URL("./recorded-items.ndjson", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const item = attributes(stored.parse(JSON.parse(line)));
    return { item, key: { pk: item.pk?.S ?? "", sk: item.sk?.S ?? "" } };
  });

/** The form that was sent: the client takes bytes where JSON has base64. */
function attribute(value: unknown): AttributeValue {
  // The recording defines this form of a DynamoDB attribute.
  const [[type, content] = ["", undefined]] = Object.entries(value as Record<string, unknown>);
  if (type === "B") return { B: new Uint8Array(Buffer.from(String(content), "base64")) };
  if (type === "L") return { L: (content as unknown[]).map(attribute) };
  if (type === "M") return { M: attributes(content as object) };
  return { [type]: content } as unknown as AttributeValue;
}
function attributes(map: object): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, attribute(value)]));
}

const store = useStore();
let raw: DynamoDBClient;
beforeAll(() => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  raw = new DynamoDBClient({ endpoint: store().endpoint, region: "local", credentials });
});
afterAll(() => raw.destroy());
const rawItem = async ({ pk, sk }: Key) => {
  const Key = { pk: { S: pk }, sk: { S: sk } };
  return (await raw.send(new GetItemCommand({ TableName: store().tableName, Key }))).Item;
};

describe.each(kindNames)("recorded items: %s", (kind) => {
  const items = recorded.filter(({ key }) => kindOf(key) === kind);

  test(`recorded items: ${kind} is read, and stored again as it was`, async () => {
    expect(items.length).toBeGreaterThan(0);
    if (items.some(({ item }) => item.ttl)) expect(anyKind(kind).expires).toBe(true);
    for (const { item, key } of items) {
      await raw.send(new PutItemCommand({ TableName: store().tableName, Item: item }));
      const before = await rawItem(key);
      const read = await store().table.get(key);
      if (!read) throw new Error(`${key.pk} / ${key.sk} was not stored.`);
      expect(() => parseByKind(read)).not.toThrow();
      await store().table.write({ delete: key });
      await store().table.write({ put: read });
      expect(await rawItem(key)).toEqual(before);
    }
  });
});
