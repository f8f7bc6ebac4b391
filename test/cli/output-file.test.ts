import { chmod, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type StandIn, startApi } from "../mirror/export-api.ts";
import { callTool, useDev } from "./support.ts";

const dev = useDev();
let api: StandIn;
let folder = "";
beforeAll(async () => {
  api = await startApi([[]]);
});
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  folder = await dev.folder();
});
const call = (words: string, ...more: readonly string[]) =>
  callTool(...words.split(" "), ...more, "--url", api.url, "--key", "k");

describe("report --output", () => {
  test("a file that exists is replaced only with --overwrite, and nothing is read before", async () => {
    const file = join(folder, "report.md");
    await writeFile(file, "notes of a person");
    const requests = api.queries.length;
    expect(await call("report", "--output", file)).toEqual({
      code: 1,
      stdout: "",
      stderr: `${file} exists; --overwrite replaces it.`,
    });
    expect(await readFile(file, "utf8")).toBe("notes of a person");
    expect(api.queries.length).toBe(requests);
    expect(await call("report", "--output", file, "--overwrite")).toMatchObject({ code: 0 });
    expect(await readFile(file, "utf8")).toMatch(/^### Code reviews/);
  });

  test("a link stays a link, and the file keeps its mode", async () => {
    const [file, link] = [join(folder, "report.md"), join(folder, "latest.md")];
    await writeFile(file, "old");
    await chmod(file, 0o666);
    await symlink(file, link);
    expect(await call("report", "--output", link, "--overwrite")).toMatchObject({ code: 0 });
    expect(await readFile(file, "utf8")).toMatch(/^### Code reviews/);
    expect((await stat(file)).mode & 0o777).toBe(0o666);
    expect((await readdir(folder)).toSorted()).toEqual(["latest.md", "report.md"]);
  });

  test("a link whose file does not exist is named, with what to do", async () => {
    const link = join(folder, "latest.md");
    await symlink("gone.md", link);
    for (const words of ["report", "export learnings --format csv", "export security --format csv"])
      expect(await call(words, "--output", link)).toMatchObject({
        code: 1,
        stderr: `${link} is a link to gone.md, which does not exist. Remove the link, or make its file first.`,
      });
  });

  test("--overwrite without a file is a mistake", async () => {
    for (const words of ["report --overwrite", "report --output - --overwrite"])
      expect(await call(words)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--overwrite works only with --output FILE."),
      });
  });
});

describe("--output - is standard output", () => {
  test.each([
    ["report --output -", "Pull requests reviewed"],
    ["report --output - --format md", "### Code reviews"],
    ["report --output - --json", '{"period":'],
    ["export learnings --output - --format csv", "id,"],
    ["export metrics --output - --format json", "["],
    ["export audit-logs --output - --format csv", "id,"],
    ["export security --output - --format csv", "id,"],
    ["export learnings --output - --format agents-md", "<!-- review-api learnings: begin -->"],
  ])("review-api %s", async (words, beginning) => {
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    const { code, stdout } = await call(words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(beginning) });
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    [
      "export metrics --output - --format parquet",
      "--format parquet works only with --output FILE: the records from which the file is made stay beside it.",
    ],
    ["export security --output - --format parquet", "--format parquet works only with --output FILE: "],
    ["export learnings --output - --resume", "--resume works only with --output FILE or --changes FILE."],
    ["export learnings --output - --overwrite", "--overwrite works only with --output FILE."],
    [
      "export learnings --output - --changes c.ndjson",
      "--output - and --changes cannot be used together: the next run compares with the file of --output.",
    ],
    [
      "export learnings --changes -",
      "--changes takes the name of a file, not -: the records and the state of the export stay beside it.",
    ],
    ["export learnings --output - --format agents-md --check", "--check works only with --output FILE."],
  ])("review-api %s is refused", async (words, sentence) => {
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    expect(await call(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    expect(await readdir(folder)).toEqual([]);
  });
});
