import dns from "node:dns";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { compileChange, compileCondition, Placeholders } from "../../lib/store/expressions.ts";
import { CorruptItem, parseItem, tenantKeySchema } from "../../lib/store/items/parse.ts";
import { unlessDamaged } from "../../lib/store/items/unless-damaged.ts";

describe("an item read from the table", () => {
  const parse = parseItem("thing", z.strictObject({ pk: z.string(), sk: z.string(), count: z.number() }));

  test("an item read from the table is parsed like any other input", () => {
    const item = { pk: "a", sk: "b", count: 1 };
    expect(parse(item)).toEqual(item);
  });

  test("an item read from the table is reported with its damaged fields, never with a value", () => {
    expect(() => parse({ pk: "a", sk: "b", count: "secret" })).toThrow(
      new CorruptItem("The thing at a / b is damaged in: count."),
    );
    expect(() => parse({ pk: "a", sk: "b", count: 1, more: "secret" })).toThrow(
      new CorruptItem("The thing at a / b is damaged in: item."),
    );
  });

  test("a walk that passes over damaged items still stops at a bug in the parser", () => {
    vi.stubEnv("LOG_LEVEL", "silent");
    expect(unlessDamaged(parse, { pk: "a", sk: "b" }, "The test")).toBeUndefined();
    vi.unstubAllEnvs();
    const bug = new TypeError("a bug");
    const failing = () => {
      throw bug;
    };
    expect(() => unlessDamaged(failing, { pk: "a", sk: "b" }, "The test")).toThrow(bug);
  });

  test.each([
    ["w#acme", true],
    ["i#forge\n", true],
    ["o#1", true],
    ["w#", false],
    ["x#acme", false],
    ["aw#acme", false],
    [7, false],
  ])("the tenant schema accepts %j: %s", (value, isOne) => {
    expect(tenantKeySchema.safeParse(value).success).toBe(isOne);
  });
});

describe("an expression", () => {
  test("an expression without any condition or change is a bug and throws", () => {
    expect(() => compileCondition({ all: [] }, new Placeholders())).toThrow(
      new RangeError("A group of conditions needs at least one."),
    );
    expect(() => compileChange({}, new Placeholders())).toThrow(
      new RangeError("A change must change something."),
    );
  });

  test("an expression of a group with one condition is that condition", () => {
    expect(compileCondition({ any: [{ absent: "a" }] }, new Placeholders())).toBe("attribute_not_exists(#0)");
  });
});

describe("the store of a function without a request", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  test("the store of a function without a request is created once, from the environment alone", async () => {
    vi.stubEnv("TABLE_NAME", "t");
    vi.stubEnv("DYNAMODB_ENDPOINT", "http://127.0.0.1:9");
    const { openStore } = await import("../../lib/store/open.ts");
    const opened = openStore();
    expect(openStore()).toBe(opened);
    expect(Object.keys(opened).toSorted()).toEqual(["clock", "random", "table", "vectors"]);
  });

  test("without an endpoint in the environment, the client of the store calls DynamoDB in its region", async () => {
    vi.stubEnv("DYNAMODB_ENDPOINT", "");
    vi.stubEnv("AWS_REGION", "eu-test-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTEST");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "made-up");
    const hosts: string[] = [];
    vi.spyOn(dns, "lookup").mockImplementation(((host: string, _: object, done: (error: Error) => void) => {
      hosts.push(host);
      done(new Error("planted"));
    }) as typeof dns.lookup);
    const { storeClient } = await import("../../lib/store/client.ts");
    const client = storeClient();
    await expect(
      client.send(new GetCommand({ TableName: "t", Key: { pk: "1", sk: "1" } })),
    ).rejects.toThrow();
    expect(hosts).toEqual(["dynamodb.eu-test-1.amazonaws.com"]);
    client.destroy();
  });

  test("opening the store without the name of its table fails with the name of the variable", async () => {
    vi.stubEnv("TABLE_NAME", "");
    const { openStore } = await import("../../lib/store/open.ts");
    expect(() => openStore()).toThrow("The environment variable TABLE_NAME is not set.");
  });
});
