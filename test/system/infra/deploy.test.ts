import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import cdkSettings from "../../../cdk.json" with { type: "json" };
import { projectDirectory } from "../../../infra/bundle.ts";
import { eventLimits } from "../../../lib/contract/limits.ts";
import { eventQueueSettings, rollback, stackOutputs } from "../../../lib/contract/platform.ts";
import { startFakeAws } from "../../checks/fake-aws.ts";
import { plainTemplate } from "./built-templates.ts";
import { ofType } from "./support.ts";

const alarm = (name: string) => `arn:aws:cloudwatch:eu-west-1:111122223333:alarm:${name}`;
const bucket = "events";
let outputs: Readonly<Record<string, string>> = {};
let objects: string[] = [];
let aws: Awaited<ReturnType<typeof startFakeAws>>;
let folder: string;

/** `cdk` itself is AWS's: here a program writes down the words with which it is called. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "deploy-"));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "cdk"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/words"\nexit 3\n`);
  await chmod(join(folder, "bin", "cdk"), 0o755);
  aws = await startFakeAws(() => outputs, {
    s3({ target, body }, response) {
      response.setHeader("content-type", "application/xml");
      if (target.includes("list-type=2"))
        return void response.end(
          `<ListBucketResult>${objects.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")}</ListBucketResult>`,
        );
      const deleted = [...body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key);
      objects = objects.filter((key) => !deleted.includes(key));
      response.end("<DeleteResult/>");
    },
  });
});
afterAll(async () => {
  await aws.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  outputs = { [stackOutputs.rollbackAlarms]: [alarm("a"), alarm("b")].join(",") };
  objects = [];
  await rm(join(folder, "words"), { force: true });
  await rm(join(folder, "cdk.context.json"), { force: true });
});

async function run(script: "deploy" | "destroy", ...words: readonly string[]) {
  const env = {
    PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: aws.url,
  };
  const file = join(projectDirectory, "infra", `${script}.ts`);
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [file, ...words], { cwd: folder, env }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
  const text = await readFile(join(folder, "words"), "utf8").catch(() => undefined);
  return { ...ended, words: text?.trim().split("\n") };
}

test("a second deployment is rolled back by the stack's own alarms", async () => {
  const { code, words } = await run("deploy", "--require-approval", "never");
  expect(words).toEqual([
    ...["deploy", "--require-approval", "never"],
    ...["--rollback-trigger-alarm-arns", alarm("a"), "--rollback-trigger-alarm-arns", alarm("b")],
    ...["--monitoring-time-minutes", String(rollback.monitoringMinutes)],
  ]);
  // The exit code of cdk is the command's own.
  expect(code).toBe(3);
});

test("the first deployment has no alarms yet, and a pull request's stack none at all", async () => {
  expect((await run("deploy", "-c", "stackName=New")).words).toEqual(["deploy", "-c", "stackName=New"]);
  await writeFile(join(folder, "cdk.context.json"), JSON.stringify({ ephemeral: true }));
  expect((await run("deploy")).words).toEqual(["deploy"]);
});

test("a deployment that repairs the cause of an alarm can be made without rollback triggers", async () => {
  const words = ["--rollback-trigger-alarm-arns", "none"];
  expect((await run("deploy", ...words)).words).toEqual(["deploy", ...words]);
});

test("the runbook goes back after a check of the options, with a command that no ringing alarm stops", async () => {
  const runbook = readFileSync(join(projectDirectory, "docs/operate/runbook.md"), "utf8");
  const [, afterCheckout = ""] = runbook.split('\ngit checkout "$PREVIOUS_COMMIT" && npm ci\n');
  const [check = "", given = ""] = afterCheckout.split(/^npm run deploy -- (.+)$/m);
  expect(check).toContain("`cdk.context.json` must hold");
  const { words } = await run("deploy", ...given.split(" "));
  expect(words).toEqual(["deploy", "--rollback-trigger-alarm-arns", "none"]);
});

test("events that a bad release cannot apply are dead letters while its deployment is still watched", () => {
  const deadAfterMinutes = ((eventLimits.triesMax - 1) * eventQueueSettings.visibilitySeconds) / 60;
  const periodMinutes = 5;
  expect(rollback.monitoringMinutes).toBeGreaterThan(deadAfterMinutes + periodMinutes);
});

test("no page says to deploy the previous commit without a link to that command", () => {
  for (const page of ["docs/operate/runbook.md", "docs/operate/aws.md"]) {
    const text = readFileSync(join(projectDirectory, page), "utf8");
    expect([page, text.match(/deploy the previous commit(?!\]\()/g)]).toEqual([page, null]);
  }
});

test("a command without a region, or with a profile that nobody has, ends before cdk starts", async () => {
  const { code, stderr, words } = await run("deploy", "--profile", "nobody");
  expect([code, words]).toEqual([1, undefined]);
  expect(stderr).toMatch(/CloudFormation cannot be asked for the alarms of ReviewApi .*Check AWS_REGION/);
});

test("destroy looks for the stack with the profile that cdk gets", async () => {
  outputs = { [stackOutputs.eventsBucket]: bucket };
  for (const words of [["--profile", "nobody"], ["--profile=nobody"]]) {
    const ended = await run("destroy", "-c", "ephemeral=true", ...words);
    expect([ended.code, ended.words]).toEqual([1, undefined]);
    expect(ended.stderr).toMatch(/CloudFormation cannot be asked for ReviewApi .*Check AWS_REGION/);
  }
});

test("options that no deployment accepts end the command before cdk starts", async () => {
  const { code, stderr, words } = await run("deploy", "--context=waf=maybe");
  expect([code, words]).toEqual([1, undefined]);
  expect(stderr).toContain("waf must be true or false");
});

/** `npm` as a person has it in a shell, without the folder that `npm run` puts in front. */
const shellPath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((each) => !each.includes("node_modules"))
  .join(delimiter);

