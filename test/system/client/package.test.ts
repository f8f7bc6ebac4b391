import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtClient, builtClientFolder } from "../../../cli/generate/built-client.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

test("the built client matches its sources (npm run generate)", async () => {
  const built = await builtClient();
  expect((await readdir(join(root, builtClientFolder))).toSorted()).toEqual(
    [...built.keys()].map((path) => path.slice(builtClientFolder.length + 1)).toSorted(),
  );
  for (const [path, content] of built) expect(await readFile(join(root, path), "utf8")).toBe(content);
});

test("the client imports only its own files", async () => {
  for (const [path, content] of await builtClient())
    for (const [, target = ""] of content.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
      expect([path, target]).toEqual([path, expect.stringMatching(/^\.\/[a-z.]+\.js$/)]);
});

/** Every available Node: this one, and the machine's own, which may be the oldest that the client supports. */
const nodes = [
  ...new Set([
    process.execPath,
    ...(process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.includes("node_modules"))
      .map((folder) => join(folder, "node"))
      .filter((file) => existsSync(file))
      .slice(0, 1),
  ]),
];

const consumer = `
import { createClient, ReviewApiError } from "review-api/client";
const api = createClient({ baseUrl: process.argv[2], key: "fake-key", attemptsMax: 2 });
const names = [];
for await (const { body, resumeCursor } of api.pages("listLearnings", { query: { limit: 2 } }))
  names.push(...body.data.map(({ id }) => id), resumeCursor);
const refusal = await api.whoami().catch((error) => error);
console.log(JSON.stringify({ names, code: refusal instanceof ReviewApiError && refusal.code }));
`;

/** Everything that a typed caller writes, and two mistakes that must not compile. */
const typedConsumer = `
import { type AnswerOf, createClient, type Page, ReviewApiError } from "review-api/client";
const api = createClient({ baseUrl: "https://api.example.com", key: "fake-key" });
export async function walk(signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const query = { start_date: "2026-01-01", end_date: "2026-12-31", status: "all" } as const;
  for await (const page of api.pages("listReviewMetrics", { query }, { signal })) {
    const typed: Page<AnswerOf<"listReviewMetrics">> = page;
    found.push(...typed.body.data.map(({ pr_url }) => pr_url), page.resumeCursor ?? "");
  }
  return found;
}
export const severities = async (): Promise<number> =>
  (await api.listReviewMetrics({ query: { start_date: "2026-01-01", end_date: "2026-12-31" } })).body.data[0]
    ?.coderabbit_comments.severity.critical.posted ?? 0;
export const codeOf = (error: unknown): string => (error instanceof ReviewApiError ? error.code : "");
export const me = async (): Promise<string> => (await api.whoami()).body.key.kind;
// @ts-expect-error: a window is needed
export const none = () => api.listReviewMetrics();
// @ts-expect-error: there is no such mode
export const mode = () => api.setSeatAssignment({ body: { mode: "sometimes" } });
`;

describe("as a package in another project", () => {
  let project = "";
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "review-api-consumer-"));
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({ name: "consumer", type: "module", private: true }),
    );
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], { cwd: root });
    const [{ filename = "" }] = JSON.parse(stdout);
    // Without a network: the package needs no other package.
    const words = ["install", "--offline", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", [...words, join(project, filename)], { cwd: project });
    await writeFile(join(project, "consumer.js"), consumer);
    await writeFile(join(project, "consumer.ts"), typedConsumer);
  }, 120_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  test("the client imports no other package", async () => {
    const built = join(project, "node_modules", "review-api", "lib", "client", "built");
    const modules = (await readdir(built)).filter((name) => name.endsWith(".js"));
    const imports = await Promise.all(
      modules.map(async (name) => (await readFile(join(built, name), "utf8")).matchAll(/from\s*"([^"]+)"/g)),
    );
    const foreign = imports.flatMap((found) => [...found].map(([, from = ""]) => from));
    expect(modules.length).toBeGreaterThan(2);
    expect(foreign.filter((from) => !from.startsWith("../../client"))).toEqual([]);
  });

  test.each(nodes)(
    "%s imports the installed client, walks pages and gets the service's errors",
    async (node) => {
      const pages = [
        { data: [{ id: "a" }], next_cursor: "2" },
        { data: [], next_cursor: "3" },
        { data: [{ id: "b" }], next_cursor: null },
      ];
      const server = createServer(({ url = "" }, response) => {
        const cursor = new URL(url, "http://localhost").searchParams.get("cursor") ?? "1";
        const page = url.startsWith("/v1/learnings") ? pages[Number(cursor) - 1] : undefined;
        const resume = page?.next_cursor === null ? { "x-resume-cursor": "later" } : {};
        response.writeHead(page ? 200 : 401, { "content-type": "application/json", ...resume });
        response.end(JSON.stringify(page ?? { error: { code: "UNAUTHORIZED", message: "No." } }));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
      const { stdout } = await run(node, ["consumer.js", url], { cwd: project });
      server.close();
      expect(JSON.parse(stdout)).toEqual({ names: ["a", null, null, "b", "later"], code: "UNAUTHORIZED" });
    },
  );

  test.each(["nodenext", "preserve"])(
    "the types of the installed client compile in strict mode (module %s)",
    async (module) => {
      const settings = ["--noEmit", "--strict", "--target", "es2022", "--module", module, "--types", ""];
      const lib = ["--lib", "es2022,dom,dom.iterable", "--ignoreConfig", "consumer.ts"];
      await run(join(root, "node_modules", ".bin", "tsc"), [...settings, ...lib], { cwd: project });
    },
  );

  test("the tool of the installed package explains that the package contains only the client", async () => {
    const tool = join(project, "node_modules", ".bin", "review-api");
    await expect(run(tool, ["keys", "list"], { cwd: project })).rejects.toMatchObject({
      code: 1,
      stderr:
        "The operator's tool runs only in a checkout of review-api; the package contains only the client.\n",
    });
  });

  test("a linked folder works like an installed package", async () => {
    const linked = await mkdtemp(join(tmpdir(), "review-api-linked-"));
    await run("mkdir", ["node_modules"], { cwd: linked });
    await symlink(root, join(linked, "node_modules", "review-api"));
    await writeFile(
      join(linked, "try.mjs"),
      'console.log(typeof (await import("review-api/client")).createClient);',
    );
    for (const node of nodes)
      expect((await run(node, ["try.mjs"], { cwd: linked })).stdout).toBe("function\n");
    await rm(linked, { recursive: true });
  });
});
