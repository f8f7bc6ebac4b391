import { describe, expect, test } from "vitest";
import { providers } from "../../lib/contract/access.ts";
import { csvRow } from "../../lib/contract/csv-row.ts";
import { metricsLimits, streamLimits } from "../../lib/contract/limits.ts";
import {
  categories,
  mcpRecord,
  reviewCommentsRecord,
  reviewRecord,
  severities,
} from "../../lib/contract/records-metrics.ts";
import { codeOf } from "../../lib/metrics/finding.ts";
import { draftMcp, toMcpRecord } from "../../lib/metrics/mcp.ts";
import { reviewColumns } from "../../lib/metrics/review-columns.ts";
import {
  draftReviewComments,
  type ReviewComment,
  writeReviewComments,
} from "../../lib/metrics/review-comments.ts";
import { type ReviewNames, reviewCells, writeReview } from "../../lib/metrics/review-formats.ts";
import { draftReview, hasStatus } from "../../lib/metrics/reviews.ts";
import { ByteWriter } from "../../lib/runtime/byte-writer.ts";
import { CorruptItem } from "../../lib/store/items/parse.ts";
import type { EntryDraft, StreamEntry } from "../../lib/stream/stream.ts";
import fc from "../support/property.ts";

const instant = fc.integer({
  min: Date.parse("2000-01-01T00:00:00.000Z"),
  max: Date.parse("2078-01-01T00:00:00.000Z"),
});
/** Any text that can be stored, including characters beyond the BMP and characters that JSON escapes. */
const text = fc
  .string({ unit: "binary", minLength: 1, maxLength: 40 })
  .filter((value) => value.isWellFormed());
const finding = {
  severity: fc.constantFrom(null, ...severities),
  category: fc.constantFrom(null, ...categories),
  accepted: fc.constantFrom(null, false, true),
};
const placed = {
  prUrl: text,
  organizationId: text,
  provider: fc.constantFrom(...providers),
  repositoryId: text,
  authorId: fc.option(text),
};

/** A draft as the stream returns it: through UTF-8, which destroys lone surrogates. */
const stored = (draft: EntryDraft): StreamEntry => ({
  number: 7,
  organization: "uuid",
  ...draft,
  payload: typeof draft.payload === "string" ? Buffer.from(draft.payload).toString() : draft.payload,
});

function renderReviewComments(entry: StreamEntry, id: string): string {
  const out = new ByteWriter();
  writeReviewComments(out, { entry, organization: { provider_organization_id: id } });
  return out.written().toString();
}

function renderReview(entry: StreamEntry, names: ReviewNames): string {
  const out = new ByteWriter();
  writeReview(out, { entry, names });
  return out.written().toString();
}

/** URLs that share much, little or nothing with the one before. */
const commentUrls = fc.array(
  fc.oneof(
    text,
    fc.tuple(text, text).map(([one, other]) => `https://example.test/${one}#${other}`),
    fc.nat().map((id) => `https://example.test/acme/api/pull/12#discussion_r${id}`),
  ),
  { minLength: 1, maxLength: 12 },
);

