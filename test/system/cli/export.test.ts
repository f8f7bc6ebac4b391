import { appendFile, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { callJson, callTool, runTool, useDev } from "../../cli/support.ts";
import { type StandIn, startApi } from "../../mirror/export-api.ts";
import { all, useExport } from "./export-fixture.ts";

const dev = useDev();
const { started, target, content, exportLearnings, lines } = useExport(dev);
let api: StandIn;
let output = "";
beforeAll(() => {
  ({ api, output } = started());
});

describe("an interrupted export", () => {
  test.each(["ndjson", "json", "csv"])("repeating an interrupted %s export continues it", async (format) => {
    await exportLearnings("--format", format);
    const whole = await content();
    await exportLearnings("--format", format, "--overwrite");
    expect(await content()).toBe(whole);

    api.trouble = ({ page }) => (page === 2 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    const broken = await exportLearnings("--format", format, "--overwrite");
    expect([broken.code, broken.stderr, await content()]).toEqual([
      1,
      `${api.url} responded with 500 INTERNAL_ERROR: No. What was read is kept; the same command without --overwrite continues from there.`,
      whole,
    ]);
    api.trouble = () => undefined;
    api.queries.splice(0);
    const again = await exportLearnings("--format", format);
    expect([again.code, again.stderr]).toEqual([
      0,
      `${output} has 4 Learnings. Use --resume to update it later.`,
    ]);
    expect(await content()).toBe(whole);
    expect(api.queries[0]?.get("cursor")).toBe("page-2");
  });

  test("an export that ends in the middle of a page leaves half a page in the journal, which is cut off", async () => {
    api.trouble = ({ page }) => (page === 3 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    await exportLearnings();
    expect((await readdir(dirname(output))).includes(basename(output))).toBe(false);
    await appendFile(`${output}.journal`, `w${"0".repeat(64)}{"id":"l4","learning":"${"x".repeat(5_000)}`);
    api.trouble = () => undefined;
    await exportLearnings();
    expect(await lines()).toEqual(all);
  });

  test("an interrupted export is not mixed with another one", async () => {
    api.trouble = ({ page }) => (page === 2 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    await exportLearnings("--users", "1");
    const other = await exportLearnings("--users", "2", "--format", "csv");
    expect([other.code, other.stderr]).toEqual([
      1,
      `${output} was exported with other options (the format, user_ids); give the same options, or --overwrite starts again.`,
    ]);
  });

  test("an interrupted export whose journal is gone begins a new walk, and says so", async () => {
    api.trouble = ({ page }) => (page === 3 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    await exportLearnings();
    await rm(`${output}.journal`);
    api.trouble = () => undefined;
    const { code, stderr } = await exportLearnings();
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      `${output}.journal is incomplete. Everything is read again; ${output} is replaced when it is complete.`,
    ]);
    expect(await lines()).toEqual(all);
  });
});

describe("pages", () => {
  test("a page that is too large is requested in halves, and later pages in larger sizes again", async () => {
    api.trouble = ({ page, limit }) =>
      page === 2 && limit > 300 ? { status: 413, code: "RESPONSE_TOO_LARGE" } : undefined;
    expect((await exportLearnings()).code).toBe(0);
    expect(api.queries.map((query) => query.get("limit"))).toEqual([
      "1000",
      "1000",
      "1000",
      "500",
      "250",
      "500",
    ]);
    expect(await lines()).toEqual(all);
  });

  test("a single record that is too large ends the export with the service's own message", async () => {
    api.trouble = ({ page }) => (page === 2 ? { status: 413, code: "RESPONSE_TOO_LARGE" } : undefined);
    const { code, stderr } = await exportLearnings();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("responded with 413 RESPONSE_TOO_LARGE: No."),
    ]);
    expect(await readdir(dirname(output))).not.toContain(basename(output));
  });

  test("a pull request too large for any answer is left out with its earlier state; every later run says so", async () => {
    const pullRequest = (number: number, organization_id: string) => ({
      pr_url: `https://git.test/${number}`,
      organization_id,
      provider: "github",
    });
    const others = [pullRequest(1, "1"), pullRequest(2, "2")];
    const large = await startApi([[...others, pullRequest(2, "1")]]);
    const words = ["export", "metrics", "--output", output, "--url", large.url, "--key", "k"];
    await callTool(...words);
    large.later = [pullRequest(1, "1")];
    let isPassed = false;
    large.trouble = ({ limit, url }) => {
      if (url.searchParams.get("cursor") === "page-1") isPassed = true;
      if (isPassed || url.searchParams.get("cursor") === null) return undefined;
      const message =
        "The pull request https://git.test/2 of organization github:1 alone takes 17000000 bytes; a response has at most 16777216.";
      const headers = limit === 1 ? { "x-next-cursor": "page-1" } : undefined;
      return { status: 413, code: "RESPONSE_TOO_LARGE", message, ...(headers && { headers }) };
    };
    const { code, stderr } = await callTool(...words, "--resume");
    const missing = `https://git.test/2 of organization github:1 is too large for any response of the service; ${output} does not contain it.`;
    expect([code, stderr.split("\n")]).toEqual([
      0,
      [missing, `${output} has 2 pull requests (0 new, 0 changed, 1 removed).`],
    ]);
    expect(await lines()).toEqual([pullRequest(2, "2"), pullRequest(1, "1")]);
    expect((await callTool(...words, "--resume")).stderr.split("\n")[0]).toBe(missing);
    expect(await callJson(...words, "--resume")).toMatchObject({ too_large: [pullRequest(2, "1")] });

    large.later = [pullRequest(2, "1")];
    expect(await callJson(...words, "--resume")).toMatchObject({ added: 1, records: 3, too_large: [] });
    await large.close();
  });

  test("pages go to standard output without a file, and nothing else does", async () => {
    const { code, stdout, stderr } = await runTool(["export", "learnings", "--json", ...target()]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(all);
  });
});

describe("errors are one sentence", () => {
  test("a key from the environment works like an option, and a missing key is a usage error", async () => {
    const words = ["export", "learnings", "--url", api.url];
    expect((await runTool(words, { env: { REVIEW_API_KEY: "from-the-environment" } })).code).toBe(0);
    expect(await callTool(...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^--key is missing\. You can also set REVIEW_API_KEY in the environment or in \.env, or run npx --no-install review-api login\.\n/,
      ),
    });
  });

  test("an unreachable address is reported in one sentence", async () => {
    const gone = await startApi([]);
    await gone.close();
    const { code, stderr } = await callTool("export", "learnings", "--url", gone.url, "--key", "k");
    expect([code, stderr]).toEqual([
      1,
      `${gone.url} does not respond (ECONNREFUSED). Nothing listens there: check the port, and that the service runs.`,
    ]);
  });

  test("a missing service and a missing folder are reported in one sentence", async () => {
    const folder = await dev.folder();
    expect((await callTool("export", "metrics", "--data", folder)).stderr).toBe(
      `No local service runs on ${folder}; start it first (npx --no-install review-api dev --data ${folder}), or give --url.`,
    );
    const file = join(folder, "missing", "file.csv");
    expect((await callTool("export", "learnings", "--output", file, ...target())).stderr).toBe(
      `${file} cannot be written: its folder does not exist.`,
    );
  });

  test.each([
    [["metrics", "--start", "2026-02-30"], '--start takes a calendar day as YYYY-MM-DD, not "2026-02-30".'],
    [["metrics", "--start", "2026-02-02", "--end", "2026-02-01"], "--end must not be before --start."],
    [["metrics", "--dataset", "mcp", "--status", "all"], "--status works only with --dataset reviews."],
    [["metrics", "--resume"], "--resume works only with --output FILE or --changes FILE."],
    [
      ["metrics", "--output", "f.csv", "--resume", "--overwrite"],
      "--resume and --overwrite cannot be used together.",
    ],
    [["metrics", "--url", "ftp://a", "--key", "k"], '--url takes an http or https address, not "ftp://a".'],
    [
      ["metrics", "--url", "http://a", "--data", "d", "--key", "k"],
      "--url, --stack and --data cannot be used together.",
    ],
    [
      ["learnings", "--output", "f.txt"],
      '--output takes a file whose name ends with one of .json, .ndjson, .csv, .parquet, not ".txt"; with --format any name is allowed.',
    ],
    [
      ["security", "--output", "findings"],
      '--output takes a file whose name ends with one of .json, .ndjson, .csv, .parquet, .sarif, not "findings"; with --format any name is allowed.',
    ],
    [["security", "--resume"], "Unknown option '--resume'."],
    [
      ["learnings", "--format", "xml"],
      '--format takes one of json, ndjson, csv, parquet, agents-md, not "xml".',
    ],
    [["learnings", "--check"], "--check works only with --format agents-md."],
    [["learnings", "--format", "agents-md", "--check"], "--check works only with --output FILE."],
    [
      ["learnings", "--format", "agents-md", "--output", "AGENTS.md", "--resume"],
      "--resume does not work with --format agents-md: every run reads all.",
    ],
  ])("export %j is refused: %s", async (words, sentence) => {
    const { code, stderr } = await callTool("export", ...words);
    expect([code, stderr.split("\n")[0]]).toEqual([2, sentence]);
  });
});
