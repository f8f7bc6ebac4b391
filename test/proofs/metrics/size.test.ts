import { describe, expect, test } from "vitest";
import { requestLimits, streamLimits } from "../../../lib/contract/limits.ts";
import { reviewCommentMetrics } from "../../../lib/contract/operations/metrics.ts";
import { binaryMediaTypes } from "../../../lib/contract/platform.ts";
import { startGateway } from "../../../lib/local/gateway.ts";
import type { LambdaHandler } from "../../../lib/local/lambda.ts";
import { finalizePullRequests } from "../../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../../lib/metrics/finalized.ts";
import { checkAnswerSize } from "../../../lib/metrics/too-large.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { commentsOfBytes, frameBytes, recordBytes } from "../../metrics/exact-size.ts";
import { november, readerOf, standalone } from "../../metrics/support.ts";
import { useApi } from "../../support/api.ts";
import { type CommentData, comments, finalized, urlOf } from "../../support/event-data.ts";
import { isLong } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";
import { call } from "../../system/gateway/support.ts";

const api = useApi();
const world = new World(() => api.store().table);
const { responseBytesMax } = requestLimits;

/** The same handler behind the local gateway, over a socket. */
async function throughGateway(path: string, key: string) {
  const { handler } = await import("../../../functions/metrics/review-comments.ts");
  const gateway = await startGateway(
    {
      operations: [reviewCommentMetrics],
      fallbackSource: "fallback",
      // middy's handler type matches the handler of Lambda's runtime.
      load: async () => handler as unknown as LambdaHandler,
      stage: "live",
      binaryMediaTypes,
      clock: systemClock,
      random: systemRandom,
    },
    0,
  );
  try {
    return await call(gateway.url, path, { headers: ["x-service-api-key", key] });
  } finally {
    await gateway.close();
  }
}

describe("an answer", () => {
  test("an answer of exactly 16,777,216 bytes is sent whole, one more byte is a 413", async () => {
    expect(responseBytesMax).toBe(16_777_216);
    const { sendPullRequest, get, key } = await standalone(api, world, "exact");
    const exact = commentsOfBytes("exact", 1, responseBytesMax - frameBytes);
    expect(recordBytes("exact", 1, exact)).toBe(responseBytesMax - frameBytes);
    await sendPullRequest(1, { comments: exact });
    const whole = await get(`review-comments?${november}`);
    expect(whole.status).toBe(200);
    expect(whole.body.length).toBe(responseBytesMax);
    const overHttp = await throughGateway(`/v1/metrics/review-comments?${november}`, key);
    expect(overHttp.status).toBe(200);
    expect(overHttp.body.equals(whole.body)).toBe(true);
    const [first, ...rest] = exact;
    await sendPullRequest(1, { comments: [{ ...first, url: `${first?.url}x` }, ...rest] });
    const tooMuch = await get(`review-comments?${november}`);
    expect(tooMuch.codes).toEqual(["RESPONSE_TOO_LARGE"]);
  });

  test("an answer that fits at limit=1 but not at 1000 is a 413 at 1000 and a 200 at 1", async () => {
    const { sendPullRequest, get, walk } = await standalone(api, world, "halves");
    for (const number of [1, 2])
      await sendPullRequest(number, { comments: commentsOfBytes("halves", number, 9_000_000) });
    const both = await get(`review-comments?${november}`);
    expect(both.status).toBe(413);
    expect(both.message).toMatch(/Reduce limit, narrow the window or add filters\./);
    expect(await walk(`review-comments?${november}&limit=1`)).toEqual([urlOf(1), urlOf(2)]);
    expect((await get(`reviews?${november}`)).status).toBe(200);
  });

  test("an answer that is too large names its largest pull request, whatever its place", () => {
    const entry = { organization: "uuid", repositoryId: "r", authorId: null, atMs: 0, payload: "" };
    const records = [5, 9, 7].map((renderedBytes, number) => ({
      entry: { ...entry, number, renderedBytes },
      organization: { provider: "github", provider_organization_id: String(number) } as const,
    }));
    const page = { nextCursor: null, resumeCursor: "resume", records };
    const check = (answerBytes: number) => () =>
      checkAnswerSize(
        { paging: { pageSize: 3 } },
        page,
        answerBytes,
        ({ renderedBytes }) => `pull/${renderedBytes}`,
      );
    expect(check(responseBytesMax)).not.toThrow();
    expect(check(responseBytesMax + 1)).toThrow(
      "The largest pull request here, pull/9 of organization github:1 in repository r, takes 9 bytes.",
    );
  });

  test("an answer is compressed when the client asks for it", async () => {
    const { sendPullRequest, key } = await standalone(api, world, "compressed");
    await sendPullRequest(1, { comments: comments(urlOf(1), 5_000) });
    const plain = await api.call(`/v1/metrics/review-comments?${november}`, { key });
    for (const coding of ["gzip", "br"]) {
      const answer = await api.call(`/v1/metrics/review-comments?${november}`, {
        key,
        rawHeaders: ["accept-encoding", coding],
      });
      expect(answer.headers["content-encoding"]).toBe(coding);
      expect(answer.body.equals(plain.body)).toBe(true);
    }
  });
});

