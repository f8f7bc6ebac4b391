import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tryExportLock } from "../../../lib/mirror/lock.ts";
import { isLocked, tryLock } from "../../../lib/runtime/file-lock.ts";
import { callTool, useDev } from "../../cli/support.ts";
import { asNobody } from "../../support/nobody.ts";

const tools = useDev();

test("only one process has the lock at a time, and it is free again after the release", async () => {
  const file = join(await tools.folder(), "lock");
  const first = tryLock(file);
  expect(first).toBeDefined();
  expect(tryLock(file)).toBeUndefined();
  first?.release();
  const second = tryLock(file);
  expect(second).toBeDefined();
  second?.release();
});

test("a killed process no longer holds the lock", async () => {
  const file = join(await tools.folder(), "lock");
  const script = `
    import { tryLock } from ${JSON.stringify(new URL("../../../lib/runtime/file-lock.ts", import.meta.url).href)};
    globalThis.lock = tryLock(${JSON.stringify(file)});
    console.log("locked");
    setInterval(() => {}, 1_000);
  `;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const whileHeld = tryLock(file);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(whileHeld).toBeUndefined();
  const lock = tryLock(file);
  expect(lock).toBeDefined();
  lock?.release();
});

test("a process that looks at its own lock keeps it", async () => {
  const file = join(await tools.folder(), "lock");
  const lock = tryLock(file);
  expect(isLocked(file)).toBe(true);
  const script = `
    import { isLocked } from ${JSON.stringify(new URL("../../../lib/runtime/file-lock.ts", import.meta.url).href)};
    console.log(isLocked(${JSON.stringify(file)}));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout).toBe("true\n");
  lock?.release();
});

test("a file that is not a lock is left unchanged", async () => {
  const file = join(await tools.folder(), "lock");
  await writeFile(file, "somebody's notes ".repeat(50));
  expect(() => tryLock(file)).toThrow(`${file} is not our lock file; remove it.`);
});

test("a place that cannot be written is named, with the reason", async () => {
  const folder = await tools.folder();
  expect(() => tryLock(join(folder, "gone", "lock"))).toThrow(
    `${join(folder, "gone", "lock")} cannot be written: its folder does not exist.`,
  );
  const long = join(folder, `${"n".repeat(244)}.ndjson`);
  expect(
    (await callTool("export", "learnings", "--output", long, "--url", "http://127.0.0.1:1", "--key", "k"))
      .stderr,
  ).toBe(`${long}.lock cannot be written: its name is too long.`);
});

test("a lock of another user is named, with the reason", async () => {
  const folder = await tools.folder();
  const file = join(folder, "lock");
  await writeFile(file, "");
  await chmod(file, 0o400);
  await chmod(folder, 0o755);
  const script = `
    import { tryLock } from ${JSON.stringify(new URL("../../../lib/runtime/file-lock.ts", import.meta.url).href)};
    try { tryLock(${JSON.stringify(file)}); } catch (error) { console.log(error.message); }
  `;
  const words = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, words, asNobody);
  expect(stdout).toBe(`${file} cannot be written: it is not writable.\n`);
});

test("an export waits for a lock that is about to be free, and is refused while another one keeps it", async () => {
  const file = join(await tools.folder(), "export.lock");
  const first = await tryExportLock(file);
  expect(await tryExportLock(file)).toBeUndefined();
  const waits = tryExportLock(file);
  first?.release();
  const second = await waits;
  expect(second).toBeDefined();
  second?.release();
});
