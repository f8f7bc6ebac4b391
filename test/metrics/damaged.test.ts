import { describe, expect, test } from "vitest";
import { draftMcp, prUrlOfMcp, toMcpRecord } from "../../lib/metrics/mcp.ts";
import { prUrlOfComments } from "../../lib/metrics/review-comments.ts";
import { writeReview } from "../../lib/metrics/review-formats.ts";
import { draftReview, prUrlOfReview } from "../../lib/metrics/reviews.ts";
import { ByteWriter } from "../../lib/runtime/byte-writer.ts";
import { CorruptItem } from "../../lib/store/items/parse.ts";
import type { StreamEntry } from "../../lib/stream/stream.ts";

const entry = (payload: StreamEntry["payload"]): StreamEntry => ({
  number: 42,
  organization: "o",
  repositoryId: "9001",
  authorId: null,
  atMs: 0,
  renderedBytes: 1,
  payload,
});
const owner = { organizationId: "1001", provider: "github" } as const;
const pullRequest = {
  ...owner,
  prUrl: "https://git.example.com/pull/1",
  repositoryId: "9001",
  authorId: null,
  mergedAtMs: 0,
  servers: [
    {
      name: "tickets",
      tools: [
        { name: "find", calls: 3, failures: 1 },
        { name: "open", calls: 2, failures: 0 },
      ],
    },
    { name: "idle", tools: [] },
  ],
};

describe("MCP use", () => {
  test("MCP use is read back as sent, with the calls of each server summed", () => {
    const { payload } = draftMcp(pullRequest);
    expect(toMcpRecord(entry(payload), owner)).toEqual({
      pr_url: pullRequest.prUrl,
      organization_id: "1001",
      repository_id: "9001",
      author_id: null,
      merged_at: "1970-01-01T00:00:00.000Z",
      servers: [
        { ...pullRequest.servers[0], calls: 5 },
        { name: "idle", calls: 0, tools: [] },
      ],
      provider: "github",
    });
  });

  test.each([
    ["no list", { a: 1 }],
    ["no URL", [7]],
    ["a server that is no list", ["u", "tickets"]],
    ["a server without a name", ["u", [7]]],
    ["a tool that is no list", ["u", ["tickets", "find"]]],
    ["a tool without a name", ["u", ["tickets", [7, 1, 0]]]],
    ["a tool whose calls are no number", ["u", ["tickets", ["find", "1", 0]]]],
    ["a tool whose failures are no number", ["u", ["tickets", ["find", 1, null]]]],
  ])("MCP use stored as %s is damaged, and the error does not show its content", (_, content) => {
    expect(() => toMcpRecord(entry(JSON.stringify(content)), owner)).toThrow(
      new CorruptItem("The payload of the metrics entry 42 is damaged."),
    );
  });

  test("MCP use stored as neither text nor bytes is damaged", () => {
    expect(() => toMcpRecord(entry(7), owner)).toThrow(CorruptItem);
  });
});

test.each([
  ["MCP use", prUrlOfMcp],
  ["a review", prUrlOfReview],
  ["review comments", prUrlOfComments],
])("the URL of %s in a damaged payload is an error that does not show the payload", (_, prUrlOf) => {
  expect(() => prUrlOf(entry("planted"))).toThrow(
    new CorruptItem("The payload of the metrics entry 42 is damaged."),
  );
});

describe("a review", () => {
  const { payload } = draftReview({
    ...pullRequest,
    authorUsername: null,
    authorType: null,
    status: "closed",
    atMs: 0,
    createdAtMs: -1,
    readyForReviewAtMs: null,
    firstHumanReviewAtMs: null,
    lastCommitAtMs: null,
    closedAtMs: 0,
    reviewIterations: 0,
    estimatedComplexity: null,
    estimatedReviewMinutes: null,
    comments: [],
  });
  const fields: unknown[] = JSON.parse(String(payload).slice(1));
  const names = {
    ...owner,
    organizationName: "Acme",
    repositoryName: "web",
    repositoryFullName: "acme/web",
  };
  const read = (content: unknown) => {
    const out = new ByteWriter();
    writeReview(out, { entry: entry(`c${JSON.stringify(content)}`), names });
    return JSON.parse(out.written().toString());
  };

  test("a review is read back as sent", () => {
    expect(read(fields)).toMatchObject({
      pr_url: pullRequest.prUrl,
      created_at: "1969-12-31T23:59:59.999Z",
      ready_for_review_at: null,
      merged_at: null,
      status: "closed",
      review_iterations: 0,
      coderabbit_comments: { total: { posted: 0, accepted: 0 } },
    });
  });

  test.each([
    ["no list", { a: 1 }],
    ["no URL", fields.with(0, 7)],
    ["a name that is no text", fields.with(1, 7)],
    ["no time of creation", fields.with(2, null)],
    ["no iterations", fields.with(6, null)],
    ["an estimate that is no number", fields.with(7, "3")],
    ["a count too few", fields.slice(0, -1)],
    ["no last count", fields.with(-1, null)],
  ])("a review stored with %s is damaged, and the error does not show its content", (_, content) => {
    expect(() => read(content)).toThrow(new CorruptItem("The payload of the metrics entry 42 is damaged."));
  });
});
