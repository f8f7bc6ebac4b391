import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { pages, read } from "../../docs/pages.ts";
import { jobsFolder, stepsOf, useReader } from "./reader.ts";

const run = promisify(execFile);
const jobs = pages.filter((page) => page.startsWith(jobsFolder));
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );

/** Commands that run until they are stopped, are refused on purpose or need a leaked key, and what covers them instead. */
const coveredElsewhere: ReadonlyArray<readonly [RegExp, string]> = [
  [/^npx --no-install review-api listen\b/, "test/system/cli/webhooks.test.ts"],
  [/^npx --no-install review-api export audit-logs --follow\b/, "test/system/cli/export-datasets.test.ts"],
  [/^curl .*# 403 KEY_LIMITED$/, "test/system/docs/keys-job.test.ts"],
  [/^npx --no-install review-api keys revoke\b/, "test/system/docs/keys-job.test.ts"],
];

/** The page about keys shows a refusal and ids of the reader: test/system/docs/keys-job.test.ts runs it. */
const inOrder = jobs.filter((page) => !page.endsWith("/keys.md"));

describe.each(inOrder)("%s", (page) => {
  const { service, runLine } = useReader({ fresh: true });

  test("every command block runs in order, in an empty folder, on a fresh service", async () => {
    const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, "127.0.0.1");
    onTestFinished(() => void receiver.close());
    await once(receiver, "listening");
    const { port } = z.object({ port: z.number() }).parse(receiver.address());
    const scripts = blocks(page, "sh").map((block) =>
      block
        .split("\n")
        .filter((line) => !coveredElsewhere.some(([pattern]) => pattern.test(line)))
        .join("\n")
        .replaceAll("https://hooks.example.com/deliveries", `http://127.0.0.1:${port}/deliveries`),
    );
    expect(scripts.length).toBeGreaterThan(0);
    const steps = scripts.map((script, index) => `echo "block ${index}" >&2\n${script}`);
    // Workspace tokens cannot read findings, as the page says.
    const kind = page.endsWith("code-scanning.md") ? "organization" : "workspace";
    const given = { REVIEW_API_URL: service().url, REVIEW_API_KEY: service().keys[kind] ?? "" };
    const { code, output } = await runLine(`set -eo pipefail\n${steps.join("\n")}`, given);
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
  });
});

test("every reason not to run a command of a job is still needed", () => {
  const lines = jobs.flatMap((page) => blocks(page, "sh").join("\n").split("\n"));
  for (const [pattern] of coveredElsewhere) expect(lines.some((line) => pattern.test(line))).toBe(true);
});

