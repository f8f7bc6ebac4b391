import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import cdkSettings from "../../cdk.json" with { type: "json" };
import { commandPaths } from "../../cli/main.ts";
import manifest from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const step = z.object({
  id: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  if: z.string().optional(),
});
const job = z.object({
  if: z.string().optional(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  concurrency: z.string().optional(),
  strategy: z
    .object({ matrix: z.record(z.string(), z.array(z.string()).or(z.string().transform((only) => [only]))) })
    .optional(),
  steps: z.array(step),
});
const workflowSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), job),
});

const workflows = globSync(".github/workflows/*.yml", { cwd: root }).map((file) => {
  const text = readFileSync(root + file, "utf8");
  return { file, text, ...workflowSchema.parse(parse(text)) };
});

/** The commands of a job, once for every value of its matrix. */
function commandsOf({ steps, strategy }: z.output<typeof job>): readonly string[] {
  const matrix = Object.entries(strategy?.matrix ?? {});
  return steps.flatMap(({ run = "" }) =>
    matrix.reduce(
      (lines, [name, values]) =>
        lines.flatMap((line) => values.map((value) => line.replaceAll(`\${{ matrix.${name} }}`, value))),
      run.split("\n"),
    ),
  );
}

const toolCommands = await commandPaths();

function isMissing(command: string): boolean {
  const scripts: Readonly<Record<string, string>> = manifest.scripts;
  const script = /\bnpm (?:run ([\w:-]+)|(test|start)\b)/.exec(command);
  if (script) return scripts[script[1] ?? script[2] ?? ""] === undefined;
  const words = /\breview-api ((?:[a-z-]+ ?)+)/.exec(command)?.[1]?.trim();
  if (words !== undefined) return !toolCommands.includes(words.split(" --", 1)[0]?.trim() ?? "");
  const file = /\b(?:bash|node) ([\w./-]+)/.exec(command)?.[1];
  return file !== undefined && !existsSync(root + file);
}

test("every script, file and command of the tool that a workflow calls exists", () => {
  const commands = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(commandsOf));
  expect(commands).toEqual(expect.arrayContaining(["npm test", "bash .ci/run"]));
  const planted = ["npm run no-such-script", "bash .ci/no-such-file", "npx review-api no-such-command --x"];
  expect(planted.filter(isMissing)).toEqual(planted);
  expect(commands.filter(isMissing)).toEqual([]);
});

test("workflows install exactly the lock file", () => {
  const installing = workflows
    .flatMap(({ jobs }) => Object.values(jobs).flatMap(commandsOf))
    .filter((command) => /npm (i|install|ci)\b/.test(command));
  expect(new Set(installing)).toEqual(new Set(["npm ci"]));
});

test("every action of a workflow is pinned to a digest and names its version", () => {
  const lines = workflows.flatMap(({ text }) => text.split("\n")).filter((line) => /\buses:/.test(line));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  );
});

test("a workflow may only read unless a job asks for more", () => {
  for (const { file, permissions } of workflows)
    expect([file, permissions]).toEqual([file, { contents: "read" }]);
});

describe("the workflow that deploys", () => {
  const deploy = workflows.find(({ file }) => file.endsWith("/deploy.yml")) ?? expect.fail("no deploy.yml");
  const { live, "pull-request": pullRequest } = deploy.jobs;

  test("a job gets AWS credentials only by OIDC, and only in an environment of its own", () => {
    expect(deploy.text).not.toMatch(/secrets\.|AWS_SECRET/);
    for (const [name, each] of Object.entries(deploy.jobs))
      expect([name, each.environment, each.permissions]).toEqual([
        name,
        name,
        { contents: "read", "id-token": "write" },
      ]);
  });

  test("the live stack is checked before its deployment and after it", () => {
    const commands = live?.steps.flatMap(
      ({ run = "" }) => /preflight|npm run deploy|verify/.exec(run)?.[0] ?? [],
    );
    expect(commands).toEqual(["preflight", "npm run deploy", "verify"]);
  });

  test("a pull request has an ephemeral stack until it closes, and a fork has none", () => {
    expect(pullRequest?.if).toContain("head.repo.full_name == github.repository");
    const [closing, before] = ["==", "!="].map((sign) =>
      pullRequest?.steps
        .filter((each) => each.if === `github.event.action ${sign} 'closed'`)
        .map(({ run = "" }) => run.split(/ --(?!no-install)/)[0]),
    );
    expect(before).toEqual([
      "npx --no-install review-api preflight",
      "npm run deploy",
      "npx --no-install review-api verify",
    ]);
    expect(closing).toEqual(["npm run destroy"]);
    expect(pullRequest?.steps.some(({ run = "" }) => run.includes('"ephemeral":true'))).toBe(true);
  });
});

describe("the workflow that removes stacks of closed pull requests", () => {
  const sweep = workflows.find(({ file }) => file.endsWith("/sweep.yml")) ?? expect.fail("no sweep.yml");
  const deploy = workflows.find(({ file }) => file.endsWith("/deploy.yml")) ?? expect.fail("no deploy.yml");

  test("runs on a schedule, because no workflow runs for a pull request that is closed with a conflict", () => {
    expect(parse(sweep.text).on.schedule).toEqual([{ cron: expect.any(String) }]);
  });

  test("names stacks and waits for deployments as the workflow that makes them does", () => {
    const script = readFileSync(`${root}infra/sweep.ts`, "utf8");
    const [, prefix] = /STACK: (\S+)\$\{\{ github\.event\.number \}\}/.exec(deploy.text) ?? [];
    expect(prefix).toBe("ReviewApi-pr-");
    expect(script).toContain(`/^${prefix}(`);
    const remove = sweep.jobs.remove ?? expect.fail("no job remove");
    expect(remove.steps.at(-1)?.run).toContain(`stackName=${prefix}\${{ matrix.number }} -c ephemeral=true`);
    expect(remove.concurrency).toBe(
      deploy.jobs["pull-request"]?.concurrency?.replace("github.event.number", "matrix.number"),
    );
  });

  test("asks again whether the pull request is closed, in the last step before the removal", () => {
    const [asking, removing] = sweep.jobs.remove?.steps.slice(-2) ?? [];
    expect(asking?.run).toContain(`node infra/sweep.ts \${{ matrix.number }}`);
    expect(removing).toMatchObject({
      if: `steps.${asking?.id}.outputs.closed != '[]'`,
      run: expect.stringContaining("npm run destroy"),
    });
    expect(sweep.jobs.remove?.permissions).toMatchObject({ "pull-requests": "read" });
  });

  test("gets AWS credentials only by OIDC, in the environment of pull requests", () => {
    expect(sweep.text).not.toMatch(/secrets\.|AWS_SECRET/);
    expect(Object.values(sweep.jobs).map(({ environment }) => environment)).toEqual([
      "pull-request",
      "pull-request",
    ]);
  });
});

test("cdk watch deploys a change of every folder that a function is made of", () => {
  const { include } = cdkSettings.watch;
  for (const each of include) expect([each, globSync(each, { cwd: root }).length > 0]).toEqual([each, true]);
  const folders = ["functions", "lib", "infra"].map((folder) => `${folder}/**`);
  expect(include).toEqual(expect.arrayContaining(folders));
});
