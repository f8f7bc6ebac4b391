import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { commandPaths } from "../../cli/main.ts";
import { formatTable, startProgress, startTally } from "../../cli/terminal.ts";
import { callTool, runTool } from "./support.ts";

const bundledNode = fileURLToPath(
  new URL(`../../node_modules/node-${process.platform}-${process.arch}`, import.meta.url),
);
const paths = await commandPaths();

describe("help", () => {
  test.each(paths)(
    "review-api %s --help shows how to call the command, and its option --json",
    async (path) => {
      const { code, stdout, stderr } = await callTool(...path.split(" "), "--help");
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(`  npx --no-install review-api ${path}`);
      expect(stdout).toContain("--json");
    },
  );

  test("the tool and each of its groups list their commands", async () => {
    const { code, stdout } = await callTool("--help");
    expect(code).toBe(0);
    for (const path of paths) expect(stdout).toContain(`  ${path.split(" ")[0]}`);
    const group = await callTool("keys", "--help");
    expect([group.code, group.stderr]).toEqual([0, ""]);
    for (const name of ["create", "rotate", "list", "revoke"]) expect(group.stdout).toContain(`keys ${name}`);
  });
});

test("help before a command equals --help after it", async () => {
  for (const words of [["keys"], ["keys", "create"], ["dev"]])
    expect(await callTool("help", ...words)).toEqual(await callTool(...words, "--help"));
});

test("--version prints the package's version", async () => {
  const { stdout } = await callTool("--version");
  expect(stdout).toBe(
    JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version,
  );
});

