import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { mcpLimits } from "../../lib/contract/mcp.ts";
import { functionSettings } from "../../lib/contract/platform.ts";
import { ManualClock } from "../support/clock.ts";
import { apiOf, connect, json, never, post, readingOf, type ScriptedApi, useApiAddress } from "./serve.ts";

beforeAll(useApiAddress);

const { totalMs, wrapUpMs, answerMs } = functionSettings.operation.work;
const period = { start_date: "2026-01-01", end_date: "2026-06-30" };
const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});
const toolError = z.object({ isError: z.literal(true), content: z.array(z.object({ text: z.string() })) });

/** The answer to a 2025 client is one event. */
const resultOf = (text: string) =>
  z.object({ result: z.unknown() }).parse(JSON.parse(text.replace(/^event: message\ndata: /, ""))).result;
const sentenceOf = (text: string) => toolError.parse(resultOf(text)).content[0]?.text;

/** Whether the answer is there. */
function watch<Answer>(promise: Promise<Answer>) {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  return { done, isDone: () => isDone };
}

describe("time", () => {
  test("a tool that the API does not answer ends after 26 seconds and says how to ask for less", async () => {
    const clock = new ManualClock();
    const answer = watch(post(call("list_learnings"), { clock, fetch: apiOf(never) }));
    await clock.advanceTo(totalMs - wrapUpMs);
    await clock.advanceTo(totalMs - 1);
    expect(answer.isDone()).toBe(false);
    await clock.advanceTo(totalMs);
    const { status, text } = await answer.done;
    expect([totalMs, status, sentenceOf(text)]).toEqual([
      26_000,
      200,
      "SERVICE_UNAVAILABLE: The API did not answer in time. Ask for less: a shorter period, a smaller limit or more filters.",
    ]);
  });

  test("a function with less time left answers before Lambda ends it", async () => {
    const clock = new ManualClock();
    const answer = watch(post(call("list_learnings"), { clock, fetch: apiOf(never), remainingMs: 10_000 }));
    await clock.advanceTo(10_000 - answerMs - wrapUpMs);
    expect(answer.isDone()).toBe(false);
    await clock.advanceTo(10_000 - answerMs);
    expect((await answer.done).status).toBe(200);
  });

  test("a list of tools that whoami does not answer in time is a 503 with Retry-After", async () => {
    const clock = new ManualClock();
    const fetch: typeof globalThis.fetch = async (_url, init = {}) =>
      await never("/", init, new URL("http://x"));
    const answer = watch(post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { clock, fetch }));
    await clock.advanceTo(totalMs - wrapUpMs);
    await clock.advanceTo(totalMs);
    const { status, headers, text } = await answer.done;
    expect([status, headers["retry-after"], JSON.parse(text).error.code]).toEqual([
      503,
      expect.any(String),
      "SERVICE_UNAVAILABLE",
    ]);
  });
});

