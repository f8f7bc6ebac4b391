import { describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { closed, comments, mcp, urlOf } from "../support/event-data.ts";
import { World } from "../support/world.ts";
import { november, standalone } from "./support.ts";

const api = useApi();
const world = new World(() => api.store().table);

describe("datasets of a pull request", () => {
  test("a merged, reviewed pull request appears in the three datasets", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "feeds");
    await sendPullRequest(1, mcp);
    await sendPullRequest(2, { comments: [] });
    await sendPullRequest(3);
    expect((await page(`review-comments?${november}`)).urls).toEqual([urlOf(1), urlOf(3)]);
    expect((await page(`reviews?${november}`)).urls).toEqual([urlOf(1), urlOf(2), urlOf(3)]);
    expect((await page(`mcp?${november}`)).urls).toEqual([urlOf(1)]);
  });

  test("a closed pull request appears only in reviews, under its closing time", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "closed");
    await sendPullRequest(1, { ...closed, ...mcp });
    expect((await page(`review-comments?${november}`)).urls).toEqual([]);
    expect((await page(`mcp?${november}`)).urls).toEqual([]);
    const { data } = await page("reviews?start_date=2026-11-03&end_date=2026-11-03&status=closed");
    expect(data).toMatchObject([{ pr_url: urlOf(1), status: "closed", merged_at: null }]);
    expect((await page("reviews?start_date=2026-11-02&end_date=2026-11-02&status=all")).urls).toEqual([]);
  });

  test("a pull request that was not reviewed appears in no dataset", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "unreviewed");
    await sendPullRequest(1, { reviewed: false, ...mcp });
    for (const dataset of ["review-comments", "reviews", "mcp"])
      expect((await page(`${dataset}?${november}`)).urls).toEqual([]);
  });

  test("MCP servers without a call do not count as MCP use", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "no-calls");
    await sendPullRequest(1, {
      mcp_servers: [{ name: "tickets", tools: [{ name: "find", calls: 0, failures: 0 }] }],
    });
    await sendPullRequest(2, { mcp_servers: [{ name: "tickets", tools: [] }, ...mcp.mcp_servers] });
    expect((await page(`mcp?${november}`)).data).toEqual([
      {
        pr_url: urlOf(2),
        organization_id: "no-calls",
        repository_id: "9001",
        author_id: "4411",
        merged_at: "2026-11-02T10:00:00.000Z",
        servers: [
          { name: "tickets", calls: 0, tools: [] },
          { name: "tickets", calls: 3, tools: [{ name: "find", calls: 3, failures: 1 }] },
        ],
        provider: "github",
      },
    ]);
  });

  test("severities and categories outside the documented lists are null, and count in the total only", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "words");
    const url = `${urlOf(1)}#1`;
    await sendPullRequest(1, {
      comments: [
        { url, severity: "none", category: "style", accepted: true },
        { url, severity: null, category: null, accepted: null },
        { url },
        { url, severity: "Critical", category: "toString", accepted: false },
        { url, severity: 7, category: "security_and_privacy", accepted: true },
      ],
    });
    const unknown = { url, severity: null, category: null };
    expect((await page(`review-comments?${november}`)).data).toMatchObject([
      {
        coderabbit_comments: [
          { ...unknown, accepted: true },
          { ...unknown, accepted: null },
          { ...unknown, accepted: null },
          { ...unknown, accepted: false },
          { url, severity: null, category: "security_and_privacy", accepted: true },
        ],
      },
    ]);
    expect((await page(`reviews?${november}`)).data).toMatchObject([
      {
        coderabbit_comments: {
          total: { posted: 5, accepted: 2 },
          severity: { critical: { posted: 0, accepted: 0 } },
          category: { security_and_privacy: { posted: 1, accepted: 1 } },
        },
      },
    ]);
  });

  test("two findings with equal fields are two findings", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "twins");
    const [twin] = comments(urlOf(1), 1);
    await sendPullRequest(1, { comments: [twin, twin] });
    const { data } = await page(`review-comments?${november}`);
    expect(data).toMatchObject([{ coderabbit_comments: [twin, twin] }]);
  });
});

