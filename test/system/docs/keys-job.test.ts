import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { blockCommands, read } from "../../docs/pages.ts";
import { useService } from "../../support/service.ts";
import { entry } from "../../support/tool.ts";

const service = useService({ demo: true });
const run = promisify(execFile);

test("the page's commands make a metrics-only key in an empty folder, and end it", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "keys-job-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const commands = blockCommands(read("docs/use/jobs/keys.md")).map((line) => line.replace(/\s+#.*$/, ""));
  const [make = "", whoami = "", users = "", list = "", revoke = "", rotate = ""] = commands;
  expect(
    [make, whoami, users, list, revoke, rotate].map((line) =>
      line.replace(/ (?:--(?!no-install)|https).*/, ""),
    ),
  ).toEqual([
    ...[
      "VENDOR_KEY=$(npx --no-install review-api keys create",
      "curl",
      "curl",
      "npx --no-install review-api keys list",
    ],
    'npx --no-install review-api keys revoke "$KEY_ID"',
    "npx --no-install review-api keys rotate",
  ]);
  const env = {
    ...process.env,
    REVIEW_API_URL: service().url,
    REVIEW_API_KEY: service().keys.organization,
  };
  const npx = `npx() { shift 2; "${process.execPath}" "${entry}" "$@"; }`;
  const linesIn = async (folder: string, ...script: string[]) => {
    const text = script.join("\n").replaceAll("https://api.example.com", service().url);
    return await run("bash", ["-c", `set -e\n${npx}\n${text}`], { cwd: folder, env });
  };
  const lines = (...script: string[]) => linesIn(cwd, ...script);
  const { stdout, stderr } = await lines(make, whoami, "echo", users, "echo", list, 'echo "$VENDOR_KEY"');
  const [me = "", refused = "", ...rest] = stdout.split("\n");
  const key = rest.at(-2) ?? "";
  const id = /has the id (k\w+)/.exec(stderr)?.[1] ?? "";
  expect(JSON.parse(me)).toMatchObject({ key: { id, only: ["metrics:read"] } });
  expect(JSON.parse(refused)).toMatchObject({ error: { code: "KEY_LIMITED" } });
  expect(rest.find((line) => line.includes(id))).toContain("metrics:read");

  const client = createClient({ baseUrl: service().url, key });
  const query = { start_date: "2026-01-01", end_date: "2026-01-31" };
  expect((await client.listReviewMetrics({ query })).status).toBe(200);
  await expect(client.listUsers()).rejects.toMatchObject({ status: 403, code: "KEY_LIMITED" });
  const { stdout: rotated, stderr: told } = await lines(`VENDOR_KEY=${key}`, rotate);
  const value = /rk_\w+/.exec(rotated)?.[0] ?? "";
  const renewed = createClient({ baseUrl: service().url, key: value });
  expect((await renewed.whoami()).body).toMatchObject({
    key: { id, only: ["metrics:read"], value_until: null },
  });
  // The command that it printed before shows the same value again, with the old value as the key.
  const again = /npx --no-install review-api keys rotate .*/.exec(told)?.[0] ?? "";
  expect(again).toContain(" --idempotency-key ");
  expect((await lines(`REVIEW_API_KEY=${key} ${again}`)).stdout).toContain(value);
  await lines(`KEY_ID=${id}`, revoke);
  for (const ended of [client, renewed]) await expect(ended.whoami()).rejects.toMatchObject({ status: 401 });

  const revokeLeaked = blockCommands(read("docs/use/keys.md"));
  await lines(make, 'LEAKED_KEY="$VENDOR_KEY"', ...revokeLeaked, 'echo "$LEAKED_KEY"').then(({ stdout }) =>
    expect(
      createClient({ baseUrl: service().url, key: stdout.trim().split("\n").at(-1) ?? "" }).whoami(),
    ).rejects.toMatchObject({ status: 401 }),
  );

  // The operator works where the service is, and may have a key too.
  const [, leakedCommand = ""] = /`(npx [^`]* --leaked [^`]*)`/.exec(read("docs/operate/runbook.md")) ?? [];
  expect(leakedCommand).toContain(" --stack ReviewApi");
  const endLeaked = leakedCommand.replace(" --stack ReviewApi", "");
  const leak = [make, 'echo "$VENDOR_KEY" > leaked.txt', endLeaked, "cat leaked.txt; rm leaked.txt"];
  const { stdout: shown } = await linesIn(service().home, ...leak);
  expect(shown).toContain("key.revoked");
  const leaked = createClient({ baseUrl: service().url, key: shown.trim().split("\n").at(-1) ?? "" });
  await expect(leaked.whoami()).rejects.toMatchObject({ status: 401 });
});
