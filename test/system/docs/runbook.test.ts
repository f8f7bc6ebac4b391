import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { alarms, throttle } from "../../../lib/contract/platform.ts";
import { tableShape } from "../../../lib/contract/table.ts";
import { blockCommands, blocksOf, read } from "../../docs/pages.ts";
import { plainTemplate } from "../infra/built-templates.ts";

/** What the AWS CLI finds: without a status the backup does not exist, without a live table the stack. */
type Found = { readonly status: string; readonly live: string; readonly own: string };

/** The AWS CLI calls that a pasted script makes. */
function run(paste: string, { status, live, own }: Found): string[] {
  const aws = `aws() { echo "aws $*" >&2; case "$2" in
    describe-backup) echo "$STATUS"; [ -n "$STATUS" ];;
    describe-stacks) echo "$LIVE_NAME"; [ -n "$LIVE_NAME" ];;
    describe-stack-resource) echo "$OWN_NAME";;
  esac; }`;
  const { stderr } = spawnSync("bash", ["-c", `${aws}\n${paste}`], {
    env: { ...process.env, STATUS: status, LIVE_NAME: live, OWN_NAME: own },
    encoding: "utf8",
  });
  return stderr.split("\n").filter((line) => line.startsWith("aws "));
}

describe("the runbook and the page about a restore", () => {
  const runbook = read("docs/operate/runbook.md");
  const restore = read("docs/operate/restore.md");
  const template = plainTemplate();

  test.each(Object.keys(alarms))("the runbook has a section for the alarm %s", (name) => {
    expect(runbook).toContain(`\n### ${name}\n`);
    // The table is what the person on call reads first.
    expect(runbook).toMatch(new RegExp(`^\\| \\[${name}\\]\\(#${name.toLowerCase()}\\) \\|`, "m"));
  });

  const deletes = ["update-table", "wait table-exists", "delete-table", "wait table-not-exists"];
  test.each([
    ["CREATING", "restored", ["describe-backup"]],
    ["", "restored", ["describe-backup"]],
    ["AVAILABLE", "own", []],
    ["AVAILABLE", "", []],
    ["AVAILABLE", "restored", ["describe-backup", ...deletes]],
  ])(
    "the clean-up in a new shell deletes a table only if its backup is %j and %j is live",
    (status, live, done) => {
      const [making = "", deleting = "", ...more] = blocksOf(restore.slice(restore.indexOf("**Clean up**")));
      expect(more).toEqual([]);
      const paste = [making, deleting].map((block) => blockCommands(block).join("\n"));
      const [before, after] = [paste[0] ?? "", paste.join("\n")].map((text) =>
        run(text, { status, live, own: "own" }),
      );
      const calls = (after ?? []).slice(before?.length).filter((call) => call.startsWith("aws dynamodb "));
      expect(calls.map((call) => /^aws dynamodb ((?:wait )?[\w-]+)/.exec(call)?.[1])).toEqual(done);
      const changed = calls.filter((call) => !call.includes("describe-backup"));
      expect(changed.filter((call) => !call.includes(" --table-name own"))).toEqual([]);
    },
  );

  test("a block that starts a restore in the background waits for its end", () => {
    const restoring = blocksOf(restore).filter((block) => block.includes("dynamodb restore-table"));
    expect(restoring.length).toBe(1);
    for (const block of restoring)
      expect(blockCommands(block).at(-1)).toMatch(/^aws dynamodb wait table-exists /);
  });

  test("a restore stops and starts the stack's own resources, and restores the table's own settings", () => {
    const { Resources } = template;
    const named = [...restore.matchAll(/--logical-resource-id (\w+)/g)].map(([, id = ""]) => id);
    expect(named.toSorted()).toEqual(["EventsMapping", "RestApi", "Table"]);
    for (const id of named) expect(Object.keys(Resources)).toContain(id);
    expect(restore).toContain(`rateLimit,value=${throttle.requestsPerSecond}'`);
    expect(restore).toContain(`burstLimit,value=${throttle.burstRequests}'`);
    expect(restore).toContain(`AttributeName=${tableShape.expiryAttribute}\n`);
  });

  test("the runbook finds who answered a 5xx by fields that the access log has", () => {
    const [, fields = ""] = /filter status >= 500 \| stats count\(\*\) by (.*)\n/.exec(runbook) ?? [];
    const stage = Object.values(template.Resources).find(({ Type }) => Type === "AWS::ApiGateway::Stage");
    expect(fields.split(", ").length).toBe(4);
    for (const field of fields.split(", "))
      expect(JSON.stringify(stage?.Properties)).toContain(`\\"${field}\\":`);
  });
});