describe("a pull request", () => {
  test("a pull request of 5,000 comments is stored in parts and read back whole", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "5000");
    const given = comments(urlOf(1), 5_000);
    await sendPullRequest(1, { comments: given });
    await sendPullRequest(2);
    const { data } = await page(`review-comments?${november}`);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ coderabbit_comments: given });
    expect((await page(`reviews?${november}&limit=1`)).data).toMatchObject([
      { coderabbit_comments: { total: { posted: 5_000 } } },
    ]);
  });

  test("a pull request of 100,000 comments is stored, is a 413 to read, and can be left out", async () => {
    const { sendPullRequest, get, page } = await standalone(api, world, "100000");
    await sendPullRequest(1, {
      comments: comments(`${urlOf(1)}/files/as/reviewed`, 100_000),
      merged_at: "2026-11-04T05:06:07.000Z",
    });
    await sendPullRequest(2, { repository_id: "9002" });
    const full = await get(`review-comments?${november}`);
    expect(full.codes).toEqual(["RESPONSE_TOO_LARGE"]);
    expect(full.message).toMatch(
      new RegExp(
        `^The response would have at least (\\d{8}) bytes; it may have 16777216\\. .*${urlOf(1)} of organization github:100000 in repository 9001, takes \\1 bytes`,
      ),
    );
    expect(full.headers).not.toHaveProperty("x-next-cursor");
    const alone = await get(`review-comments?${november}&limit=1`);
    expect(alone.message).toMatch(
      new RegExp(
        `^The pull request ${urlOf(1)} of organization github:100000 alone takes \\d{8} bytes; a response has at most 16777216`,
      ),
    );
    const behind = await page(`review-comments?${november}&cursor=${alone.headers["x-next-cursor"]}`);
    expect(behind.urls).toEqual([urlOf(2)]);
    expect(behind.resume).toBeTypeOf("string");
    expect((await page(`review-comments?${november}&repository_ids=9002`)).urls).toEqual([urlOf(2)]);
    expect((await page("review-comments?start_date=2026-11-01&end_date=2026-11-03")).urls).toEqual([
      urlOf(2),
    ]);
    expect((await page(`reviews?${november}`)).data).toMatchObject([
      { coderabbit_comments: { total: { posted: 100_000 } } },
      { pr_url: urlOf(2) },
    ]);
  });

  test("a pull request that fits an answer only without a cursor or removal is named and blocks no walk", async () => {
    const { sendPullRequest, get, page } = await standalone(api, world, "beside");
    const path = `review-comments?${november}&include_removed=true`;
    const { resume } = await page(path);
    const removedBytes = ',"removed":[]'.length;
    await sendPullRequest(2);
    await sendPullRequest(1, {
      comments: commentsOfBytes("beside", 1, responseBytesMax - frameBytes - removedBytes),
    });
    await sendPullRequest(3, { repository_id: "9002" });
    expect((await page(`${path}&limit=1`)).urls).toEqual([urlOf(2)]);
    const { next } = await page(`${path}&limit=1`);
    const alone = await get(`${path}&limit=1&cursor=${next}`);
    expect(alone.message).toMatch(
      new RegExp(
        `^The pull request ${urlOf(1)} of organization github:beside alone takes \\d{8} bytes; a response has at most 16777216, and this one would have`,
      ),
    );
    const behind = await page(`${path}&limit=1&cursor=${alone.headers["x-next-cursor"]}`);
    expect(behind.urls).toEqual([urlOf(3)]);
    await sendPullRequest(2, { comments: [] });
    await sendPullRequest(3, { comments: [] });
    const full = await get(`${path}&cursor=${resume}`);
    expect(full.message).toMatch(
      new RegExp(
        `^The response would have at least 1677\\d{4} bytes; it may have 16777216\\..*${urlOf(1)} of organization github:beside in repository 9001`,
      ),
    );
  });

  test("a pull request that shrinks from parts to one line and grows again is read in its newest state", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "shrinks");
    for (const count of [5_000, 1, 6_000]) {
      await sendPullRequest(1, { comments: comments(urlOf(1), count) });
      const { data } = await page(`review-comments?${november}`);
      expect(data).toMatchObject([{ coderabbit_comments: { length: count } }]);
    }
  });
});

/** `test/stream/read-page.test.ts` tests the same in the short run, with a smaller budget. */
if (isLong)
  test("a request that skips too many rows ends with a short page, and the walk still finds everything", async () => {
    const { key } = await standalone(api, world, "sparse");
    const long = (number: number): CommentData[] =>
      Array.from({ length: 15 }, (_, index) => ({ url: `${number}-${index}`.repeat(400).slice(0, 2_000) }));
    const entries = Math.ceil(streamLimits.passedOverBytesMax / 25_000);
    for (let start = 0; start < entries; start += 100) {
      const events = Array.from({ length: 100 }, (_, offset) => {
        const number = start + offset;
        const data = { comments: long(number), repository_id: number >= entries - 1 ? "9002" : "9001" };
        const id = `e${number}`;
        return {
          id,
          version: `2026-11-10T00:00:00.000Z#${id}`,
          data: pullRequestFinalized.parse(finalized(github("sparse"), number, data)),
        };
      });
      await finalizePullRequests(world.deps, events);
    }
    const { page, walk } = readerOf(api, key);
    const short = await page(`review-comments?${november}&repository_ids=9002`);
    expect(short.urls).toEqual([]);
    expect(short.next).toBeTypeOf("string");
    const found = await walk(`review-comments?${november}&repository_ids=9002`);
    expect(found[0]).toBe(urlOf(entries - 1));
  });
