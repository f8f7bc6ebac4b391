import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rollback } from "../../../lib/contract/platform.ts";
import { blocksOf, read } from "../../docs/pages.ts";
import { properties } from "../infra/support.ts";
import { synthesize } from "../infra/synthesize.ts";

const page = read("docs/operate/aws.md");
const remove = page.slice(page.indexOf("## Remove"));
const template = synthesize({ waf: "true", customerManagedKey: "true" });
const kept = Object.entries(template.Resources)
  .filter(([, { DeletionPolicy = "Delete" }]) => DeletionPolicy !== "Delete")
  .map(([id]) => id);

test("the page names every resource that stays when the stack is deleted", () => {
  expect(kept.length).toBeGreaterThan(8);
  expect(kept.filter((id) => !remove.includes(`\`${id}\``))).toEqual([]);
});

/** The calls of the AWS CLI that these blocks of the page make. */
function callsOf(blocks: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "teardown-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "resources.txt"), kept.map((id) => `${id}\tname-of-${id}\n`).join(""));
  const commands = blocks.join("\n").replaceAll(/```(sh)?/g, "");
  const script = `aws() { echo "aws $*"; }\n${commands}`;
  const { stdout } = spawnSync("bash", ["-euc", script], { cwd: folder, encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

/** API Gateway's account setting has no name: an account has one in each region. */
const accountReset =
  "aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=";
const deletion = /delete-(table|queue|log-group|role) |rb --force|schedule-key/;
const deletedBy = (calls: readonly string[]): string[] =>
  calls.flatMap((call) => {
    if (call === accountReset) return ["RestApiAccount"];
    return deletion.test(call) ? (/name-of-(\w+)/.exec(call)?.[1] ?? call) : [];
  });

const [own = "", shared = ""] = blocksOf(remove).slice(-2);
const logging = ["RestApiAccount", "RestApiCloudWatchRole"];

test("the commands of the page delete every one of them, by the name that the first command wrote down", () => {
  expect(deletedBy(callsOf([own])).toSorted()).toEqual(kept.filter((id) => !logging.includes(id)).toSorted());
  expect(deletedBy(callsOf([own, shared])).toSorted()).toEqual(kept.toSorted());
});

test("API Gateway's logging role goes last, on its own: other APIs may log with it", () => {
  const calls = callsOf([own, shared]).slice(callsOf([own]).length);
  expect(calls).toEqual([
    accountReset,
    "aws iam detach-role-policy --role-name name-of-RestApiCloudWatchRole " +
      "--policy-arn arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs",
    "aws iam delete-role --role-name name-of-RestApiCloudWatchRole",
  ]);
  const { ManagedPolicyArns, Policies } = properties(template, "RestApiCloudWatchRole");
  expect(JSON.stringify(ManagedPolicyArns).match(/policy\/[\w/-]+/g)).toEqual([
    "policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs",
  ]);
  expect(Policies).toBeUndefined();
});

test("the pages name the alarms that roll a deployment back, and how long they are watched", () => {
  const [, names = ""] = /watches five of the stack's alarms \(([^)]+)\)/.exec(page) ?? [];
  expect(names.match(/\w+/g)).toEqual(rollback.alarms);
  expect(page).toContain(`for ${rollback.monitoringMinutes} minutes after it`);
  const row = /^\| `UPDATE_IN_PROGRESS` \| For (.+) wait: .* until (\d+) minutes/m.exec(
    read("docs/operate/runbook.md"),
  );
  expect(row?.[1]?.split(/, | and /)).toEqual(rollback.alarms);
  expect(Number(row?.[2])).toBe(rollback.monitoringMinutes);
});
