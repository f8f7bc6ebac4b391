import { existsSync } from "node:fs";
import { rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { madeOnce } from "../support/made-once.ts";

const made: string[] = [];
afterEach(async () => {
  for (const path of made) {
    await rm(path, { recursive: true, force: true });
    await rm(`${path}.used-by-${process.pid}`, { force: true });
  }
});

async function make(name: string): Promise<string> {
  const folder = await madeOnce({ name, ingredients: ["package.json"], make: async () => undefined });
  made.push(folder);
  return folder;
}
const longAgo = (path: string) => utimes(path, 1_000, 1_000);

test("an old folder stays as long as a process uses it, and goes when a further one is made", async () => {
  const [inUse, left] = [await make("in-use"), await make("left")];
  await rm(`${left}.used-by-${process.pid}`);
  // No process has this id: Linux ends at 4,194,304.
  const ended = join(dirname(left), `${basename(left)}.used-by-9999999`);
  await writeFile(ended, "");
  for (const path of [inUse, left]) await longAgo(path);
  await make("further");
  expect([inUse, left, ended].map(existsSync)).toEqual([true, false, false]);
});