describe("review comments", () => {
  test("review comments are read back as written, in exactly the predicted bytes", () => {
    const pullRequest = fc
      .record({ ...placed, mergedAtMs: instant, urls: commentUrls })
      .chain(({ urls, ...rest }) =>
        fc
          .tuple(...urls.map((url) => fc.record({ url: fc.constant(url), ...finding })))
          .map((comments) => ({ ...rest, comments })),
      );
    fc.assert(
      fc.property(pullRequest, (given) => {
        const draft = draftReviewComments(given);
        const rendered = renderReviewComments(stored(draft), given.organizationId);
        expect(reviewCommentsRecord.parse(JSON.parse(rendered))).toEqual({
          pr_url: given.prUrl,
          organization_id: given.organizationId,
          repository_id: given.repositoryId,
          author_id: given.authorId,
          merged_at: new Date(given.mergedAtMs).toISOString(),
          coderabbit_comments: given.comments,
        });
        expect(JSON.stringify(JSON.parse(rendered))).toBe(rendered);
        expect(draft.renderedBytes).toBe(Buffer.byteLength(rendered) + 1);
      }),
      { numRuns: 500 },
    );
  });

  test("URLs that differ inside one character keep their characters whole", () => {
    const urls = [
      "https://example.test/\u{1f600}",
      "https://example.test/\u{1f601}",
      "https://example.test/\u{1f602}b",
    ];
    const rendered = renderReviewComments(stored(draftOf(urls.map((url) => comment(url)))), "1001");
    expect(
      JSON.parse(Buffer.from(rendered).toString()).coderabbit_comments.map(({ url }: ReviewComment) => url),
    ).toEqual(urls);
  });

  test("a typical pull request is stored small: eight comments in under 200 bytes", () => {
    const draft = draftOf(
      Array.from({ length: 8 }, (_, index) => comment(`${prUrl}#discussion_r${2109876543 + index * 37}`)),
    );
    expect(draft.payload).toBeTypeOf("string");
    expect(Buffer.byteLength(String(draft.payload))).toBeLessThan(200);
  });

  test("long review comments are stored as bytes, which the stream can spill", () => {
    const long = draftOf(
      Array.from({ length: 5_000 }, (_, index) => comment(`${prUrl}#discussion_r${index * 104_729}`)),
    );
    expect(long.payload).toBeInstanceOf(Uint8Array);
    const short = draftOf([
      comment(`${prUrl}#${"x".repeat(streamLimits.inlineBytesMax - prUrl.length - 6)}`),
    ]);
    expect(short.payload).toBeTypeOf("string");
  });

  test("the codes of stored findings never change", () => {
    expect(codeOf({ severity: null, category: null, accepted: null })).toBe("00");
    expect(codeOf({ severity: "critical", category: "data_integrity_and_integration", accepted: null })).toBe(
      "31",
    );
    expect(codeOf({ severity: "minor", category: "security_and_privacy", accepted: true })).toBe("b5");
    expect(codeOf({ severity: "info", category: "stability_and_availability", accepted: false })).toBe("g6");
  });

  test.each([
    ["no comment", prUrl],
    ["an unknown code", `${prUrl}\nzz0#1`],
    ["a mark that is none", `${prUrl}\n00!#1`],
    ["a cut longer than the URL", "short\n00z#1"],
    ["a number", 7],
  ])("a review comments payload with %s is a damaged item, not an answer", (_, payload) => {
    const entry = { ...stored(draftOf([comment("x")])), payload };
    expect(() => renderReviewComments(entry, "1001")).toThrow(CorruptItem);
  });
});

const prUrl = "https://github.com/acme/api/pull/12";
const comment = (url: string): ReviewComment => ({ url, severity: "minor", category: null, accepted: null });
const draftOf = (comments: readonly ReviewComment[]): EntryDraft =>
  draftReviewComments({
    prUrl,
    organizationId: "1001",
    repositoryId: "9001",
    authorId: null,
    mergedAtMs: Date.parse("2026-11-02T10:00:00.000Z"),
    comments,
  });

