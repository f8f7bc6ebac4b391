import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { callTool, type DevTools } from "../../cli/support.ts";
import { keyOf, type StandIn, startApi } from "../../mirror/export-api.ts";

export const learning = (number: number) => ({
  id: `l${number}`,
  provider: "github",
  organization_id: "1",
  learning: `=Text ${number}, "quoted"\n`,
  file: null,
});
export const pages = [[learning(1), learning(2)], [], [learning(3)], [learning(4)]];
export const all = pages.flat();

/** A stand-in of the API with four pages of Learnings, and a file that each test begins without. */
export function useExport(dev: DevTools) {
  let api: StandIn;
  let output = "";
  beforeAll(async () => {
    api = await startApi(pages);
    output = join(await dev.folder(), "learnings.ndjson");
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    api.trouble = () => undefined;
    api.later = [];
    api.removed = [];
    api.key = keyOf("acme");
    api.queries.splice(0);
    for (const file of await readdir(dirname(output))) await rm(join(dirname(output), file), { force: true });
  });

  const target = () => ["--url", api.url, "--key", "k"];
  const content = () => readFile(output, "utf8");
  return {
    started: () => ({ api, output }),
    target,
    content,
    exportLearnings: (...words: readonly string[]) =>
      callTool("export", "learnings", "--output", output, ...target(), ...words),
    lines: async () =>
      (await content())
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}
