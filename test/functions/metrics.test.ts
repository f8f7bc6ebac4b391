import { describe, expect, test } from "vitest";
import { november, standalone } from "../metrics/support.ts";
import { useApi } from "../support/api.ts";
import { closed, mcp, urlOf } from "../support/event-data.ts";
import { World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const datasets = ["review-comments", "reviews", "mcp"] as const;
const always = "start_date=0001-01-01&end_date=9999-12-31";

describe("records", () => {
  test("records of review comments have every field, and null for unknown values", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "comments");
    const url = `${urlOf(1)}#discussion_r1`;
    await sendPullRequest(1, {
      author_id: null,
      comments: [{ url, severity: null, category: null, accepted: null }],
    });
    await sendPullRequest(2, {
      comments: [
        {
          url: "https://elsewhere.test/c",
          severity: "critical",
          category: "security_and_privacy",
          accepted: false,
        },
      ],
    });
    expect((await page(`review-comments?${november}`)).data).toEqual([
      {
        pr_url: urlOf(1),
        organization_id: "comments",
        repository_id: "9001",
        author_id: null,
        merged_at: "2026-11-02T10:00:00.000Z",
        coderabbit_comments: [{ url, severity: null, category: null, accepted: null }],
      },
      {
        pr_url: urlOf(2),
        organization_id: "comments",
        repository_id: "9001",
        author_id: "4411",
        merged_at: "2026-11-02T10:00:00.000Z",
        coderabbit_comments: [
          {
            url: "https://elsewhere.test/c",
            severity: "critical",
            category: "security_and_privacy",
            accepted: false,
          },
        ],
      },
    ]);
  });

  test("records of reviews have every field, times in UTC, and the current names", async () => {
    const { sendPullRequest, page, organization } = await standalone(api, world, "reviews");
    await sendPullRequest(1, { merged_at: "2026-11-02T12:00:00.000+02:00", last_commit_at: null });
    await world.repository(organization, "9001", { name: "renamed" });
    await world.organization("reviews", { name: "Renamed & Sons" });
    const none = { posted: 0, accepted: 0 };
    expect((await page(`reviews?${november}`)).data).toEqual([
      {
        pr_url: urlOf(1),
        author_id: "4411",
        author_username: "ann",
        organization_id: "reviews",
        organization_name: "Renamed & Sons",
        repository_id: "9001",
        repository_name: "renamed",
        created_at: "2026-11-01T08:00:00.000Z",
        ready_for_review_at: "2026-11-01T09:00:00.000Z",
        first_human_review_at: null,
        last_commit_at: null,
        merged_at: "2026-11-02T10:00:00.000Z",
        closed_at: null,
        status: "merged",
        review_iterations: 2,
        estimated_complexity: 3,
        estimated_review_minutes: 25,
        coderabbit_comments: {
          total: { posted: 2, accepted: 1 },
          severity: {
            critical: { posted: 1, accepted: 1 },
            major: { posted: 1, accepted: 0 },
            minor: none,
            trivial: none,
            info: none,
          },
          category: {
            data_integrity_and_integration: { posted: 1, accepted: 1 },
            functional_correctness: { posted: 1, accepted: 0 },
            maintainability_and_code_quality: none,
            performance_and_scalability: none,
            security_and_privacy: none,
            stability_and_availability: none,
          },
        },
        provider: "github",
        repository_full_name: "group/repository-9001",
        author_type: null,
      },
    ]);
  });

  test("records of reviews say whether a person or a bot opened the pull request", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "bots");
    for (const [number, author_type] of ["user", "bot", null, "robot"].entries())
      await sendPullRequest(number, { author_type });
    await sendPullRequest(4, { ...closed, author_type: "bot" });
    await sendPullRequest(1, { author_type: "user", closed_at: "2026-11-02T10:00:01.000Z" });
    const { data } = await page(`reviews?${november}&status=all`);
    expect(data.map(({ pr_url, author_type }) => [pr_url, author_type]).toSorted()).toEqual([
      [urlOf(0), "user"],
      [urlOf(1), "user"],
      [urlOf(2), null],
      [urlOf(3), null],
      [urlOf(4), "bot"],
    ]);
  });

  test("records of merged reviews have the closing time if the event has it; MCP records name the provider", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "closings");
    const closedAt = "2026-11-02T10:00:01.000Z";
    await sendPullRequest(1, { closed_at: closedAt, ...mcp });
    await sendPullRequest(2, closed);
    const { data } = await page(`reviews?${november}&status=all`);
    expect(data.map(({ closed_at }) => closed_at)).toEqual([closedAt, closed.closed_at]);
    expect(data.map(({ author_type }) => author_type)).toEqual([null, null]);
    expect((await page(`mcp?${november}`)).data).toMatchObject([{ provider: "github" }]);
  });
});

