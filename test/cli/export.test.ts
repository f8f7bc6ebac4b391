import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StandIn, startApi } from "./export-api.ts";
import { callJson, callTool, runTool, useDev } from "./support.ts";

const dev = useDev();
const learning = (number: number) => ({
  id: `l${number}`,
  learning: `=Text ${number}, "quoted"\n`,
  file: null,
});
const pages = [[learning(1), learning(2)], [], [learning(3)], [learning(4)]];
const all = pages.flat();

let api: StandIn;
let output = "";
beforeAll(async () => {
  api = await startApi(pages);
  output = join(await dev.folder(), "learnings.ndjson");
});
afterAll(() => api.close());
beforeEach(async () => {
  api.trouble = () => undefined;
  api.later = [];
  api.queries.splice(0);
  for (const file of [output, `${output}.state.json`]) await rm(file, { force: true });
});

const target = () => ["--url", api.url, "--key", "k"];
const exportLearnings = (...words: readonly string[]) =>
  callTool("export", "learnings", "--output", output, ...target(), ...words);
const content = () => readFile(output, "utf8");
const lines = async () =>
  (await content())
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("an export that is interrupted", () => {
  test.each(["ndjson", "json", "csv"])("goes on with the same command, in %s", async (format) => {
    await exportLearnings("--format", format);
    const whole = await content();
    await exportLearnings("--format", format, "--overwrite");
    expect(await content()).toBe(whole);

    api.trouble = ({ page }) => (page === 2 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    const broken = await exportLearnings("--format", format, "--overwrite");
    expect([broken.code, broken.stderr]).toEqual([
      1,
      `${api.url} answered 500 INTERNAL_ERROR: No. What was read is kept; the same command goes on from there.`,
    ]);
    api.trouble = () => undefined;
    api.queries.splice(0);
    const again = await exportLearnings("--format", format);
    expect([again.code, again.stderr]).toEqual([
      0,
      `Wrote 2 more Learnings to ${output}. Later --resume adds what was written since.`,
    ]);
    expect(await content()).toBe(whole);
    expect(api.queries[0]?.get("cursor")).toBe("page-2");
  });

  test("in the middle of a page leaves half a page behind, which is cut off", async () => {
    api.trouble = ({ page }) => (page === 3 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    await exportLearnings();
    await appendFile(output, `{"id":"l4","learning":"${"x".repeat(5_000)}`);
    api.trouble = () => undefined;
    await exportLearnings();
    expect(await lines()).toEqual(all);
  });

  test("is not mixed with another one", async () => {
    api.trouble = ({ page }) => (page === 2 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
    await exportLearnings("--users", "1");
    const other = await exportLearnings("--users", "2", "--format", "csv");
    expect([other.code, other.stderr]).toEqual([
      1,
      `${output} was begun differently (the format, user_ids); give the same options, or --overwrite starts anew.`,
    ]);
    await truncate(output, 3);
    const shorter = await exportLearnings("--users", "1");
    expect(shorter.stderr).toBe(
      `${output} is not what ${output}.state.json tells of; --overwrite starts anew.`,
    );
  });
});

describe("--resume", () => {
  test.each(["ndjson", "json", "csv"])("adds what was written since, in %s", async (format) => {
    await exportLearnings("--format", format, "--resume");
    api.later = [learning(5)];
    api.queries.splice(0);
    expect(
      await callJson(
        ...["export", "learnings", "--output", output, "--format", format, "--resume", ...target()],
      ),
    ).toEqual({ file: output, format, added: 1, records: 5, bytes: expect.any(Number) });
    expect(api.queries.map((query) => query.get("cursor"))).toEqual(["resume"]);
    const text = await content();
    if (format === "json") expect(JSON.parse(text)).toEqual([...all, learning(5)]);
    if (format === "ndjson") expect(await lines()).toEqual([...all, learning(5)]);
    if (format === "csv") {
      expect(text.match(/^id,learning,/gm)).toHaveLength(1);
      expect(text).toMatch(/\r\nl5,"'=Text 5, ""quoted""\n",.*\r\n$/s);
    }
  });

  test("keeps the first run's window: one that moved with the day would need another cursor", async () => {
    const words = ["export", "metrics", "--output", output, ...target()];
    await callTool(...words, "--start", "2026-01-01");
    expect(api.queries[0]?.get("end_date")).toBe("9999-12-31");
    api.queries.splice(0);
    expect((await callTool(...words, "--resume")).code).toBe(0);
    expect(api.queries[0]?.get("start_date")).toBe("2026-01-01");
    const moved = await callTool(...words, "--start", "2026-02-01", "--resume");
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining("(start_date)")]);
  });

  test("a cursor that is too old says so", async () => {
    await exportLearnings();
    api.trouble = () => ({ status: 400, code: "INVALID_CURSOR" });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr]).toEqual([
      1,
      `The cursor beside ${output} no longer works for this key and these filters; --overwrite starts anew.`,
    ]);
  });

  test("nothing is ever overwritten unasked", async () => {
    await exportLearnings();
    expect((await exportLearnings()).stderr).toBe(
      `${output} is complete already; --resume adds what was written since, --overwrite starts anew.`,
    );
    await rm(`${output}.state.json`);
    const foreign = `${output} exists and was not made by an export; --overwrite starts anew.`;
    expect((await exportLearnings("--resume")).stderr).toBe(foreign);
    await writeFile(`${output}.state.json`, "{}");
    expect((await exportLearnings("--resume")).stderr).toBe(
      `${output}.state.json is not a state file of this tool; --overwrite starts anew.`,
    );
    expect(await lines()).toEqual(all);
  });
});

