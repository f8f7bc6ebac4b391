import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { everyKindOfKey, World } from "../support/world.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
let setup: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  setup = await everyKindOfKey(world, "faults");
  // The first call creates the cursor keys, so that later calls count only their own work.
  await api.call("/v1/organizations", { key: setup.keys.workspace.text });
  // A key that was just accepted is read together with everything else.
  await whoami();
});
beforeEach(() => engine.inject());
const whoami = () => api.call("/v1/whoami", { key: setup.keys.user.text });

describe("a store that fails", () => {
  test.each(["throttle", "server_error", "lost_before", "lost_after"] as const)(
    "a store that fails once (%s) causes no error",
    async (fault) => {
      engine.inject(({ operation, count }) =>
        operation === "BatchGetItem" && count === 1 ? fault : undefined,
      );
      expect((await whoami()).status).toBe(200);
      expect(engine.calls.filter((operation) => operation === "BatchGetItem")).toHaveLength(2);
    },
  );

  test.each(["throttle", "server_error", "lost_before"] as const)(
    "a store that keeps failing (%s) is a 503 with Retry-After and without details of the store",
    async (fault) => {
      engine.inject(() => fault);
      const answer = await whoami();
      expect([answer.status, answer.codes]).toEqual([503, ["SERVICE_UNAVAILABLE"]]);
      expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(answer.body.toString()).not.toMatch(/hunter2|dynamo/i);
    },
  );

  test("an invalid answer of the store is a 500 that contains only the request id", async () => {
    engine.inject(() => "validation");
    const answer = await api.call("/v1/whoami", {
      key: setup.keys.user.text,
      rawHeaders: ["x-request-id", "req-1"],
    });
    expect(answer.json).toEqual({
      error: {
        code: "INTERNAL_ERROR",
        message: "Internal error. Retry; if it persists, report request req-1.",
      },
    });
  });
});

describe("a limiter that fails", () => {
  const onLimiter = (
    fault: "throttle" | "lost_before" | "server_error" | "lost_after",
    times = Number.POSITIVE_INFINITY,
  ) => {
    let left = times;
    engine.inject(({ operation, body }) =>
      operation === "UpdateItem" && body.includes("LIMIT#") && left-- > 0 ? fault : undefined,
    );
  };

  test("a limiter that is throttled counts as full: 429", async () => {
    onLimiter("throttle");
    const answer = await whoami();
    expect([answer.status, answer.codes, answer.headers["retry-after"]]).toEqual([
      429,
      ["RATE_LIMIT_EXCEEDED"],
      "1",
    ]);
  });

  test("a limiter that refuses a call wins over the operation's own error, and the call is no use of the key", async () => {
    const { organization } = setup;
    const asAdmin = { organization, owner: "u-admin", role: "cr_admin" } as const;
    const { key, text } = await world.key({ kind: "organization", ...asAdmin });
    const usesOf = async (fault: "throttle" | undefined) => {
      let uses = 0;
      engine.inject(({ operation, body }) => {
        if (operation !== "UpdateItem") return undefined;
        if (body.includes("LIMIT#")) return fault;
        if (body.includes(key.id)) uses++;
        return undefined;
      });
      const { status } = await api.call("/v1/roles/00000000-0000-4000-8000-000000000000", { key: text });
      return { status, uses };
    };
    expect(await usesOf("throttle")).toEqual({ status: 429, uses: 0 });
    // The write is counted when the answer is here: a frozen function would never send it later.
    expect(await usesOf(undefined)).toEqual({ status: 404, uses: 1 });
  });

  test("a limiter that cannot be reached admits reads; the answer has no header about the limit", async () => {
    onLimiter("lost_before");
    const answer = await whoami();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.includes("ratelimit"))).toEqual([]);
  });

  test("a limiter whose answer is lost admits once and counts once", async () => {
    const before = Number((await whoami()).headers["x-ratelimit-remaining"]);
    onLimiter("lost_after", 1);
    expect(Number((await whoami()).headers["x-ratelimit-remaining"])).toBe(before - 1);
  });
});

test("a failing write of last_used_at does not fail the request", async () => {
  const fresh = await world.key({ kind: "user", organization: setup.organization, owner: "u-member" });
  engine.inject(({ operation, body }) =>
    operation === "UpdateItem" && body.includes("USED#") ? "validation" : undefined,
  );
  expect((await api.call("/v1/whoami", { key: fresh.text })).status).toBe(200);
});

describe("round trips", () => {
  const trips = async (kind: keyof typeof setup.keys, target: string) => {
    await api.call(target, { key: setup.keys[kind].text });
    engine.inject();
    expect((await api.call(target, { key: setup.keys[kind].text })).status).toBe(200);
    return [...engine.calls];
  };

  test("authentication is one round of reads, the limiter one write", async () => {
    expect(await trips("organization", "/v1/whoami")).toEqual(["BatchGetItem", "UpdateItem"]);
    expect(await trips("user", "/v1/whoami")).toEqual(["BatchGetItem", "UpdateItem"]);
    expect((await trips("workspace", "/v1/whoami")).toSorted()).toEqual([
      "BatchGetItem",
      "Query",
      "UpdateItem",
    ]);
    expect((await trips("instance", "/v1/whoami")).toSorted()).toEqual([
      "BatchGetItem",
      "Query",
      "UpdateItem",
    ]);
    expect(await trips("agentic", "/v1/whoami")).toEqual(["BatchGetItem", "UpdateItem"]);
    expect(await trips("legacy", "/v1/whoami")).toEqual(["GetItem", "BatchGetItem", "UpdateItem"]);
  });
});