describe("formats of reviews", () => {
  test("CSV has a header, CRLF, empty cells for null, and defused formulas; the cursor is in a header", async () => {
    const { sendPullRequest, get } = await standalone(api, world, "csv");
    await sendPullRequest(1, { author_username: '=cmd("x"),\n' });
    await sendPullRequest(2, { ...closed, author_id: null, author_username: null, comments: [] });
    const first = await get(`reviews?${november}&format=csv&status=all&limit=1`);
    expect(first.status).toBe(200);
    expect(first.headers["content-type"]).toBe("text/csv; charset=utf-8");
    const [header = "", row = ""] = first.body.toString().split("\r\n");
    expect(header).toMatch(/^pr_url,author_id,author_username,.*,provider,repository_full_name,author_type$/);
    expect(row).toBe(
      `${urlOf(1)},4411,"'=cmd(""x""),\n",csv,Organization csv,9001,repository-9001,2026-11-01T08:00:00.000Z,` +
        "2026-11-01T09:00:00.000Z,,2026-11-02T09:00:00.000Z,2026-11-02T10:00:00.000Z,,merged,2,3,25," +
        "2,1,1,1,1,0,0,0,0,0,0,0,1,1,1,0,0,0,0,0,0,0,0,0,github,group/repository-9001,",
    );
    const cursor = first.headers["x-next-cursor"];
    const second = await get(`reviews?${november}&format=csv&status=all&cursor=${cursor}`);
    expect(second.body.toString().split("\r\n")[1]).toMatch(
      new RegExp(`^${urlOf(2)},,,csv,.*,,${closed.closed_at},closed,2,3,25,0,0,`),
    );
    expect(second.headers).not.toHaveProperty("x-next-cursor");
    expect(second.headers["x-resume-cursor"]).toBeTypeOf("string");
  });

  test("NDJSON has the records of the JSON answer, one per line, and its cursors work for JSON too", async () => {
    const { sendPullRequest, get, page } = await standalone(api, world, "ndjson");
    for (const number of [1, 2, 3]) await sendPullRequest(number);
    const lines = await get(`reviews?${november}&format=ndjson&limit=2`);
    expect(lines.headers["content-type"]).toBe("application/x-ndjson");
    const rest = await page(`reviews?${november}&cursor=${lines.headers["x-next-cursor"]}`);
    const records = lines.body
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([...records, ...rest.data]).toEqual((await page(`reviews?${november}`)).data);
  });

  test("an empty CSV has only its header, an empty NDJSON is empty", async () => {
    const { get } = await standalone(api, world, "empty");
    expect((await get(`reviews?${november}&format=csv`)).body.toString()).toMatch(/^pr_url,[a-z_,]+\r\n$/);
    expect((await get(`reviews?${november}&format=ndjson`)).body.length).toBe(0);
  });
});