describe("pages", () => {
  test("one that is too large is asked for in halves, and then in larger ones again", async () => {
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

  test("a single record that is too large ends it with the service's own words", async () => {
    api.trouble = ({ page }) => (page === 2 ? { status: 413, code: "RESPONSE_TOO_LARGE" } : undefined);
    const { code, stderr } = await exportLearnings();
    expect([code, stderr]).toEqual([1, expect.stringContaining("answered 413 RESPONSE_TOO_LARGE: No.")]);
    expect(await lines()).toEqual(pages.slice(0, 2).flat());
  });

  test("go to standard output without a file, and nothing else does", async () => {
    const { code, stdout, stderr } = await runTool(["export", "learnings", "--json", ...target()]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(all);
  });

  test("sixty megabytes pass through a heap of forty", async () => {
    const page = Array.from({ length: 500 }, (_, index) => ({ id: `${index}`, learning: "x".repeat(2_000) }));
    const large = await startApi(Array.from({ length: 60 }, () => page));
    const file = join(await dev.folder(), "large.ndjson");
    const words = ["export", "learnings", "--output", file, "--url", large.url, "--key", "k", "--json"];
    const { code, stdout, stderr } = await runTool(words, {
      env: { NODE_OPTIONS: "--max-old-space-size=40" },
    });
    await large.close();
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ records: 30_000 });
  });
});

describe("what cannot be done is one sentence", () => {
  test("a key from the environment does as well as an option, and none is a usage fault", async () => {
    const words = ["export", "learnings", "--url", api.url];
    expect((await runTool(words, { env: { REVIEW_API_KEY: "from-the-environment" } })).code).toBe(0);
    expect(await callTool(...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^--key is missing; REVIEW_API_KEY in the environment or in \.env does too, or review-api login\.\n/,
      ),
    });
  });

  test("nobody there", async () => {
    const gone = await startApi([]);
    await gone.close();
    const { code, stderr } = await callTool("export", "learnings", "--url", gone.url, "--key", "k");
    expect([code, stderr]).toEqual([
      1,
      `${gone.url} does not answer (ECONNREFUSED). Nothing listens there: check the port, and that the service runs.`,
    ]);
  });

  test("no service, no folder", async () => {
    const folder = await dev.folder();
    expect((await callTool("export", "metrics", "--data", folder)).stderr).toBe(
      `No local service runs on ${folder}; start it first (review-api dev), or give --url.`,
    );
    const file = join(folder, "missing", "file.csv");
    expect((await callTool("export", "learnings", "--output", file, ...target())).stderr).toBe(
      `${file} cannot be written: its folder does not exist.`,
    );
  });

  test.each([
    [["metrics", "--start", "2026-02-30"], '--start takes a calendar day as YYYY-MM-DD, not "2026-02-30".'],
    [["metrics", "--start", "2026-02-02", "--end", "2026-02-01"], "--end must not be before --start."],
    [["metrics", "--dataset", "mcp", "--status", "all"], "--status goes with --dataset reviews."],
    [["metrics", "--resume"], "--resume goes with --output."],
    [["metrics", "--output", "f", "--resume", "--overwrite"], "--resume and --overwrite exclude each other."],
    [["metrics", "--url", "ftp://a", "--key", "k"], '--url takes an http or https address, not "ftp://a".'],
    [
      ["metrics", "--url", "http://a", "--data", "d", "--key", "k"],
      "--url, --stack and --data exclude each other.",
    ],
    [["learnings", "--format", "xml"], '--format takes one of json, ndjson, csv, not "xml".'],
  ])("export %j", async (words, sentence) => {
    const { code, stderr } = await callTool("export", ...words);
    expect([code, stderr.split("\n")[0]]).toEqual([2, sentence]);
  });
});
