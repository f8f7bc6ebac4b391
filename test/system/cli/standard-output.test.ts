import { execFile } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { callJson, collect, get, type Outcome } from "../../cli/support.ts";
import { useEnvironmentOf, useService } from "../../support/service.ts";
import { entry, spawnTool } from "../../support/tool.ts";

const service = useService({ demo: true });
useEnvironmentOf(service);
let data = "";
beforeAll(() => {
  data = service().folder;
});

const diskIsFull = "Standard output cannot be written: the disk is full.";
const fileIsFull =
  "Standard output cannot be written: the file would be larger than the system allows (ulimit -f).";

/** The tool, with standard output into a file or a device. */
async function runInto(path: string, ...words: readonly string[]): Promise<Outcome> {
  const stdout = openSync(path, "w");
  const child = spawnTool(words, { stdout });
  const output = collect(child);
  const [code] = await once(child, "close");
  closeSync(stdout);
  return { code, ...output() };
}

/** Standard output is a file that takes nothing more, which only a write can find out. */
async function runIntoFullFile(...words: readonly string[]): Promise<Outcome> {
  const file = join(service().home, "full.txt");
  await writeFile(file, "x".repeat(fileBytesMax));
  const { stderr, code } = await shell(`ulimit -f 4; exec "$0" "$@" >> '${file}'`, words);
  expect((await stat(file)).size).toBe(fileBytesMax);
  return { code, stdout: "", stderr };
}

/** The limit of `ulimit -f 4`. */
const fileBytesMax = 4_096;

const failure = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
const shell = (script: string, words: readonly string[]): Promise<Outcome> =>
  promisify(execFile)("bash", ["-c", script, process.execPath, entry, ...words]).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => failure.parse(error),
  );

describe("an answer that cannot be written", () => {
  test.each([
    "--version",
    "--help",
    "completion bash",
    "openapi",
    "whoami",
    "keys list --format csv",
    "report --days 30",
    "export learnings --format csv",
    "export learnings --format agents-md",
    "org show --json --data DATA",
  ])("review-api %s > /dev/full ends with 1 and says why", async (words) => {
    const { code, stderr } = await runInto("/dev/full", ...words.replace("DATA", data).split(" "));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(diskIsFull) });
  });

  test("an answer that is cut in the middle of a file ends with 1 and says why", async () => {
    const file = join(service().home, "cut.json");
    const { code, stderr } = await shell(`ulimit -f 4; exec "$0" "$@" > '${file}'`, ["openapi"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${fileIsFull}\n` });
    expect((await stat(file)).size).toBe(fileBytesMax);
  });

  test("a reader who closes the pipe early is no error", async () => {
    const script = 'set -o pipefail; "$0" "$@" | head -c 1';
    expect(await shell(script, ["openapi"])).toEqual({ code: 0, stdout: "{", stderr: "" });
  });

  test("the answer is written although the messages cannot be", async () => {
    const { code, stdout } = await shell('"$0" "$@" 2> /dev/full', ["keys", "list"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^ID +KIND/) });
  });
});

describe("what is shown once", () => {
  const issued = z.object({ id: z.string(), key: z.string() });
  const keyList = z.object({ keys: z.array(z.object({ id: z.string(), state: z.string() })) });
  const webhookList = z.object({ webhooks: z.array(z.object({ id: z.string() })) });
  const createWords = ["keys", "create", "--kind", "organization", "--org", "1001", "--owner", "501"];
  const newKey = async () => issued.parse(await callJson(...createWords, "--data", data));
  const liveKeys = async () => {
    const { keys } = keyList.parse(await callJson("keys", "list", "--active", "--data", data));
    return keys.map(({ id }) => id).sort();
  };
  const webhooks = async () => webhookList.parse(await callJson("webhooks", "list")).webhooks;
  const createWebhook = ["webhooks", "create", "--to", "http://127.0.0.1:9/", "--types", "learnings"];
  const createToken = ["tokens", "create", "--workspace", "acme", "--as", "503", "--name", "lost"];
  const tokenWords = () => [...createToken, "--expires-in-days", "7", "--data", data];

  test("a rotation without grace into a full disk changes nothing: the old key still works", async () => {
    const { id, key } = await newKey();
    const before = await liveKeys();
    for (const place of [
      ["--data", data],
      ["--key", service().keys.organization ?? ""],
    ])
      expect(
        await runInto("/dev/full", "keys", "rotate", id, "--grace-seconds", "0", ...place),
      ).toMatchObject({ code: 1, stderr: expect.stringContaining(`${diskIsFull} Nothing was changed.\n`) });
    expect((await get(service().url, "/v1/whoami", key)).status).toBe(200);
    expect(await liveKeys()).toEqual(before);
  });

  test("no key, token or webhook is made for a full disk", async () => {
    const before = [await liveKeys(), await webhooks()];
    for (const words of [[...createWords, "--data", data], tokenWords(), createWebhook])
      expect(await runInto("/dev/full", ...words)).toMatchObject({ code: 1 });
    expect([await liveKeys(), await webhooks()]).toEqual(before);
  });

  /** The id that the sentence names, and nothing that could be the value. */
  function idIn({ code, stderr }: Outcome, pattern: RegExp): string {
    expect(code).toBe(1);
    expect(stderr).toContain(fileIsFull);
    expect(stderr).toMatch(pattern);
    const [, id = ""] = pattern.exec(stderr) ?? [];
    return id;
  }

  test("a key that nobody received is named, with the command that ends it", async () => {
    const lost = await runIntoFullFile(...createWords, "--data", data);
    const id = idIn(lost, /To revoke it: npx --no-install review-api keys revoke (\S+) --data \S+\n$/);
    expect(await liveKeys()).toContain(id);
    expect(lost.stderr).not.toMatch(/cr-|[\w-]{40}/);
    await callJson("keys", "revoke", id, "--data", data);
  });

  test("a rotation that nobody received is named, with the command that replaces it", async () => {
    const { id } = await newKey();
    const lost = await runIntoFullFile("keys", "rotate", id, "--grace-seconds", "0", "--data", data);
    expect(idIn(lost, /review-api keys rotate (\S+) --grace-seconds 0 --lost --data \S+\n$/)).toBe(id);
    expect(await liveKeys()).toContain(id);
  });

  test("a token that nobody received is named, with the command that ends it", async () => {
    const lost = await runIntoFullFile(...tokenWords());
    const id = idIn(lost, /review-api tokens delete (\S+) --workspace acme --as 503 --data \S+\n$/);
    expect(await liveKeys()).toContain(id);
  });

  test("a secret of a webhook that nobody received is named, with the commands that replace and end it", async () => {
    const lost = await runIntoFullFile(...createWebhook);
    const id = idIn(lost, /review-api webhooks rotate (\S+)\n/);
    expect(lost.stderr).toContain(`review-api webhooks delete ${id}`);
    expect(lost.stderr).not.toContain("whsec_");
    const again = await runIntoFullFile("webhooks", "rotate", id);
    expect(idIn(again, /review-api webhooks rotate (\S+)\n/)).toBe(id);
    await callJson("webhooks", "delete", id);
  });
});