describe("filters", () => {
  test("the window includes whole UTC days, both ends included", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "window");
    const times = [
      "2026-11-01T23:59:59.999Z",
      "2026-11-02T00:00:00.000Z",
      "2026-11-08T23:59:59.999Z",
      "2026-11-09T00:00:00.000Z",
    ];
    for (const [index, merged_at] of times.entries()) await sendPullRequest(index, { ...mcp, merged_at });
    for (const dataset of datasets) {
      expect((await page(`${dataset}?start_date=2026-11-02&end_date=2026-11-08`)).urls).toEqual([
        urlOf(1),
        urlOf(2),
      ]);
      expect((await page(`${dataset}?start_date=2026-11-09&end_date=2026-11-09`)).urls).toEqual([urlOf(3)]);
      expect((await page(`${dataset}?${always}`)).urls).toEqual([0, 1, 2, 3].map(urlOf));
      expect((await page(`${dataset}?start_date=2027-01-01&end_date=2030-01-01`)).urls).toEqual([]);
    }
  });

  test("repositories and authors narrow the list; an unknown author matches nothing", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "narrow");
    await sendPullRequest(1, { ...mcp, repository_id: "9001", author_id: "4411" });
    await sendPullRequest(2, { ...mcp, repository_id: "9002", author_id: "4411" });
    await sendPullRequest(3, { ...mcp, repository_id: "9002", author_id: null });
    await sendPullRequest(4, { ...mcp, repository_id: "9003", author_id: "4412" });
    for (const dataset of datasets) {
      const urls = async (filter: string) => (await page(`${dataset}?${november}&${filter}`)).urls;
      expect(await urls("repository_ids=9002")).toEqual([urlOf(2), urlOf(3)]);
      expect(await urls("repository_ids=9001,%209003,9001")).toEqual([urlOf(1), urlOf(4)]);
      expect(await urls("user_ids=4411")).toEqual([urlOf(1), urlOf(2)]);
      expect(await urls("user_ids=4411,4412&repository_ids=9002,9003")).toEqual([urlOf(2), urlOf(4)]);
      expect(await urls("user_ids=null")).toEqual([]);
    }
  });

  test("status is merged by default", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "status");
    await sendPullRequest(1);
    await sendPullRequest(2, closed);
    expect((await page(`reviews?${november}`)).urls).toEqual([urlOf(1)]);
    expect((await page(`reviews?${november}&status=merged`)).urls).toEqual([urlOf(1)]);
    expect((await page(`reviews?${november}&status=closed`)).urls).toEqual([urlOf(2)]);
    expect((await page(`reviews?${november}&status=all`)).urls).toEqual([urlOf(1), urlOf(2)]);
  });
});

describe("parameters", () => {
  const common = [
    ["", /start_date: is required\. end_date: is required\./],
    ["start_date=2026-11-01", /end_date: is required/],
    ["start_date=2026-13-45&end_date=2026-03-01", /^start_date: must be a calendar day as YYYY-MM-DD\.$/],
    ["start_date=2026-1-1&end_date=2026-03-01", /start_date: must be a calendar day/],
    ["start_date=0000-01-01&end_date=2026-03-01", /start_date: must be a calendar day/],
    ["start_date=2026-11-02&end_date=2026-11-01", /end_date: must not be before start_date/],
    [`${november}&start_date=2026-11-01`, /start_date: must be given only once/],
    [`${november}&limit=0`, /limit: must be a whole number from 1 to 1000/],
    [`${november}&limit=1001`, /limit/],
    [`${november}&limit=1e2`, /limit/],
    [`${november}&limit=010`, /limit/],
    [`${november}&repository_ids=${"1,".repeat(10)}1`, /repository_ids: must have at most 10 values/],
    [`${november}&user_ids=a,,b`, /user_ids/],
    [`${november}&user_ids=`, /user_ids: must not be empty/],
    [`${november}&cursor=nonsense`, /cursor/],
    [`${november}&organization_ids=1`, /organization_ids/],
    [`${november}&page=2`, /page: is unknown/],
  ] as const;
  const rejected = datasets.flatMap((dataset) =>
    common.map(([query, message]) => [dataset, query, message] as const),
  );

  test("parameters that are invalid are refused with the allowed values", async () => {
    const { key } = await standalone(api, world, "parameters");
    for (const [dataset, query, message] of rejected) {
      const answer = await api.call(`/v1/metrics/${dataset}?${query}`, { key });
      expect([dataset, query, answer.status, answer.message]).toEqual([
        dataset,
        query,
        400,
        expect.stringMatching(message),
      ]);
    }
  });

  test("format and status exist on reviews only", async () => {
    const { get } = await standalone(api, world, "only-reviews");
    for (const dataset of ["review-comments", "mcp"])
      for (const parameter of ["format=json", "status=merged"])
        expect((await get(`${dataset}?${november}&${parameter}`)).codes).toEqual(["INVALID_REQUEST"]);
    for (const parameter of ["format=xml", "status=open"])
      expect((await get(`reviews?${november}&${parameter}`)).codes).toEqual(["INVALID_REQUEST"]);
  });
});

