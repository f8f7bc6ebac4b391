import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { entry, spawnTool } from "../support/tool.ts";
import { collect, useDev } from "./support.ts";

const dev = useDev();
const run = promisify(execFile);

/** As in a shell of the checkout, where `npx` finds the tool. */
const paste = async (line: string, cwd: string): Promise<string> => {
  const script = `npx() { shift; "$TEST_NODE" "$TEST_TOOL" "$@"; }; ${line}`;
  const env = { ...process.env, TEST_NODE: process.execPath, TEST_TOOL: entry };
  return (await run("bash", ["-c", script], { cwd, env })).stdout;
};

test("every line that the service prints at its start can be pasted as it is, and shows something", async () => {
  const folder = await dev.folder();
  const data = join(folder, "data of mine");
  await rename(await dev.demoFolder(), data);
  const child = spawnTool(["dev", "--port", "0", "--data", data]);
  const output = collect(child);
  try {
    while (!/^npx review-api .*$/m.test(output().stdout)) {
      if (!child.stdout || child.exitCode !== null) throw new Error(output().stderr);
      await once(child.stdout, "data");
    }
    const lines = output().stdout.split("\n");
    const calls = lines.filter((line) => line.startsWith("curl "));
    expect(calls).toHaveLength(8);
    for (const call of calls) expect(JSON.parse(await paste(call, folder))).not.toHaveProperty("error");

    const page = z.object({ data: z.array(z.object({ pr_url: z.url() })) });
    const reviews = page.parse(JSON.parse(await paste(calls.at(-1) ?? "", folder)));
    expect(reviews.data).toHaveLength(3);

    const reference = /reference at (\S+)/.exec(output().stdout)?.[1] ?? "";
    expect((await fetch(reference)).status).toBe(200);

    await paste(lines.find((line) => line.startsWith("npx ")) ?? "", folder);
    const rows = (await readFile(join(folder, "reviews.csv"), "utf8")).trimEnd().split("\r\n");
    expect(rows[0]).toMatch(/^pr_url,/);
    expect(rows.length).toBeGreaterThan(20);
  } finally {
    child.kill();
    await once(child, "close");
  }
});