function runInShell(command: string, cwd: string) {
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, PATH: shellPath };
    execFile("/bin/sh", ["-c", command], { cwd, env }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

test("cdk starts the project's own Node, also if the machine's is older", async () => {
  const project = await mkdtemp(join(folder, "own-node-"));
  await mkdir(join(project, "node_modules", ".bin"), { recursive: true });
  await writeFile(join(project, "package.json"), "{}");
  const ownNode = join(project, "node_modules", ".bin", "node");
  await writeFile(ownNode, `#!/bin/sh\nprintf '%s\\n' "$@" > "${project}/words"\n`);
  await chmod(ownNode, 0o755);
  expect(await runInShell(cdkSettings.app, project)).toMatchObject({ code: 0 });
  expect(await readFile(join(project, "words"), "utf8")).toBe("infra/app.ts\n");
});

test.each(["deploy", "destroy", "synth"])("npm run %s before npm install says to install", async (script) => {
  const project = await mkdtemp(join(folder, "not-installed-"));
  await mkdir(join(project, "infra"));
  for (const file of ["package.json", "infra/installed.js"])
    await copyFile(join(projectDirectory, file), join(project, file));
  const { code, stderr } = await runInShell(`npm run ${script}`, project);
  expect(code).toBe(1);
  expect(stderr).toContain("Run npm install first");
});

test("the stack names at most five alarms that roll back, each one in the template", () => {
  const ids = ofType(plainTemplate(), "AWS::CloudWatch::Alarm").map(([id]) => id);
  const named = JSON.stringify(plainTemplate().Outputs[stackOutputs.rollbackAlarms]?.Value);
  const found = ids.filter((id) => named.includes(`"${id}"`));
  expect(found).toHaveLength(rollback.alarms.length);
  expect(found.length).toBeLessThanOrEqual(5);
});

test("destroy empties the bucket of an ephemeral stack, and then deletes the stack", async () => {
  outputs = { [stackOutputs.eventsBucket]: bucket };
  objects = ["one", "two"];
  const { words } = await run("destroy", "-c", "ephemeral=true");
  expect(objects).toEqual([]);
  expect(words).toEqual(["destroy", "--force", "-c", "ephemeral=true"]);
});

test("destroy refuses a permanent stack, by its options and by what is deployed", async () => {
  outputs = { ...outputs, [stackOutputs.eventsBucket]: bucket };
  objects = ["one"];
  const byOptions = await run("destroy");
  expect([byOptions.code, byOptions.words]).toEqual([1, undefined]);
  const byOutputs = await run("destroy", "-c", "ephemeral=true");
  expect([byOutputs.code, byOutputs.words]).toEqual([1, undefined]);
  expect(byOutputs.stderr).toContain("was deployed as a permanent stack. Nothing was deleted.");
  expect(objects).toEqual(["one"]);
});
