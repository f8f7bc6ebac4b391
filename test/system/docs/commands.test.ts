import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { callTool } from "../../cli/support.ts";
import { blockCommands, pages, read } from "../../docs/pages.ts";
import { firstCustomerPage, jobsFolder, stepsOf, useReader } from "./reader.ts";

/** Commands inside a sentence count too. */
const inlineCommands = (text: string): string[] =>
  [...text.matchAll(/`((?:npx|npm|node|python3|git|curl|aws) [^`]+)`/g)].map(([, command = ""]) => command);

/** The blocks of these pages run in order: test/system/docs/jobs.test.ts and first-customer.test.ts. */
const runsInOrder = (page: string) => page.startsWith(jobsFolder) || page === firstCustomerPage;
const commands = pages.flatMap((page) =>
  [...(runsInOrder(page) ? [] : blockCommands(read(page))), ...inlineCommands(read(page))].map(
    (line) => [page, line] as const,
  ),
);
/** A command that several pages show runs only for the first page. */
const withoutRemark = (line: string): string => line.replace(/\s+#.*$/, "");
const isFirst = ([, line]: readonly [string, string], index: number): boolean =>
  commands.findIndex(([, other]) => withoutRemark(other) === withoutRemark(line)) === index;

/** Commands that cannot run during a test run, and what covers them instead. */
const elsewhere: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^npm install\b/,
    "CI begins with it, and test/system/client/package.test.ts installs the package elsewhere",
  ],
  [/^npm run package\b/, "test/system/client/package.test.ts packs and installs it"],
  [/^npm ci\b/, "CI runs it; test/architecture/lock-file.test.ts holds what it needs"],
  [/^npm run grants\b/, "runs all unit tests and proofs and lists what none of them used"],
  [/^npm run lock\b/, "would change a file; test/architecture/lock-file.test.ts runs it"],
  [/^npm run prove\b/, "needs an AWS account; test/system/cli/prove.test.ts runs it against a fake one"],
  [/^curl -i "\$API_URL\/v1\/whoami" -H 'x-test/, "needs a deployed stack with a firewall"],
  [/^npm (test|run (synth|check))\b/, "CI runs it"],
  [
    /^npm run (generate|release)\b/,
    "would change files; tests compare each of them with what it would write",
  ],
  [
    /^npm start\b/,
    "runs until it is stopped; these tests talk to what it starts, and look at its options below",
  ],
  [
    /^npm run explain\b/,
    "needs a line of a deployed release; test/system/infra/source-maps.test.ts explains one",
  ],
  [
    /^npx --no-install review-api (verify|preflight)\b/,
    "test/system/cli/verify.test.ts and test/checks/preflight.test.ts run them",
  ],
  [/^npm run record:items\b/, "would change a file; test/store/recorded-items.test.ts reads it"],
  [
    /^npx --no-install review-api repair .*--resume$/,
    "there is nothing to continue here; test/stream/repair-online.test.ts continues a stopped one",
  ],
  [/^npm run scale\b/, "would change files; test/measure/bench/scale compares them with what it would write"],
  [/^npm run pictures\b/, "would change the README's pictures"],
  [
    /^npm run measure:redaction\b/,
    "takes minutes; test/measure/redaction/recall.test.ts measures fewer texts",
  ],
  [/^npm run bench\b/, "takes a quarter of an hour of a quiet machine; test/measure/bench holds its counts"],
  [/^npm run test:\w+/, "takes minutes to an hour of a quiet machine; the short forms are in npm test"],
  [/^git pull\b/, "needs the repository's own home"],
  [/^git checkout\b/, "deploys; test/system/infra/deploy.test.ts runs its deployment against a fake account"],
  [/^npx --no-install review-api log(in|out)\b/, "asks for a key; test/cli/login.test.ts answers"],
  [/^npm run emulator\b/, "runs until it is stopped; test/deploy/stack.test.ts starts the same"],
  [/^npm run (deploy|destroy)\b/, "test/system/infra/deploy.test.ts runs them against a fake account"],
  [/^(nameOf\(\)|for \w+ in )/, "test/system/docs/teardown.test.ts runs them"],
  [
    /^claude mcp add\b/,
    "needs Claude Code; test/system/mcp/clients.test.ts uses the same address and header",
  ],
  [
    /^(\w+=\$\()?npx --no-install review-api (webhooks (?!list)|listen)\b/,
    "needs a receiver; test/system/cli/webhooks.test.ts runs all of them",
  ],
  [
    /VENDOR_KEY|leaked\.txt/,
    "needs the lines before it; keys-job.test.ts and cli/narrow-keys.test.ts run them",
  ],
  [/^(node|python3) receiver\./, "runs until it is stopped; test/system/docs/receivers.test.ts runs both"],
  [/^npx cdk\b/, "needs an AWS account"],
  [/^(\w+=\$\()?aws /, "needs an AWS account"],
];
const isElsewhere = (line: string) => elsewhere.some(([pattern]) => pattern.test(line));
const run = promisify(execFile);

describe("npm scripts", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read("package.json")));

  test("npm start runs the tool's own service", () => {
    expect(scripts.start).toBe("node cli/review-api.js dev");
  });

  test.each(
    pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => [page, name] as const),
    ),
  )("%s names npm run %s, which exists", (_, name) => {
    expect(Object.keys(scripts)).toContain(name);
  });

  test("every option shown after npm start exists", async () => {
    const { stdout } = await callTool("dev", "--help");
    const shown = commands.flatMap(([, line]) => /^npm start -- (--\w+)/.exec(line)?.[1] ?? []);
    expect(shown.length).toBeGreaterThan(1);
    for (const option of shown) expect(stdout).toContain(`  ${option} `);
  });

  test("every reason not to run a command here is still needed", () => {
    for (const [pattern] of elsewhere) expect(commands.some(([, line]) => pattern.test(line))).toBe(true);
  });
});

describe("commands in the docs do what they say", () => {
  const { runLine, home } = useReader();
  let folder = "";
  beforeAll(() => {
    folder = home();
  });

  test.each(commands.filter(isFirst).filter(([, line]) => !isElsewhere(line)))(
    "the command in %s exits with code 0: %s",
    async (_, line) => {
      const { code, output } = await runLine(line);
      expect([code, output]).toEqual([0, expect.any(String)]);
    },
  );

  test("the weekly workflow makes a summary and a page", async () => {
    const steps = stepsOf("docs/use/jobs/weekly-report.md");
    const [report] = steps.filter(({ env }) => env);
    expect(report?.env).toEqual({
      REVIEW_API_URL: expect.stringMatching(/^https:/),
      REVIEW_API_KEY: expect.stringMatching(/^\$\{\{ secrets\.\w+ \}\}$/),
    });
    const { code, output } = await runLine(`set -e\n${report?.run}`);
    expect([code, output]).toEqual([0, expect.any(String)]);
    const summary = await readFile(join(folder, "summary.md"), "utf8");
    expect(summary).toMatch(/^### Code reviews of workspace acme, .*acme-web/s);
    expect(summary).toMatch(/Not in these figures: acme-research .*on the plan pro; figures need enterprise/);
    const page = steps.at(-1)?.with?.path ?? "";
    expect(await readFile(join(folder, page), "utf8")).toMatch(/^<!doctype html>/);
  });

  test("the weekly workflow posts a message that a chat accepts", async () => {
    const posted: string[] = [];
    const chat = createServer(async (request, response) => {
      posted.push(`${request.headers["content-type"]} ${await text(request)}`);
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void chat.close());
    await once(chat, "listening");
    const { port } = z.object({ port: z.number() }).parse(chat.address());
    const [report, post] = stepsOf("docs/use/jobs/weekly-report.md").filter(({ env }) => env);
    expect(Object.keys(post?.env ?? {})).toEqual(["CHAT_WEBHOOK_URL"]);
    const { code, output } = await runLine(
      `set -e\n${report?.run}\nCHAT_WEBHOOK_URL=http://127.0.0.1:${port}\n${post?.run}`,
    );
    expect([code, output]).toEqual([0, expect.any(String)]);
    const [, message = ""] = /^application\/json (.*)$/s.exec(posted.join()) ?? [];
    expect(JSON.parse(message)).toEqual({
      text: expect.stringMatching(/^Code reviews of `workspace acme`, .*\n\nBy repository:\n• `.{1,1800}$/s),
    });
  });

  test("the workflow for AGENTS.md keeps the rest of the file, and commits only what changed", async () => {
    const steps = stepsOf("docs/use/jobs/agents-md.md");
    const [update] = steps.filter(({ env }) => env);
    const home = join(folder, "agents");
    const git = async (...words: string[]) => {
      const person = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      return (await run("git", ["-C", home, ...person, ...words])).stdout;
    };
    await mkdir(home);
    await run("git", ["init", "--bare", join(folder, "origin.git")]);
    await git("init", "--initial-branch=main");
    await git("remote", "add", "origin", join(folder, "origin.git"));
    await writeFile(join(home, "AGENTS.md"), "# Rules\n\nRun the tests.\n");
    await git("add", "AGENTS.md");
    await git("commit", "-m", "rules");
    // There is no GitHub here: its command only writes down what it was asked.
    const weekly = () => runLine(`gh() { echo "gh $*" >> ../gh.log; }; cd agents; set -e\n${update?.run}`);
    const asked = () => readFile(join(folder, "gh.log"), "utf8");
    expect(await weekly()).toMatchObject({ code: 0 });
    expect(await asked()).toBe(
      "gh pr view learnings --json state --jq .state\ngh pr create --head learnings --fill\n",
    );
    expect(await git("show", "origin/learnings:AGENTS.md")).toMatch(
      /^# Rules\n\nRun the tests\.\n\n<!-- review-api learnings: begin -->.*### acme.*learnings: end -->\n$/s,
    );
    await git("checkout", "main");
    await git("merge", "learnings");
    await rm(join(folder, "gh.log"));
    expect(await weekly()).toMatchObject({ code: 0 });
    await expect(asked()).rejects.toThrow("ENOENT");
  });

  test("the workflow for code scanning downloads the open findings of its repository as SARIF", async () => {
    const steps = stepsOf("docs/use/jobs/code-scanning.md");
    const [download] = steps.filter(({ env }) => env);
    const { code, output } = await runLine(`set -e\n${download?.run}`);
    expect([code, output]).toEqual([0, ""]);
    const sarif = JSON.parse(await readFile(join(folder, steps.at(-1)?.with?.sarif_file ?? ""), "utf8"));
    expect(sarif).toMatchObject({ version: "2.1.0", runs: [{ results: expect.any(Array) }] });
    expect(sarif.runs[0].results.length).toBeGreaterThan(0);
    const refused = await runLine(`set -e\nexport CODE_SCANNING_KEY=wrong\n${download?.run}`);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining("The API key is missing or not valid."),
    });
  });

  test.each([
    ["docs/use/start.md", 3],
    ["docs/use/keys.md", 1],
    ["docs/use/learnings.md", 2],
    ["docs/use/tool.md", 20],
    ["docs/operate/tool.md", 3],
    ["docs/operate/restore.md", 3],
    ["docs/use/mcp.md", 1],
    ["README.md", 1],
    ["docs/use/events.md", 4],
    ["docs/operate/runbook.md", 12],
    ["docs/change/stream.md", 1],
  ])("%s has at least %d commands that are run", (page, least) => {
    const run = commands.filter(([where, line]) => where === page && !isElsewhere(line));
    expect(run.length).toBeGreaterThanOrEqual(least);
  });
});