describe("a period that is too large", () => {
  const page = (next_cursor: string | null) =>
    json(
      { data: [], next_cursor: next_cursor },
      { headers: next_cursor ? { "x-next-cursor": next_cursor } : {} },
    );
  /** Some pages, then something else. */
  const afterPages = (pages: number, then: ScriptedApi): ScriptedApi => {
    let sent = 0;
    return (path, ...request) => {
      if (path === "/v1/teams") return json({ teams: [], next_cursor: null });
      return sent++ < pages ? page(`cursor-${sent}`) : then(path, ...request);
    };
  };
  const tooLarge =
    /^RESPONSE_TOO_LARGE: There is too much to read in the time of one call\. Choose a shorter period, or name repository_ids\.$/;

  test.each(["review_report", "find_pull_requests"])(
    "%s says so while there is still time to count",
    async (name) => {
      const clock = new ManualClock();
      const args = name === "review_report" ? period : { ...period, find: "slow" };
      const answer = watch(post(call(name, args), { clock, fetch: apiOf(afterPages(3, never)) }));
      await clock.advanceTo(totalMs - wrapUpMs - 1);
      expect(answer.isDone()).toBe(false);
      await clock.advanceTo(totalMs - wrapUpMs);
      expect(sentenceOf((await answer.done).text)).toMatch(tooLarge);
    },
  );

  test("idle seats that take too long say what their own arguments can do", async () => {
    const clock = new ManualClock();
    const answer = watch(post(call("find_idle_seats"), { clock, fetch: apiOf(never) }));
    await clock.advanceTo(totalMs - wrapUpMs - 1);
    await clock.advanceTo(totalMs - wrapUpMs);
    expect(sentenceOf((await answer.done).text)).toBe(
      "RESPONSE_TOO_LARGE: There is too much to read in the time of one call. Send fewer days or a smaller limit.",
    );
  });

  const refusedFor =
    (seconds: number): ScriptedApi =>
    () =>
      json(
        { error: { code: "RATE_LIMIT_EXCEEDED", message: "Too many requests." } },
        { status: 429, headers: { "retry-after": String(seconds) } },
      );
  const refused = refusedFor(40);

  test("a report whose time goes into short waits for the rate limit says so, not that it is too large", async () => {
    const clock = new ManualClock();
    const fetch = apiOf(afterPages(1, refusedFor(mcpLimits.retryAfterSecondsMax)));
    const answer = watch(post(call("review_report", period), { clock, fetch }));
    await clock.advanceTo(totalMs - wrapUpMs - 1);
    expect(answer.isDone()).toBe(false);
    await clock.advanceTo(totalMs - wrapUpMs);
    expect(sentenceOf((await answer.done).text)).toMatch(
      /^RATE_LIMIT_EXCEEDED: Too many requests\.\nWait 5 seconds before you call it again\./,
    );
  });

  test.each([0, 1, 2])(
    "a report that the rate limit refuses after %i pages says how long to wait, not that it is too large",
    async (pages) => {
      const { text } = await post(call("review_report", period), {
        fetch: apiOf(afterPages(pages, refused)),
      });
      expect(sentenceOf(text)).toBe(
        "RATE_LIMIT_EXCEEDED: Too many requests.\nWait 40 seconds before you call it again. Other calls share this limit, and a report over a shorter period needs fewer requests.",
      );
    },
  );
});

describe("size", () => {
  const learnings = (characters: number) =>
    apiOf(() => json({ data: [{ learning: "a".repeat(characters) }], next_cursor: null }));
  const most = mcpLimits.answerBytesMax;

  test.each(["auto", "legacy"] as const)(
    "the largest answer has at most 1 MiB, a larger one is an error that says how to ask for less (%s)",
    async (mode) => {
      const ask = async (characters: number) => {
        const client = await connect({ fetch: learnings(characters) }, mode);
        return await client.callTool({ name: "list_learnings", arguments: {} });
      };
      expect(readingOf(await ask(most - 6_000)).content).toMatchObject({ next_cursor: null });
      const [{ text } = { text: "" }] = toolError.parse(await ask(most)).content;
      expect(text).toMatch(
        /^RESPONSE_TOO_LARGE: The result has \d+ bytes; at most \d+ are sent\. Ask for less: a smaller limit, /,
      );
    },
  );

  test("no answer exceeds 1 MiB, whatever the size of the page and of the request's id", async () => {
    for (const [characters, id] of [
      [most - 4_500, "1"],
      [most - 5_000, "x".repeat(10_000)],
      [1, "x".repeat(mcpLimits.bodyBytesMax - 1_000)],
    ] as const) {
      const { text } = await post({ ...call("list_learnings"), id }, { fetch: learnings(characters) });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mcpLimits.answerBytesMax);
    }
  });

  test("an answer of exactly 1 MiB is sent, one byte more is refused", async () => {
    const ask = async (idLength: number) =>
      await post({ ...call("list_learnings"), id: "x".repeat(idLength) }, { fetch: learnings(most / 2) });
    const shortest = Buffer.byteLength((await ask(1)).text);
    const idLength = most - shortest + 1;
    const largest = await ask(idLength);
    expect([largest.status, Buffer.byteLength(largest.text)]).toEqual([200, most]);
    const { status, text } = await ask(idLength + 1);
    expect([status, JSON.parse(text).error.code]).toEqual([413, "RESPONSE_TOO_LARGE"]);
  });

  test("a body of 1 MiB is taken, and one byte more is refused with a sentence that says what to do", async () => {
    const fetch = apiOf(() => json({ status: "success" }));
    const body = JSON.stringify(call("create_learnings", { data: [] }));
    const fill = (bytes: number) => body + " ".repeat(bytes - body.length);
    expect((await post(fill(mcpLimits.bodyBytesMax), { fetch })).status).toBe(200);
    const { status, text } = await post(fill(mcpLimits.bodyBytesMax + 1), { fetch });
    expect([status, JSON.parse(text).error]).toEqual([
      413,
      {
        code: "PAYLOAD_TOO_LARGE",
        message: "The body has 1048577 bytes; at most 1048576 are taken. Send less at once.",
      },
    ]);
  });
});
