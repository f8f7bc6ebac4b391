import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rollback } from "../../../lib/contract/platform.ts";
import { blocksOf, read } from "../../docs/pages.ts";
import { synthesize } from "../infra/synthesize.ts";

const page = read("docs/operate/aws.md");
const remove = page.slice(page.indexOf("## Remove"));
const { Resources } = synthesize({ waf: "true", customerManagedKey: "true" });
const kept = Object.entries(Resources)
  .filter(([, { DeletionPolicy = "Delete" }]) => DeletionPolicy !== "Delete")
  .map(([id]) => id);
/** Other APIs of the account may use them. */
const shared = ["RestApiAccount", "RestApiCloudWatchRole"];

test("the page names every resource that stays when the stack is deleted", () => {
  expect(kept.length).toBeGreaterThan(8);
  expect(kept.filter((id) => !remove.includes(`\`${id}\``))).toEqual([]);
});

test("the commands of the page delete every one of them, by the name that the first command wrote down", () => {
  const folder = mkdtempSync(join(tmpdir(), "teardown-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "resources.txt"), kept.map((id) => `${id}\tname-of-${id}\n`).join(""));
  const commands = (blocksOf(remove).at(-1) ?? "").replaceAll(/```(sh)?/g, "");
  const script = `aws() { echo "aws $*"; }\n${commands}`;
  const { stdout } = spawnSync("bash", ["-euc", script], { cwd: folder, encoding: "utf8" });
  const deletions = stdout.split("\n").filter((line) => /delete|rb --force|schedule-key/.test(line));
  const deleted = deletions.map((line) => /name-of-(\w+)/.exec(line)?.[1]);
  expect(deleted.toSorted()).toEqual(kept.filter((id) => !shared.includes(id)).toSorted());
});

test("the page names the alarms that roll a deployment back, and how long they are watched", () => {
  const [, names = ""] = /watches five of the stack's alarms \(([^)]+)\)/.exec(page) ?? [];
  expect(names.match(/\w+/g)).toEqual(rollback.alarms);
  expect(page).toContain(`for ${rollback.monitoringMinutes} minutes after it`);
});