describe("reviews", () => {
  const pullRequest = fc.record({
    ...placed,
    authorUsername: fc.option(text),
    authorType: fc.constantFrom("user" as const, "bot" as const, null),
    status: fc.constantFrom("merged" as const, "closed" as const),
    atMs: instant,
    createdAtMs: instant,
    readyForReviewAtMs: fc.option(instant),
    firstHumanReviewAtMs: fc.option(instant),
    lastCommitAtMs: fc.option(instant),
    closedAtMs: fc.option(instant),
    reviewIterations: fc.nat(),
    estimatedComplexity: fc.option(fc.integer({ min: 1, max: 5 })),
    estimatedReviewMinutes: fc.option(fc.double({ min: 0, max: metricsLimits.countMax, noNaN: true })),
    // Counts of one digit and of two.
    comments: fc.array(fc.record(finding), { maxLength: 30 }),
  });
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

  test("every pull request is read back as written, with counts computed from its comments", () => {
    fc.assert(
      fc.property(
        pullRequest,
        text,
        text,
        text,
        (given, organizationName, repositoryName, repositoryFullName) => {
          const draft = draftReview(given);
          const { organizationId, provider } = given;
          const names = { organizationId, organizationName, provider, repositoryName, repositoryFullName };
          const rendered = renderReview(stored(draft), names);
          const record = reviewRecord.parse(JSON.parse(rendered));
          const counts = (comments: typeof given.comments) => ({
            posted: comments.length,
            accepted: comments.filter(({ accepted }) => accepted === true).length,
          });
          expect(record).toEqual({
            pr_url: given.prUrl,
            author_id: given.authorId,
            author_username: given.authorUsername,
            organization_id: organizationId,
            organization_name: organizationName,
            repository_id: given.repositoryId,
            repository_name: repositoryName,
            created_at: time(given.createdAtMs),
            ready_for_review_at: time(given.readyForReviewAtMs),
            first_human_review_at: time(given.firstHumanReviewAtMs),
            last_commit_at: time(given.lastCommitAtMs),
            merged_at: given.status === "merged" ? time(given.atMs) : null,
            closed_at: time(given.status === "merged" ? given.closedAtMs : given.atMs),
            status: given.status,
            review_iterations: given.reviewIterations,
            estimated_complexity: given.estimatedComplexity,
            estimated_review_minutes: given.estimatedReviewMinutes,
            coderabbit_comments: {
              total: counts(given.comments),
              severity: Object.fromEntries(
                severities.map((name) => [
                  name,
                  counts(given.comments.filter(({ severity }) => severity === name)),
                ]),
              ),
              category: Object.fromEntries(
                categories.map((name) => [
                  name,
                  counts(given.comments.filter(({ category }) => category === name)),
                ]),
              ),
            },
            provider,
            repository_full_name: repositoryFullName,
            author_type: given.authorType,
          });
          expect(JSON.stringify(JSON.parse(rendered))).toBe(rendered);
          expect(csvRow(reviewCells({ entry: stored(draft), names }))).toBe(
            csvRow(reviewColumns.map(({ cell }) => cell(record))),
          );
          expect(draft.renderedBytes).toBeLessThanOrEqual(Buffer.byteLength(rendered) + 1);
          expect(hasStatus(stored(draft), given.status)).toBe(true);
          expect(hasStatus(stored(draft), given.status === "merged" ? "closed" : "merged")).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("no review record is large enough to need parts", () => {
    const longest = "\u0001".repeat(2_048);
    const draft = draftReview({
      prUrl: longest,
      organizationId: "1",
      provider: "github",
      repositoryId: "1",
      authorId: null,
      authorUsername: longest.slice(0, 512),
      authorType: "user",
      status: "merged",
      atMs: 1e12,
      createdAtMs: 0,
      readyForReviewAtMs: null,
      firstHumanReviewAtMs: null,
      lastCommitAtMs: null,
      closedAtMs: 0,
      reviewIterations: 1e9,
      estimatedComplexity: 5,
      estimatedReviewMinutes: 1e9,
      comments: [],
    });
    expect(draft.payload).toBeTypeOf("string");
  });

  test("the CSV has the record's fields, then the totals, the severities and the categories", () => {
    expect(reviewColumns.map(({ name }) => name)).toEqual([
      "pr_url",
      "author_id",
      "author_username",
      "organization_id",
      "organization_name",
      "repository_id",
      "repository_name",
      "created_at",
      "ready_for_review_at",
      "first_human_review_at",
      "last_commit_at",
      "merged_at",
      "closed_at",
      "status",
      "review_iterations",
      "estimated_complexity",
      "estimated_review_minutes",
      "total_coderabbit_comments_posted",
      "total_coderabbit_comments_accepted",
      "critical_comments_posted",
      "critical_comments_accepted",
      "major_comments_posted",
      "major_comments_accepted",
      "minor_comments_posted",
      "minor_comments_accepted",
      "trivial_comments_posted",
      "trivial_comments_accepted",
      "info_comments_posted",
      "info_comments_accepted",
      "data_integrity_and_integration_comments_posted",
      "data_integrity_and_integration_comments_accepted",
      "functional_correctness_comments_posted",
      "functional_correctness_comments_accepted",
      "maintainability_and_code_quality_comments_posted",
      "maintainability_and_code_quality_comments_accepted",
      "performance_and_scalability_comments_posted",
      "performance_and_scalability_comments_accepted",
      "security_and_privacy_comments_posted",
      "security_and_privacy_comments_accepted",
      "stability_and_availability_comments_posted",
      "stability_and_availability_comments_accepted",
      "provider",
      "repository_full_name",
      "author_type",
    ]);
  });

  test.each([
    ["too few fields", 'm["url",null,1]'],
    ["a text where a number stands", `m${JSON.stringify(["url", null, ...new Array(31).fill("1")])}`],
    ["no list", "m{}"],
  ])("a review payload with %s is a damaged item", (_, payload) => {
    const entry = { ...stored(draftOf([comment("x")])), payload };
    expect(() => renderReview(entry, noNames)).toThrow(CorruptItem);
  });

  test("a merged pull request without a closing time shows null for it", () => {
    const payload = `m${JSON.stringify(["url", null, 1, null, null, null, 1, null, null, ...new Array(24).fill(0)])}`;
    const entry = { ...stored(draftOf([comment("x")])), payload };
    expect(JSON.parse(renderReview(entry, noNames))).toMatchObject({ status: "merged", closed_at: null });
  });

  const noNames = {
    organizationId: "1",
    organizationName: "",
    provider: "github",
    repositoryName: "",
    repositoryFullName: "",
  } as const;
});

describe("mcp", () => {
  const server = fc.record({
    name: text,
    tools: fc.array(fc.record({ name: text, calls: fc.nat(), failures: fc.nat() }), { maxLength: 5 }),
  });

  test("MCP use is read back as written, in exactly the predicted bytes", () => {
    const pullRequest = fc.record({
      ...placed,
      mergedAtMs: instant,
      servers: fc.array(server, { minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(pullRequest, (given) => {
        const draft = draftMcp(given);
        const record = toMcpRecord(stored(draft), given);
        expect(mcpRecord.parse(record)).toEqual({
          pr_url: given.prUrl,
          organization_id: given.organizationId,
          repository_id: given.repositoryId,
          author_id: given.authorId,
          merged_at: new Date(given.mergedAtMs).toISOString(),
          servers: given.servers.map(({ name, tools }) => ({
            name,
            calls: tools.reduce((sum, { calls }) => sum + calls, 0),
            tools,
          })),
          provider: given.provider,
        });
        expect(draft.renderedBytes).toBe(Buffer.byteLength(JSON.stringify(record)) + 1);
      }),
      { numRuns: 300 },
    );
  });
});

test("equal content has equal digests, and changed content has another digest", () => {
  const [one, other] = [comment(`${prUrl}#1`), comment(`${prUrl}#2`)];
  expect(draftOf([one, other]).digest).toBe(draftOf([{ ...one }, { ...other }]).digest);
  const changed: readonly ReviewComment[][] = [
    [one],
    [other, one],
    [one, { ...other, accepted: false }],
    [one, { ...other, severity: null }],
    [one, { ...other, category: "performance_and_scalability" }],
  ];
  const digests = changed.map((comments) => draftOf(comments).digest);
  expect(new Set([...digests, draftOf([one, other]).digest]).size).toBe(changed.length + 1);
});
