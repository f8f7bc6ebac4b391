import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { requestLimits } from "../../lib/contract/limits.ts";
import { lambdaLimits } from "../../lib/contract/platform.ts";
import { useApi } from "../support/api.ts";
import { World } from "../support/world.ts";
import { item, newHome, pageOf, resultsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
let key: string;
beforeAll(async () => {
  const { uuid } = await newHome(world);
  key = await world.adminKey(uuid, "ann");
});

const problemsOf = ({ json }: { json: unknown }) =>
  z
    .object({ errors: z.array(z.object({ code: z.string(), message: z.string() })) })
    .parse(json)
    .errors.map(({ code, message }) => `${code} ${message.split(":")[0]}`);

describe("one answer has all validation problems of a request", () => {
  const badPath = "/v1/learnings/none?foo=1";
  const pathAndQuery = ["INVALID_REQUEST learning_id", "INVALID_REQUEST foo"];

  test.each([
    ["a body that is no object", "[]", [...pathAndQuery, "INVALID_REQUEST body"]],
    ["a body that lacks a field", "{}", [...pathAndQuery, "INVALID_REQUEST learning"]],
  ])("%s does not hide the problems of path and query", async (_, body, problems) => {
    const answer = await api.call(badPath, { method: "PATCH", key, body });
    expect([answer.status, problemsOf(answer)]).toEqual([400, problems]);
  });

  test.each([
    ["that is missing", "", "body: is required and must be a JSON object."],
    ["that is not JSON", "{", "body: is not valid JSON."],
    ["that is not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "body: is not valid UTF-8."],
    ["with a forbidden key", '{"__proto__":1}', "__proto__: is not allowed as a key in the body."],
  ])("a body %s is reported alone", async (_, body, message) => {
    const answer = await api.call(badPath, { method: "PATCH", key, body });
    expect([answer.status, answer.json]).toEqual([400, { errors: [{ code: "INVALID_REQUEST", message }] }]);
  });

  test("problems of the body's size and type have their own statuses, so they are reported alone", async () => {
    const large = "x".repeat(requestLimits.bodyBytesMax + 1);
    const tooLarge = await api.call(badPath, { method: "PATCH", key, body: large });
    expect([tooLarge.status, tooLarge.codes]).toEqual([413, ["PAYLOAD_TOO_LARGE"]]);
    const rawHeaders = ["content-type", "text/plain"];
    const otherType = await api.call(badPath, { method: "PATCH", key, body: "{}", rawHeaders });
    expect([otherType.status, otherType.codes]).toEqual([415, ["UNSUPPORTED_MEDIA_TYPE"]]);
  });

  test("a damaged cursor is reported together with the other problems of the query", async () => {
    const answer = await api.call("/v1/learnings?limit=0&cursor=abc&foo=1", { key });
    expect([answer.status, problemsOf(answer)]).toEqual([
      400,
      ["INVALID_REQUEST limit", "INVALID_REQUEST foo", "INVALID_CURSOR cursor"],
    ]);
    const long = await api.call(`/v1/learnings?cursor=${"x".repeat(1_025)}`, { key });
    expect(problemsOf(long)).toEqual(["INVALID_REQUEST cursor"]);
  });

  test("other operations report only the first error", async () => {
    const answer = await api.call("/v1/audit-logs?limit=0&cursor=abc", { key });
    expect([answer.codes, answer.message]).toEqual([
      ["INVALID_REQUEST"],
      "limit: must be a whole number from 1 to 100.",
    ]);
  });
});

describe("an answer repeats only a limited part of what a caller sends", () => {
  const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, 1]));
  const longName = { ["n".repeat(1_000_000)]: 1 };

  test("an item with very many unknown fields fails alone: the others are stored and reported as stored", async () => {
    const answer = await api.call("/v1/learnings", {
      key,
      body: { data: [item("kept"), item("odd", fields), item("long", longName)] },
    });
    expect(answer.status).toBe(200);
    expect(resultsOf(answer).results.map(({ status }) => status)).toEqual(["created", "failed", "failed"]);
    expect(answer.body.length).toBeLessThan(10_000);
    expect(resultsOf(answer).results[1]?.error?.message).toMatch(/There are 99980 more problems\.$/);
    const page = pageOf(await api.call("/v1/learnings", { key }));
    expect(page.data.map(({ learning }) => learning)).toEqual(["kept"]);
  });

  test("a body with very many unknown fields is a 400 that Lambda can send", async () => {
    const answer = await api.call("/v1/learnings", {
      key,
      body: { data: [item("x")], ...fields, ...longName },
    });
    expect([answer.status, answer.codes.length]).toEqual([400, requestLimits.problemsMax + 1]);
    expect(answer.body.length).toBeLessThan(10_000);
    expect(answer.body.length).toBeLessThan(lambdaLimits.answerBytesMax);
  });

  test("a key named __proto__ in one item is a 400 for the whole body that names the key", async () => {
    const data = `[{"repository_id":"repo-1","learning":"a","__proto__":{"b":1}},{"repository_id":"repo-1","learning":"b"}]`;
    const answer = await api.call("/v1/learnings", { key, body: `{"data":${data}}` });
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        errors: [{ code: "INVALID_REQUEST", message: "__proto__: is not allowed as a key in the body." }],
      },
    ]);
  });
});