describe("completion", () => {
  /** The words that bash offers for the last of these words. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const { stdout: script } = await callTool("completion", "bash");
    const typed = ["review-api", ...words];
    const ask = [
      script,
      `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")})`,
      `COMP_CWORD=${typed.length - 1}`,
      "_review_api",
      'printf "%s\\n" "$' + '{COMPREPLY[@]}"',
    ].join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-c", ask]);
    return stdout.split("\n").filter(Boolean);
  }

  test("bash offers groups, then commands, then options", async () => {
    expect(await offered("ke")).toEqual(["keys"]);
    expect(await offered("keys", "")).toEqual(["create", "rotate", "list", "revoke"]);
    expect(await offered("keys", "create", "--ki")).toEqual(["--kind"]);
    expect(await offered("report", "--f")).toEqual(["--format"]);
    expect(await offered("seats", "idle", "--days", "30", "--un")).toEqual(["--unassign"]);
  });

  test.each(["zsh", "fish"])("the completion of %s contains every command", async (shell) => {
    const { code, stdout } = await callTool("completion", shell);
    expect(code).toBe(0);
    for (const path of paths) for (const word of path.split(" ")) expect(stdout).toContain(word);
  });
});

describe("an invalid command gets one sentence, a hint and exit code 2", () => {
  test.each([
    [["nonsense"], 'There is no command "nonsense".'],
    [["keys", "nonsense"], 'There is no command "keys nonsense".'],
    [["kyes"], 'There is no command "kyes". Did you mean keys?'],
    [["keys", "lits"], 'There is no command "keys lits". Did you mean list?'],
    [["completion", "cmd"], 'SHELL is one of bash, zsh, fish, not "cmd".'],
    [["keys"], "review-api keys needs one of: create, rotate, list, revoke."],
    [["keys", "create"], "--kind is missing."],
    [
      ["keys", "create", "--kind", "golden"],
      '--kind takes one of organization, user, instance, legacy, agentic, not "golden".',
    ],
    [
      ["keys", "create", "--kind", "legacy", "--org", "1", "--owner", "2"],
      "--owner cannot be used with --kind legacy.",
    ],
    [["keys", "create", "--kind", "user", "--kin"], "Unknown option '--kin'. Did you mean --kind?"],
    [["keys", "list", "extra"], 'Unexpected argument "extra".'],
    [["keys", "rotate", "k1", "k2", "--grace-seconds", "0"], 'Unexpected argument "k2".'],
    [["keys", "rotate", "--grace-seconds", "0"], "KEY_ID is missing."],
    [
      ["keys", "rotate", "k1", "--grace-seconds", "1e3"],
      '--grace-seconds takes a whole number from 0 up, not "1e3".',
    ],
    [["keys", "list", "--data", ""], "--data must not be empty."],
    [["keys", "revoke", "", "--key", "k"], "KEY_ID must not be empty."],
    [["keys", "rotate", "", "--grace-seconds", "0"], "KEY_ID must not be empty."],
    [["webhooks", "show", ""], "WEBHOOK_ID must not be empty."],
    [["learnings", "approve", ""], "LEARNING_ID must not be empty."],
    [["org", "show", ""], "ORG must not be empty."],
    [["events", "send", ""], "FILE.ndjson must not be empty."],
    [["keys", "list", "--data", "a", "--stack", "b"], "--data and --stack cannot be used together."],
    [["keys", "list", "--region", "eu-north-1"], "--region works only with --stack."],
    [
      ["tokens", "create", "--workspace", "w", "--as", "1", "--name", "n", "--expires-in-days", "366"],
      '--expires-in-days takes a whole number from 1 to 365, not "366".',
    ],
    [["org", "set", "1"], "Nothing to set: give --seat-assignment-mode or --approval-delay-days."],
    [
      ["org", "set", "1", "--approval-delay-days", "31"],
      '--approval-delay-days takes a whole number from 0 to 30, not "31".',
    ],
    [
      ["org", "set", "1", "--inherit-approval-delay"],
      "--inherit-approval-delay works only with --repository.",
    ],
    [
      ["org", "set", "1", "--repository", "2"],
      "With --repository give either --approval-delay-days or --inherit-approval-delay.",
    ],
    [
      ["org", "set", "1", "--repository", "2", "--seat-assignment-mode", "manual"],
      "--seat-assignment-mode is for a whole organization, without --repository.",
    ],
    [["dev", "--port", "70000"], '--port takes a whole number from 0 to 65535, not "70000".'],
    [["events", "send"], "FILE.ndjson is missing."],
  ])("an invalid command gets one sentence, a hint and exit code 2: %j", async (words, sentence) => {
    const { code, stderr } = await callTool(...words);
    const [first, second, ...more] = stderr.split("\n");
    expect([code, first]).toEqual([2, sentence]);
    expect(more).toEqual([]);
    const [, hint = ""] = /^Try: review-api (.*--help)$/.exec(second ?? "") ?? [];
    expect((await callTool(...hint.split(" "))).code).toBe(0);
  });
});

test("people apply says that its file does not exist, and what to name", async () => {
  const { code, stderr } = await callTool("people", "apply", "missing.csv", "--key", "none");
  expect([code, stderr]).toEqual([
    1,
    "missing.csv cannot be read: there is no such file. Name a CSV file with a row for each person.",
  ]);
});

describe("output", () => {
  test("a table has a heading, aligned columns and a dash for a missing value", () => {
    const table = formatTable([
      { id: "a", last_used_at: null },
      { id: "longer", last_used_at: 7 },
    ]);
    expect(table).toBe("ID      LAST USED AT\na       -\nlonger  7");
  });

  test("progress prints nothing without a terminal", () => {
    const written: unknown[] = [];
    const original = process.stderr.write;
    process.stderr.write = (text) => written.push(text) > 0;
    const progress = startProgress({ watched: false }, "Sending", 10);
    progress.advance(5);
    progress.end();
    const watched = startProgress({ watched: true }, "Sending", 10);
    watched.advance(5);
    process.stderr.write = original;
    expect(written).toHaveLength(2);
    expect(written[1]).toContain("[###############...............] 50%");
  });
});

describe("a tally of work without a known end", () => {
  test("a tally without a known end is drawn a few times a second on a terminal, and is removed at the end", () => {
    const written: unknown[] = [];
    const original = process.stderr.write;
    process.stderr.write = (text) => written.push(text) > 0;
    const clock = { now: 0, nowMs: () => clock.now, sleep: async () => undefined };
    for (const watched of [false, true]) {
      const tally = startTally({ watched }, "Reading items", clock);
      tally.add(1_000);
      tally.add(1);
      clock.now += 100;
      tally.show(2_500);
      tally.end();
    }
    process.stderr.write = original;
    const clear = "\r\u001b[K";
    expect(written).toEqual([`${clear}Reading items: 1,000`, `${clear}Reading items: 2,500`, clear]);
  });
});

describe("an old Node", () => {
  test("an old Node gets one sentence that says what is needed, if no newer one is available", async () => {
    const pretend = "Object.defineProperty(process.versions,'node',{value:'20.1.0'})";
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
      REVIEW_API_RESTARTED: "1",
    };
    const { code, stdout, stderr } = await runTool(["--help"], { env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      "review-api needs Node 22.18 or newer, and this is 20.1.0: install it from https://nodejs.org.\n",
    );
  });

  test.skipIf(!existsSync(bundledNode))("an old Node hands over to the project's newer one", async () => {
    const pretend =
      "if(!process.env.REVIEW_API_RESTARTED)Object.defineProperty(process.versions,'node',{value:'20.1.0'})";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
    const { code, stdout } = await runTool(["keys", "--help"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain("review-api keys create");
    expect((await runTool(["nonsense"], { env })).code).toBe(2);
  });
});