describe("what runs by itself at night", () => {
  const scripts = jobs.flatMap((page) => [
    ...blocks(page, "bash").map((script) => ({ page, script: script.replace(/^#!.*\n/, "") })),
    ...(blocks(page, "yaml").some((text) => text.startsWith("name: "))
      ? stepsOf(page).flatMap(({ run }) => (run?.includes("\n") ? [{ page, script: run }] : []))
      : []),
  ]);

  test.each(scripts)("$page: a script ends at the first command that fails", ({ script }) => {
    expect(script.split("\n")[0]).toBe("set -euo pipefail");
  });

  test.each(scripts)("$page: nothing runs after a command that fails in the middle", async ({ script }) => {
    const lines = script
      .replaceAll(/\\\n\s*|\|\n\s*/g, (end) => (end.startsWith("|") ? "| " : ""))
      .trim()
      .split("\n");
    const middle = Math.ceil(lines.length / 2);
    // The first line of a step at the top level.
    const at = lines.findIndex(
      (line, index) => index >= middle && /^[a-z]/.test(line) && line !== "load() {",
    );
    const stubs = ["npx", "gh", "curl", "jq", "duckdb", "rm"].map(
      (name) => `${name}() { echo "did ${name}"; }`,
    );
    // There is a difference to commit.
    stubs.push('git() { echo "did git"; [ "$1" != diff ]; }');
    const broken = [...lines.slice(0, at), "echo broken; false", ...lines.slice(at), "echo 'did all'"];
    const given = {
      REVIEW_API_URL: "u",
      WAREHOUSE: "/tmp",
      REPOSITORY_ID: "9",
      GITHUB_STEP_SUMMARY: "/dev/null",
    };
    const { stdout, code } = await run("bash", ["-c", [...stubs, ...broken].join("\n")], {
      env: { ...process.env, ...given, ORGANIZATION_KEY: "k", CHAT_WEBHOOK_URL: "c" },
      cwd: await mkdtemp(join(tmpdir(), "night-")),
    }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: unknown) => z.object({ stdout: z.string(), code: z.number() }).parse(error),
    );
    expect(code).not.toBe(0);
    expect(stdout.split("broken\n")[1] ?? "").toBe("");
  });

  test("blocks to paste set no options in the shell of the reader, and remove nothing", () => {
    const pasted = jobs.flatMap((page) => blocks(page, "sh"));
    expect(pasted.length).toBeGreaterThan(10);
    expect(pasted.filter((block) => /^\s*set [-+]/m.test(block))).toEqual([]);
    expect(pasted.filter((block) => /^\s*rm /m.test(block))).toEqual([]);
  });
});

describe("the nightly warehouse load", () => {
  const page = `${jobsFolder}warehouse.md`;
  const { runLine, home } = useReader({ fresh: true });
  const duckdbCommand = fileURLToPath(new URL("./duckdb.ts", import.meta.url));
  const [script = ""] = blocks(page, "bash");
  let warehouse = "";
  beforeAll(async () => {
    warehouse = join(home(), "warehouse");
    await mkdir(warehouse);
  });

  /** As cron runs it, with DuckDB as a command; `failing` replaces a command by one that fails. */
  const loading = (failing = "") =>
    runLine(
      `: "$REVIEW_API_URL" "$REVIEW_API_KEY" "$WAREHOUSE"\nduckdb() { "${process.execPath}" "${duckdbCommand}" "$2"; }\n${failing}\n${script}`,
    );
  const query = async (sql: string) => {
    const instance = await DuckDBInstance.create(join(warehouse, "warehouse.duckdb"));
    const connection = await instance.connect();
    try {
      await connection.run("SET TimeZone = 'Pacific/Auckland'");
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  const changesLeft = async () =>
    (await readdir(warehouse)).filter((name) => name.endsWith(".changes.ndjson"));

  test("a night whose load fails exits with an error and keeps its changes for the next night", async () => {
    const failed = await loading("duckdb() { return 1; }");
    expect(failed.code).not.toBe(0);
    expect(await changesLeft()).toEqual(["reviews.changes.ndjson"]);
    const lines = (await readFile(join(warehouse, "reviews.changes.ndjson"), "utf8")).split("\n").length - 1;
    expect(lines).toBeGreaterThan(100);
    const again = await loading();
    expect([again.code, again.code === 0 ? "" : again.output]).toEqual([0, ""]);
    expect(await changesLeft()).toEqual([]);
    expect(await query("SELECT count(*)::INTEGER AS loaded FROM reviews")).toEqual([{ loaded: lines }]);
  });

  test("later nights load only changes; the queries count every finding, in weeks of UTC", async () => {
    const { code, output } = await loading();
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    const counts = [...output.matchAll(/ has [\d,]+ [\w ]+ \((.*?)\)\./g)].map(([, changes]) => changes);
    expect(counts).toEqual(Array(5).fill("0 new, 0 changed, 0 removed"));
    const [byWeek = "", byTeam = ""] = blocks(page, "sql");
    const weeks = z
      .array(z.object({ week: z.string(), findings: z.coerce.number() }))
      .parse(await query(byWeek));
    const [total] = await query("SELECT sum(len(coderabbit_comments)) AS findings FROM review_comments");
    expect(weeks.length).toBeGreaterThan(1);
    expect(weeks.reduce((sum, { findings }) => sum + findings, 0)).toBe(Number(total?.findings));
    const [monday] = await query(
      "SELECT min(date_trunc('week', strptime(strftime(merged_at AT TIME ZONE 'UTC', '%Y-%m-%d'), '%Y-%m-%d'))) AS week FROM review_comments",
    );
    expect(weeks[0]?.week).toBe(monday?.week);
    const teams = z
      .array(z.object({ team: z.string(), findings: z.coerce.number() }))
      .parse(await query(byTeam));
    expect(teams.length).toBeGreaterThan(1);
    const [people] = await query(
      "SELECT count(*)::INTEGER AS rows, count(DISTINCT user_id)::INTEGER AS people FROM people",
    );
    expect(Number(people?.rows)).toBeGreaterThan(10);
    const [repositories] = await query(
      "SELECT count(*)::INTEGER AS known FROM repositories JOIN (SELECT DISTINCT repository_id AS reviewed, organization_id AS organization FROM reviews) ON reviewed = repository_id AND organization = organization_id",
    );
    expect(Number(repositories?.known)).toBeGreaterThan(1);
  });
});
