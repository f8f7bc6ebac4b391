import {
  appendFile,
  chmod,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tryLock } from "../../cli/local/lock.ts";
import { keyOf, type StandIn, startApi } from "./export-api.ts";
import { callJson, callTool, runTool, useDev } from "./support.ts";

const dev = useDev();
const learning = (number: number) => ({
  id: `l${number}`,
  provider: "github",
  organization_id: "1",
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
  api.removed = [];
  api.key = keyOf("acme");
  api.queries.splice(0);
  for (const file of await readdir(dirname(output))) await rm(join(dirname(output), file), { force: true });
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
      `${api.url} answered 500 INTERNAL_ERROR: No. What was read is kept; the same command without --overwrite continues from there.`,
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
      `${output}.journal is incomplete. A new walk begins; ${output} is replaced when it is complete.`,
    ]);
    expect(await lines()).toEqual(all);
  });
});

describe("--resume", () => {
  test.each(["ndjson", "json", "csv"])(
    "--resume applies changes and removals since the last run, in %s",
    async (format) => {
      await exportLearnings("--format", format, "--resume");
      api.later = [{ ...learning(1), learning: "another" }, learning(5)];
      api.removed = [
        { id: "l2", provider: "github", organization_id: "1", removed_at: "2026-01-01T00:00:00.000Z" },
      ];
      api.queries.splice(0);
      expect(
        await callJson(
          ...["export", "learnings", "--output", output, "--format", format, "--resume", ...target()],
        ),
      ).toEqual({
        file: output,
        format,
        added: 1,
        changed: 1,
        removed: 1,
        records: 4,
        bytes: (await stat(output)).size,
        too_large: [],
      });
      expect(api.queries.map((query) => [query.get("cursor"), query.get("include_removed")])).toEqual([
        ["resume", "true"],
      ]);
      const text = await content();
      const now = [learning(3), learning(4), ...api.later];
      if (format === "json") expect(JSON.parse(text)).toEqual(now);
      if (format === "ndjson") expect(await lines()).toEqual(now);
      if (format === "csv") {
        expect(text.match(/^id,learning,/gm)).toHaveLength(1);
        expect(text.match(/^l\d,/gm)).toEqual(["l3,", "l4,", "l1,", "l5,"]);
        expect(text).toMatch(/\r\nl5,"'=Text 5, ""quoted""\n",.*\r\n$/s);
      }
    },
  );

  test("--resume keeps the first run's window: one that moved with the day would need another cursor", async () => {
    const words = ["export", "metrics", "--output", output, ...target()];
    await callTool(...words, "--start", "2026-01-01");
    expect(api.queries[0]?.get("end_date")).toBe("9999-12-31");
    api.queries.splice(0);
    expect((await callTool(...words, "--resume")).code).toBe(0);
    expect(api.queries[0]?.get("start_date")).toBe("2026-01-01");
    const moved = await callTool(...words, "--start", "2026-02-01", "--resume");
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining("(start_date)")]);
  });

  test("--resume does not write an unchanged file, and keeps its mode and the link to it", async () => {
    await exportLearnings();
    await chmod(output, 0o640);
    const link = join(dirname(output), "link.ndjson");
    await symlink(output, link);
    const through = ["export", "learnings", "--output", link, ...target(), "--resume"];
    const before = await stat(output);
    expect((await callTool(...through)).stderr).toBe(
      `${output} has 4 Learnings (0 new, 0 changed, 0 removed). Use --resume to update it later.`,
    );
    expect((await stat(output)).ino).toBe(before.ino);
    api.later = [learning(5)];
    await callTool(...through);
    expect(await lines()).toEqual([...all, learning(5)]);
    expect((await stat(output)).mode & 0o777).toBe(0o640);
    expect((await readdir(dirname(output))).toSorted()).toEqual([
      "learnings.ndjson",
      "learnings.ndjson.lock",
      "learnings.ndjson.state.json",
      "link.ndjson",
    ]);
  });

  const tooOld = {
    status: 400,
    code: "INVALID_CURSOR",
    message: "cursor: is older than 400 days. Start a new walk.",
  };

  test("--resume begins a new walk if the service requires one, says so, and replaces the file at its end", async () => {
    await exportLearnings();
    await appendFile(output, "");
    api.trouble = ({ url, page }) =>
      url.searchParams.get("cursor") === "resume" || page === 2 ? tooOld : undefined;
    const before = await content();
    const failed = await exportLearnings("--resume");
    expect([failed.code, await content()]).toEqual([1, before]);
    api.trouble = ({ url }) => (url.searchParams.get("cursor") === "page-0" ? tooOld : undefined);
    api.queries.splice(0);
    expect((await exportLearnings("--resume")).code).toBe(0);
    expect(api.queries[0]?.get("cursor")).toBe("page-2");
    api.trouble = ({ url }) => (url.searchParams.get("cursor") === "resume" ? tooOld : undefined);
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      `${tooOld.message} A new walk begins; ${output} is replaced when it is complete.`,
    ]);
    expect(await lines()).toEqual(all);
  });

  test("--resume refuses a cursor that is damaged or of other filters, and says what to do", async () => {
    await exportLearnings();
    api.trouble = () => ({ status: 400, code: "INVALID_CURSOR", message: "cursor: is damaged." });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr]).toEqual([
      1,
      `The stored cursor of ${output} no longer works for this key and these filters: cursor: is damaged. --overwrite starts again.`,
    ]);
  });

  const ofOrganization = (id: string, kind = "organization", user_id = "u1"): StandIn["key"] => {
    const organization = { id, name: "o", provider: "gitlab", provider_organization_id: "1" };
    const scope = { tenant: "organization", tenant_id: "1", home: null, organizations: [organization] };
    return { kind, scope, user_id };
  };

  test.each([
    ["another workspace's", keyOf("acme"), keyOf("other"), "workspace acme", "workspace other"],
    [
      "an organization's of the same number",
      ofOrganization("uuid-1"),
      ofOrganization("uuid-2"),
      "organization gitlab:1 (uuid-1)",
      "organization gitlab:1 (uuid-2)",
    ],
    [
      "another member's",
      ofOrganization("uuid-1", "user", "ann"),
      ofOrganization("uuid-1", "user", "bob"),
      "user ann of organization gitlab:1 (uuid-1)",
      "user bob of organization gitlab:1 (uuid-1)",
    ],
  ])("--resume with a key that reads other data, %s, is refused and leaves the file", async (_, ...rest) => {
    const [first, second, known, given] = rest;
    api.key = first;
    await exportLearnings();
    const before = await content();
    api.key = second;
    api.trouble = () => ({
      status: 400,
      code: "INVALID_CURSOR",
      message: "cursor: was made with a key of another one. Start a new walk.",
    });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr, await content()]).toEqual([
      1,
      `${output} was exported with a key of ${known}, and this key is of ${given}. Use a key of ${known}, or another file; --overwrite starts again with this key.`,
      before,
    ]);
    api.trouble = () => undefined;
    expect((await exportLearnings("--overwrite")).code).toBe(0);
    expect((await exportLearnings("--resume")).code).toBe(0);
  });

  test("--resume with an instance key of other organizations is refused too: only the service knows its list", async () => {
    await exportLearnings();
    const message =
      "cursor: was made with a key that is authorized for other organizations. Start a new walk.";
    api.trouble = () => ({ status: 400, code: "INVALID_CURSOR", message });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr, await lines()]).toEqual([
      1,
      `The stored cursor of ${output} no longer works for this key and these filters: ${message} --overwrite starts again.`,
      all,
    ]);
  });

  test("--resume continues from a state of the version before, which did not name the key's scope, and then stores the scope", async () => {
    await exportLearnings();
    const file = `${output}.state.json`;
    const { key_scope, too_large, ...older } = JSON.parse(await readFile(file, "utf8"));
    expect([key_scope, too_large]).toEqual([{ id: "workspace:acme", label: "workspace acme" }, []]);
    await writeFile(file, JSON.stringify(older));
    expect((await exportLearnings("--resume")).code).toBe(0);
    api.key = keyOf("other");
    expect((await exportLearnings("--resume")).stderr).toContain("this key is of workspace other");
  });

  test("--resume refuses a file that another program has changed, even by one letter", async () => {
    await exportLearnings();
    const whole = await content();
    const refused = `${output} was changed after the last export; put the exported file back, or --overwrite starts again.`;
    await truncate(output, 3);
    expect((await exportLearnings("--resume")).stderr).toBe(refused);
    await writeFile(output, whole.replace("Text 1", "text 1"));
    api.later = [learning(5)];
    expect((await exportLearnings("--resume")).stderr).toBe(refused);
    await writeFile(output, whole);
    expect((await exportLearnings("--resume")).code).toBe(0);
    expect(await lines()).toEqual([...all, learning(5)]);
  });

  test("the second of two concurrent runs is refused", async () => {
    const lock = tryLock(`${output}.lock`);
    expect((await exportLearnings()).stderr).toBe(
      `Another export is writing ${output}; wait until it has ended.`,
    );
    lock?.release();
    expect((await exportLearnings()).code).toBe(0);
  });

  test("no file is overwritten without --overwrite", async () => {
    await exportLearnings();
    expect((await exportLearnings()).stderr).toBe(
      `${output} is complete already; --resume brings it up to date, --overwrite starts again.`,
    );
    await rm(`${output}.state.json`);
    const foreign = `${output} exists and was not made by an export; --overwrite starts again.`;
    expect((await exportLearnings("--resume")).stderr).toBe(foreign);
    await writeFile(`${output}.state.json`, "{}");
    expect((await exportLearnings("--resume")).stderr).toBe(
      `${output}.state.json is not a state file of this tool; --overwrite starts again.`,
    );
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
    expect([code, stderr]).toEqual([1, expect.stringContaining("answered 413 RESPONSE_TOO_LARGE: No.")]);
    expect(await readdir(dirname(output))).not.toContain(basename(output));
  });

  test("a pull request that is too large for any answer is left out with its earlier state, and every later run says so", async () => {
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
        "The pull request https://git.test/2 of organization github:1 alone takes 17000000 bytes; an answer has at most 16777216.";
      const headers = limit === 1 ? { "x-next-cursor": "page-1" } : undefined;
      return { status: 413, code: "RESPONSE_TOO_LARGE", message, ...(headers && { headers }) };
    };
    const { code, stderr } = await callTool(...words, "--resume");
    const missing = `https://git.test/2 of organization github:1 is too large for any answer of the service; ${output} does not contain it.`;
    expect([code, stderr.split("\n")]).toEqual([
      0,
      [
        missing,
        `${output} has 2 pull requests (0 new, 1 changed, 1 removed). Use --resume to update it later.`,
      ],
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
        /^--key is missing\. You can also set REVIEW_API_KEY in the environment or in \.env, or run review-api login\.\n/,
      ),
    });
  });

  test("an unreachable address is reported in one sentence", async () => {
    const gone = await startApi([]);
    await gone.close();
    const { code, stderr } = await callTool("export", "learnings", "--url", gone.url, "--key", "k");
    expect([code, stderr]).toEqual([
      1,
      `${gone.url} does not answer (ECONNREFUSED). Nothing listens there: check the port, and that the service runs.`,
    ]);
  });

  test("a missing service and a missing folder are reported in one sentence", async () => {
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
    [["metrics", "--dataset", "mcp", "--status", "all"], "--status works only with --dataset reviews."],
    [["metrics", "--resume"], "--resume works only with --output."],
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
      '--output takes a file whose name ends with one of .json, .ndjson, .csv, not ".txt"; with --format any name is allowed.',
    ],
    [
      ["security", "--output", "findings"],
      '--output takes a file whose name ends with one of .json, .ndjson, .csv, .sarif, not "findings"; with --format any name is allowed.',
    ],
    [["security", "--resume"], "Unknown option '--resume'."],
    [["learnings", "--format", "xml"], '--format takes one of json, ndjson, csv, not "xml".'],
  ])("export %j", async (words, sentence) => {
    const { code, stderr } = await callTool("export", ...words);
    expect([code, stderr.split("\n")[0]]).toEqual([2, sentence]);
  });
});
