import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { eventLimits } from "../../lib/contract/limits.ts";
import { stackOutputs } from "../../lib/contract/platform.ts";
import { readEvent } from "../../lib/events/envelope.ts";
import { read, root } from "./pages.ts";

const page = read("docs/use/events.md");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, text = ""]) => text);
const run = promisify(execFile);

test("the event on the page about events is valid, and the page's policy allows only sending", () => {
  const [event = "", policy = ""] = blocks("json");
  expect(readEvent(JSON.parse(event))).toMatchObject({ type: "workspace.saved" });
  const statements = z
    .object({
      Statement: z.array(
        z.object({
          Effect: z.string(),
          Action: z.union([z.string(), z.array(z.string())]),
          Resource: z.string(),
        }),
      ),
    })
    .parse(JSON.parse(policy)).Statement;
  expect(statements.map(({ Effect, Action }) => [Effect, Action])).toEqual([
    // The sender asks how long the queue is, and waits while it is long.
    ["Allow", ["sqs:SendMessage", "sqs:GetQueueAttributes"]],
    ["Allow", "s3:PutObject"],
  ]);
  for (const { Resource } of statements) expect(Resource).toMatch(/^arn:aws:(sqs|s3):/);
});

test("the page about events has the numbers and names of the code", () => {
  expect(page).toContain(`${eventLimits.inlineBytesMax.toLocaleString("en-US")} bytes`);
  expect(page).toContain(`${eventLimits.eventBytesMax / 1024 / 1024} MiB`);
  expect(page).toContain(`After ${eventLimits.waitingDaysMax} days`);
  expect(eventLimits.aheadMsMax).toBe(10 * 60_000);
  for (const name of [stackOutputs.eventsQueueUrl, stackOutputs.eventsBucket])
    expect(page).toContain(`\`${name}\``);
});

test("the TypeScript on the page about events compiles", async () => {
  const folder = await mkdtemp(join(tmpdir(), "review-api-events-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "program.ts"), blocks("ts")[0] ?? "");
  const words = ["--noEmit", "--strict", "--ignoreConfig", "--skipLibCheck", "--module", "nodenext"];
  const compiler = join(root, "node_modules", ".bin", "tsc");
  await run(compiler, [...words, "--target", "es2022", "--types", "node", "program.ts"], { cwd: folder });
  await rm(folder, { recursive: true });
});

const hasPython = await run("python3", ["--version"]).then(
  () => true,
  () => false,
);

test.skipIf(!hasPython)("the Python on the page about events parses", async () => {
  const [program = ""] = blocks("python");
  expect(program).toContain("send_message_batch");
  await run("python3", ["-c", "import ast, sys; ast.parse(sys.argv[1])", program]);
});
