import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitOf } from "../../../infra/commit.ts";

let folder: string;
const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
const write = (name: string, text: string) => writeFile(join(folder, name), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "commit-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a folder without git has no commit", () => {
  expect(commitOf(folder)).toBeUndefined();
});

test("the options of a deployment do not mark the commit as changed; a change of the code does", async () => {
  git("init", "--quiet");
  await write("code.ts", "1");
  git("add", ".");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "-m", "feat: one");
  const id = git("rev-parse", "--short=12", "HEAD");
  expect(commitOf(folder)).toBe(id);
  await write("cdk.context.json", "{}");
  expect(commitOf(folder)).toBe(id);
  await write("code.ts", "2");
  expect(commitOf(folder)).toBe(`${id}-changed`);
});
