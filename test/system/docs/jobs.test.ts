import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { pages } from "../../docs/pages.ts";
import { blocksIn, coveredElsewhere, jobsFolder, scriptOf, stepsOf, useReader } from "./reader.ts";

const run = promisify(execFile);
const jobs = pages.filter((page) => page.startsWith(jobsFolder));

/** The page about keys shows a refusal and ids of the reader: test/system/docs/keys-job.test.ts runs it. */
const inOrder = jobs.filter((page) => !page.endsWith("/keys.md"));

describe.each(inOrder)("%s", (page) => {
  const { service, runLine } = useReader({ fresh: true });

  test("every command block runs in order, in an empty folder, on a fresh service", async () => {
    const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, "127.0.0.1");
    onTestFinished(() => void receiver.close());
    await once(receiver, "listening");
    const { port } = z.object({ port: z.number() }).parse(receiver.address());
    const script = scriptOf(page).replaceAll(
      "https://hooks.example.com/deliveries",
      `http://127.0.0.1:${port}/deliveries`,
    );
    // Workspace tokens cannot read findings, as the page says.
    const kind = page.endsWith("code-scanning.md") ? "organization" : "workspace";
    const given = { REVIEW_API_URL: service().url, REVIEW_API_KEY: service().keys[kind] ?? "" };
    const { code, output } = await runLine(script, given);
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
  });
});

test("every reason not to run a command of a job is still needed", () => {
  const lines = jobs.flatMap((page) => blocksIn(page, "sh").join("\n").split("\n"));
  for (const [pattern] of coveredElsewhere) expect(lines.some((line) => pattern.test(line))).toBe(true);
});

describe("what runs by itself at night", () => {
  const scripts = jobs.flatMap((page) => [
    ...blocksIn(page, "bash").map((script) => ({ page, script: script.replace(/^#!.*\n/, "") })),
    ...(blocksIn(page, "yaml").some((text) => text.startsWith("name: "))
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
    const stubs = ["npx", "gh", "curl", "jq", "duckdb", "psql", "flock", "rm"].map(
      (name) => `${name}() { echo "did ${name}"; }`,
    );
    // There is a difference to commit.
    stubs.push('git() { echo "did git"; [ "$1" != diff ]; }');
    const broken = [...lines.slice(0, at), "echo broken; false", ...lines.slice(at), "echo 'did all'"];
    const folder = await mkdtemp(join(tmpdir(), "night-"));
    const given = {
      REVIEW_API_URL: "u",
      WAREHOUSE: folder,
      ENGINE: "duckdb",
      REPOSITORY_ID: "9",
      GITHUB_STEP_SUMMARY: "/dev/null",
    };
    const { stdout, code } = await run("bash", ["-c", [...stubs, ...broken].join("\n")], {
      env: { ...process.env, ...given, ORGANIZATION_KEY: "k", CHAT_WEBHOOK_URL: "c" },
      cwd: folder,
    }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: unknown) => z.object({ stdout: z.string(), code: z.number() }).parse(error),
    );
    expect(code).not.toBe(0);
    expect(stdout.split("broken\n").slice(1)).toEqual([""]);
  });

  test("blocks to paste set no options in the shell of the reader, and remove nothing", () => {
    const pasted = jobs.flatMap((page) => blocksIn(page, "sh"));
    expect(pasted.length).toBeGreaterThan(10);
    expect(pasted.filter((block) => /^\s*set [-+]/m.test(block))).toEqual([]);
    expect(pasted.filter((block) => /^\s*rm /m.test(block))).toEqual([]);
  });
});