describe("a pull request written again", () => {
  test("a pull request written again with other content moves to the end", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "again");
    await sendPullRequest(1);
    await sendPullRequest(2);
    await sendPullRequest(1, { comments: comments(urlOf(1), 3) });
    expect((await page(`review-comments?${november}`)).urls).toEqual([urlOf(2), urlOf(1)]);
    expect((await page(`reviews?${november}`)).urls).toEqual([urlOf(2), urlOf(1)]);
  });

  test("a pull request written again with equal content moves nothing", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "equal");
    await sendPullRequest(1, mcp);
    await sendPullRequest(2, mcp);
    await sendPullRequest(1, mcp);
    for (const dataset of ["review-comments", "reviews", "mcp"])
      expect((await page(`${dataset}?${november}`)).urls).toEqual([urlOf(1), urlOf(2)]);
  });

  test("a changed resolution moves the findings and the counts, not the MCP use", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "resolved");
    const [first, second] = comments(urlOf(1), 2);
    await sendPullRequest(1, { ...mcp, comments: [first, { ...second, accepted: null }] });
    await sendPullRequest(2, mcp);
    await sendPullRequest(1, { ...mcp, comments: [first, { ...second, accepted: true }] });
    expect((await page(`review-comments?${november}`)).urls).toEqual([urlOf(2), urlOf(1)]);
    expect((await page(`reviews?${november}`)).urls).toEqual([urlOf(2), urlOf(1)]);
    expect((await page(`mcp?${november}`)).urls).toEqual([urlOf(1), urlOf(2)]);
  });

  test("a pull request with a new merge date leaves the old week", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "moved");
    await sendPullRequest(1, { merged_at: "2026-10-05T10:00:00.000Z" });
    expect((await page("review-comments?start_date=2026-10-05&end_date=2026-10-05")).urls).toEqual([
      urlOf(1),
    ]);
    await sendPullRequest(1, { merged_at: "2026-11-10T10:00:00.000Z" });
    expect((await page("review-comments?start_date=2026-10-01&end_date=2026-10-31")).urls).toEqual([]);
    expect((await page("review-comments?start_date=2026-11-10&end_date=2026-11-10")).urls).toEqual([
      urlOf(1),
    ]);
    expect((await page("reviews?start_date=2026-10-01&end_date=2026-11-30")).urls).toEqual([urlOf(1)]);
  });

  test("a pull request that loses its comments leaves the review comments and stays in reviews", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "loses");
    await sendPullRequest(1, mcp);
    await sendPullRequest(1, { comments: [] });
    expect((await page(`review-comments?${november}`)).urls).toEqual([]);
    expect((await page(`mcp?${november}`)).urls).toEqual([]);
    expect((await page(`reviews?${november}`)).urls).toEqual([urlOf(1)]);
  });

  test("a pull request that is reopened and closed unmerged is only in reviews, as closed", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "reopened");
    await sendPullRequest(1, mcp);
    await sendPullRequest(1, { ...closed, ...mcp });
    expect((await page(`review-comments?${november}`)).urls).toEqual([]);
    expect((await page(`mcp?${november}`)).urls).toEqual([]);
    expect((await page(`reviews?${november}`)).urls).toEqual([]);
    expect((await page(`reviews?${november}&status=all`)).data).toMatchObject([{ status: "closed" }]);
  });

  test("a pull request that is no longer reviewed leaves all three datasets", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "withdrawn");
    await sendPullRequest(1, mcp);
    await sendPullRequest(1, { ...mcp, reviewed: false });
    for (const dataset of ["review-comments", "reviews", "mcp"])
      expect((await page(`${dataset}?${november}`)).urls).toEqual([]);
  });

  test("a pull request changed during a walk appears again on a later page", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "late");
    for (const number of [1, 2, 3]) await sendPullRequest(number);
    const first = await page(`review-comments?${november}&limit=2`);
    await sendPullRequest(1, { comments: comments(urlOf(1), 5) });
    await sendPullRequest("backfilled", { merged_at: "2026-11-01T00:00:00.000Z" });
    const second = await page(`review-comments?${november}&cursor=${first.next}`);
    expect(second.urls).toEqual([urlOf(3), urlOf(1), urlOf("backfilled")]);
    expect(second.next).toBeNull();
  });
});