describe("pages", () => {
  test("three pull requests with limit=3 end in null on the first page", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "three");
    for (const number of [1, 2, 3]) await sendPullRequest(number, mcp);
    for (const dataset of datasets) {
      const { urls, next, resume } = await page(`${dataset}?${november}&limit=3`);
      expect(urls).toHaveLength(3);
      expect(next).toBeNull();
      expect(resume).toBeTypeOf("string");
    }
  });

  test("a page that reaches its limit has a cursor only if one more eligible pull request exists", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "one-more");
    await sendPullRequest(1);
    await sendPullRequest(2, { repository_id: "9002" });
    const filtered = await page(`review-comments?${november}&repository_ids=9001&limit=1`);
    expect(filtered.next).toBeNull();
    const all = await page(`review-comments?${november}&limit=1`);
    expect(all.next).toBeTypeOf("string");
    expect(all.resume).toBeUndefined();
  });

  test("a walk with limit 1 returns everything once and never the same cursor twice", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "steps");
    for (let number = 0; number < 7; number++)
      await sendPullRequest(number, { merged_at: `2026-11-0${((number * 3) % 7) + 1}T10:00:00Z` });
    const urls: string[] = [];
    const cursors: (string | null)[] = [];
    let cursor = "";
    do {
      const found = await page(`reviews?${november}&limit=1${cursor}`);
      urls.push(...found.urls);
      cursors.push(found.next);
      cursor = `&cursor=${found.next}`;
    } while (cursors.at(-1) !== null);
    expect(urls).toEqual(Array.from({ length: 7 }, (_, number) => urlOf(number)));
    expect(new Set(cursors).size).toBe(cursors.length);
  });

  test("the resume cursor of a finished walk reads only newer records", async () => {
    const { sendPullRequest, page } = await standalone(api, world, "resume");
    await sendPullRequest(1);
    const { resume } = await page(`review-comments?${november}`);
    const nothing = await page(`review-comments?${november}&cursor=${resume}`);
    expect(nothing).toMatchObject({ urls: [], next: null });
    await sendPullRequest(2);
    await sendPullRequest("outside", { merged_at: "2026-10-01T00:00:00Z" });
    await sendPullRequest(3);
    const since = await page(`review-comments?${november}&cursor=${nothing.resume}&limit=1`);
    expect(since.urls).toEqual([urlOf(2)]);
    const rest = await page(`review-comments?${november}&cursor=${since.next}`);
    expect(rest).toMatchObject({ urls: [urlOf(3)], next: null });
    expect((await page(`review-comments?${november}&cursor=${rest.resume}`)).urls).toEqual([]);
  });

  test("the three operations share sixty requests a minute", async () => {
    const { get } = await standalone(api, world, "limited");
    for (let round = 0; round < 20; round++)
      for (const dataset of datasets) expect((await get(`${dataset}?${november}`)).status).toBe(200);
    for (const dataset of datasets) expect((await get(`${dataset}?${november}`)).status).toBe(429);
  });
});
