import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { readDocument } from "../../../cli/document-file.ts";
import { tryExportLock } from "../../../lib/mirror/lock.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { secretText, signRing } from "../../../lib/webhooks/sign.ts";
import { callJson } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";
import { endTool, firstLine } from "../../support/tool.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);
const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

/** This Node, and those of the machine: the oldest may be the oldest that the package supports. */
const available = [
  ...new Set(
    [
      process.execPath,
      ...(process.env.PATH ?? "")
        .split(delimiter)
        .filter((folder) => !folder.includes("node_modules"))
        .map((folder) => join(folder, "node"))
        .filter((file) => existsSync(file)),
    ].map((file) => realpathSync(file)),
  ),
];
const versionOf = (node: string): string => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
const [oldest = process.execPath] = available.toSorted((one, other) =>
  versionOf(one).localeCompare(versionOf(other), "en", { numeric: true }),
);
const nodes = new Set([realpathSync(process.execPath), oldest]);

const consumer = `
import { createClient, ReviewApiError, verifyWebhook, WebhookVerificationError } from "review-api";
const [url, key, secret, message] = process.argv.slice(2);
const api = createClient({ baseUrl: url, key });
let learnings = 0;
for await (const { body } of api.pages("listLearnings", { query: { limit: 2 } })) learnings += body.data.length;
const refusal = await createClient({ baseUrl: url, key: "fake-key" }).whoami().catch((error) => error);
const { kind } = (await api.whoami()).body.key;
const { headers, body } = JSON.parse(message);
const ring = await verifyWebhook(body, headers, secret);
const forged = await verifyWebhook(body + " ", headers, secret).catch((error) => error);
console.log(JSON.stringify({
  learnings, kind, code: refusal instanceof ReviewApiError && refusal.code,
  type: ring.type, refused: forged instanceof WebhookVerificationError,
}));
`;

/** Everything that a typed caller writes, and mistakes that must not compile. */
const typedConsumer = `
import { type ResponseOf, createClient, type Page, ReviewApiError, verifyWebhook, type WebhookDelivery } from "review-api/client";
const api = createClient({ baseUrl: "https://api.example.com", key: "fake-key" });
export async function walk(signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const query = { start_date: "2026-01-01", end_date: "2026-12-31", status: "all" } as const;
  for await (const page of api.pages("listReviewMetrics", { query }, { signal })) {
    const typed: Page<ResponseOf<"listReviewMetrics">> = page;
    found.push(...typed.body.data.map(({ pr_url }) => pr_url), page.resumeCursor ?? "");
  }
  return found;
}
export const severities = async (): Promise<number> =>
  (await api.listReviewMetrics({ query: { start_date: "2026-01-01", end_date: "2026-12-31" } })).body.data[0]
    ?.coderabbit_comments.severity.critical.posted ?? 0;
export const codeOf = (error: unknown): string => (error instanceof ReviewApiError ? error.code : "");
export const me = async (): Promise<string> => (await api.whoami()).body.key.kind;
export const ring = async (request: Request, secret: string): Promise<WebhookDelivery> =>
  verifyWebhook(await request.text(), request.headers, secret);
export const isPing = ({ type }: WebhookDelivery): boolean => type === "ping";
// @ts-expect-error: there is no such type
export const isPong = ({ type }: WebhookDelivery): boolean => type === "pong";
// @ts-expect-error: a window is needed
export const none = () => api.listReviewMetrics();
// @ts-expect-error: there is no such mode
export const mode = () => api.setSeatAssignment({ body: { mode: "sometimes" } });
`;

/** On a machine that never had npm: nothing in the cache, nothing in the home folder, no network. */
describe("the package, installed from its tarball", () => {
  const service = useService({ demo: true });
  let place = "";
  let project = "";
  let environment: NodeJS.ProcessEnv = {};
  let packedBytes = 0;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "review-api-package-"));
    project = join(place, "project");
    for (const name of ["home", "cache", "packed", "project"]) await mkdir(join(place, name));
    const { PATH } = process.env;
    environment = { PATH, HOME: join(place, "home"), npm_config_cache: join(place, "cache") };
    const packed = join(place, "packed");
    const pack = ["pack", "--json", "--pack-destination", packed];
    await run("npm", pack, { cwd: join(root, "package"), env: environment });
    const [file = ""] = await readdir(packed);
    packedBytes = (await stat(join(packed, file))).size;
    await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
    const install = ["install", "--offline", "--no-audit", "--no-fund", join(packed, file)];
    await run("npm", install, { cwd: project, env: environment });
    await writeFile(join(project, "consumer.js"), consumer);
    await writeFile(join(project, "consumer.ts"), typedConsumer);
  });
  afterAll(() => rm(place, { recursive: true, force: true }));

  const installed = (...names: string[]) => join(project, "node_modules", "review-api", ...names);

  test("the package brings no other package and takes less than a megabyte, packed and installed", async () => {
    expect((await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      "review-api",
    ]);
    const manifest = z.looseObject({ version: z.string() }).parse(await readJson(installed("package.json")));
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    const entries = await readdir(installed(), { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
    const installedBytes = sizes.reduce((sum, { size }) => sum + size, 0);
    expect(packedBytes).toBeLessThan(1_000_000);
    expect(installedBytes).toBeLessThan(1_000_000);
    expect(await readJson(join(root, "package.json"))).toMatchObject({ version: manifest.version });
  });

  test("under a company's scope, npx --no-install finds the tool and programs import it as review-api", async () => {
    const company = join(place, "company");
    await mkdir(company);
    await writeFile(join(company, "package.json"), JSON.stringify({ type: "module", private: true }));
    const pack = ["package/pack.ts", "--name", "@company/review-api", "--pack-destination", company];
    await run(process.execPath, pack, { cwd: root, env: environment });
    const named = `review-api@file:${join(company, "company-review-api-1.0.0.tgz")}`;
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", named], {
      cwd: company,
      env: environment,
    });
    const manifest = join(company, "node_modules", "review-api", "package.json");
    expect(await readJson(manifest)).toMatchObject({ name: "@company/review-api" });
    const { stdout } = await run("npx", ["--no-install", "review-api", "--version"], {
      cwd: company,
      env: environment,
    });
    expect(stdout).toBe("1.0.0\n");
    const program = 'import { createClient } from "review-api"; console.log(typeof createClient);';
    const imported = await run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: company,
    });
    expect(imported.stdout).toBe("function\n");
  });

  test("the package contains nothing of the operator's tool: no store, no AWS, no local service", async () => {
    const scripts = (await readdir(installed("built"))).filter((name) => name.endsWith(".js"));
    const texts = await Promise.all(scripts.map((name) => readFile(installed("built", name), "utf8")));
    expect(texts.length).toBeGreaterThan(5);
    for (const text of texts) expect(text).not.toMatch(/@aws-sdk|dynamodb|smithy|cloudformation/i);
  });

  test.each(["nodenext", "preserve"])("its types compile in strict mode (module %s)", async (module) => {
    const settings = ["--noEmit", "--strict", "--target", "es2022", "--module", module, "--types", ""];
    const lib = ["--lib", "es2022,dom,dom.iterable", "--ignoreConfig", "consumer.ts"];
    await run(join(root, "node_modules", ".bin", "tsc"), [...settings, ...lib], { cwd: project });
  });

  const withKey = (kind: "workspace" | "organization" = "workspace"): NodeJS.ProcessEnv => ({
    ...environment,
    REVIEW_API_URL: service().url,
    REVIEW_API_KEY: service().keys[kind] ?? "",
  });
  const bin = () => join(project, "node_modules", ".bin", "review-api");
  const toolOn =
    (node: string) =>
    async (words: string, env = withKey(), typed = "") => {
      const running = run(node, [bin(), ...words.split(" ")], { cwd: project, env });
      running.child.stdin?.end(typed);
      return await running.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: unknown) =>
          z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error),
      );
    };

  test(`every command starts on the oldest Node of this machine (${versionOf(oldest)})`, async () => {
    const tool = toolOn(oldest);
    const started: string[] = [];
    const idOf = async (path: string, options = "", { env = withKey(), code = 0, typed = "" } = {}) => {
      started.push(path);
      const outcome = await tool(`${path} ${options} --json`.replaceAll(/ +/g, " "), env, typed);
      expect({ path, ...outcome }).toMatchObject({ path, code });
      expect(outcome.stderr).not.toContain("Unexpected error");
      return String(code === 0 ? Reflect.get(JSON.parse(outcome.stdout.split("\n")[0] ?? ""), "id") : "");
    };
    const { url, keys, folder } = service();
    const env = { ...environment, XDG_CONFIG_HOME: join(place, "settings") };
    await idOf("login", `--url ${url}`, { env, typed: `${keys.workspace}\n` });
    await idOf("whoami", "", { env });
    await idOf("logout", "", { env });
    for (const each of ["report", "roles --org 1001", "openapi", "completion bash"]) {
      const [path = "", ...options] = each.split(" ");
      await idOf(path, options.join(" "));
    }
    for (const dataset of ["metrics", "learnings", "audit-logs"])
      for (const format of ["csv", "parquet"])
        await idOf(`export ${dataset}`, `--output oldest-${dataset}.${format}`);
    await idOf("export learnings", "--format agents-md --output AGENTS.md");
    await idOf("export learnings", "--format agents-md --output AGENTS.md --check");
    await idOf("export security", "--output oldest.sarif", { env: withKey("organization") });
    await idOf("export sql", "--for duckdb");
    for (const path of ["teams", "people", "repositories"])
      await idOf(`export ${path}`, `--output oldest-${path}.csv`);

    await writeFile(join(project, "people.csv"), "email,seat\nada@acme.example,yes\n");
    await idOf("people apply", "people.csv");
    await idOf("people show", "ada@acme.example");
    await idOf("people leave", "ada@acme.example");

    const webhook = await idOf("webhooks create", "--to http://127.0.0.1:9/ --types learnings");
    for (const path of ["show", "rotate", "deliveries"]) await idOf(`webhooks ${path}`, webhook);
    await idOf("webhooks list");
    await idOf("webhooks update", `${webhook} --off`);
    // Nobody listens there.
    await idOf("webhooks test", webhook, { code: 1 });
    await idOf("webhooks delete", webhook);

    const words = ["keys", "create", "--kind", "organization", "--org", "1001", "--owner", "501"];
    const own = z
      .object({ id: z.string(), key: z.string() })
      .parse(await callJson(...words, "--data", folder));
    await idOf("keys list", "--active");
    await idOf("keys create", "--name vendor --only metrics:read");
    const ofKey = { env: { ...withKey(), REVIEW_API_KEY: own.key } };
    // The key in use rotates itself: the same id, and its old value works meanwhile.
    expect(await idOf("keys rotate", `${own.id} --grace-seconds 600`, ofKey)).toBe(own.id);
    await idOf("keys revoke", own.id, ofKey);

    await idOf("learnings pending");
    await idOf("learnings search", "payment --org 1001");
    for (const path of ["approve", "disapprove"]) await idOf(`learnings ${path}`, "none", { code: 1 });
    await idOf("seats idle");

    started.push("listen");
    const listening = spawn(oldest, [bin(), "listen", "--forward", "http://127.0.0.1:9/"], {
      cwd: project,
      env: withKey(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(await firstLine(listening)).toMatch(/^whsec_/);
    await endTool(listening);

    const { stdout } = await tool("completion bash");
    const offered = [...stdout.matchAll(/^ {4}'([a-z -]+)'\) next='--/gm)].map(([, path]) => path);
    expect(offered.length).toBeGreaterThan(20);
    expect([...new Set(started)].toSorted()).toEqual(offered.toSorted());
  });

  describe.each([...nodes])("on %s", (node) => {
    const tool = toolOn(node);
    const json = async (words: string, env = withKey()): Promise<unknown> => {
      const { code, stdout, stderr } = await tool(`${words} --json`, env);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };

    test("the client walks pages, gets the service's errors and checks rings", async () => {
      const { url, keys } = service();
      const secret = secretText(systemRandom.bytes(32));
      const message = signRing({ id: "ring_1", type: "learnings", data: {} }, [secret], systemClock.nowMs());
      const words = ["consumer.js", url, keys.workspace ?? "", secret, JSON.stringify(message)];
      const { stdout } = await run(node, words, { cwd: project });
      expect(JSON.parse(stdout)).toEqual({
        learnings: expect.any(Number),
        kind: "workspace",
        code: "UNAUTHORIZED",
        type: "learnings",
        refused: true,
      });
      expect(JSON.parse(stdout).learnings).toBeGreaterThan(2);
    });

    test("an export makes a file, updates it, and refuses a second run at the same time", async () => {
      const first = await tool("export metrics --output reviews.csv --overwrite");
      expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/reviews\.csv has \d+ pull/)]);
      const again = await tool("export metrics --output reviews.csv --resume");
      expect(again.stderr).toContain("(0 new, 0 changed, 0 removed)");
      // This process has another Node than the tool may have.
      const lock = await tryExportLock(join(await realpath(project), "reviews.csv.lock"));
      const beside = await tool("export metrics --output reviews.csv --resume");
      lock?.release();
      expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining("Another export is writing") });
      expect(await tool("export metrics --output reviews.csv --resume")).toMatchObject({ code: 0 });
      const sarif = "export security --repo 9001 --output findings.sarif --overwrite";
      expect((await tool(sarif, withKey("organization"))).code).toBe(0);
      expect(await readJson(join(project, "findings.sarif"))).toMatchObject({ version: "2.1.0" });
    });

    test("a report comes as text and as a page", async () => {
      expect((await tool("report --days 30 --by repository --format md")).stdout).toMatch(
        /^### Code reviews/,
      );
      expect(await tool("report --days 30 --output report.html --overwrite")).toMatchObject({ code: 0 });
      expect(await readFile(join(project, "report.html"), "utf8")).toMatch(/^<!doctype html>/);
    });

    test("whoami, roles, keys, Learnings and seats come over HTTP", async () => {
      expect(await json("whoami")).toMatchObject({ key: { kind: "workspace" } });
      expect((await tool("whoami")).stdout).toMatch(/^id .*\nkind +workspace\n/);
      expect(await json("roles --org 1001")).toMatchObject({
        roles: expect.arrayContaining([
          expect.objectContaining({ id: "cr_admin", user_count: expect.any(Number) }),
        ]),
      });
      expect(await json("keys list --active")).toMatchObject({
        keys: expect.arrayContaining([expect.objectContaining({ kind: "workspace", state: "active" })]),
      });
      expect(await json("learnings pending")).toMatchObject({ learnings: expect.any(Array) });
      expect(await json("seats idle --days 30")).toMatchObject({ dry_run: true, idle: expect.any(Array) });
    });

    test("openapi prints the document, and completion every command", async () => {
      expect(await json("openapi")).toEqual(await readDocument());
      const { stdout } = await tool("completion bash");
      expect(stdout).toContain(
        "login logout whoami export people roles webhooks listen openapi keys report learnings seats",
      );
      expect(stdout).not.toContain("--stack");
    });

    test("without an address, with a wrong key or an operator's command, the tool says what to do", async () => {
      expect(await tool("report", environment)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--url is missing. You can also set REVIEW_API_URL"),
      });
      expect(await tool("whoami --key fake-key")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("responded with 401 UNAUTHORIZED"),
      });
      for (const words of ["dev", "keys create --kind user"])
        expect(await tool(words)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(
            "Operators of the service have more commands and options, in a checkout of it.",
          ),
        });
    });

    test.each(["weekly-report", "warehouse"])("the workflow of the page %s runs", async (page) => {
      const text = await readFile(join(root, "docs", "use", "jobs", `${page}.md`), "utf8");
      const [, indented = ""] = /\n {8}run: \|\n((?: {10}.*\n)+)/.exec(text) ?? [];
      const [, file] = /\n```bash\n(.*?)\n```/s.exec(text) ?? [];
      const script = file ?? indented.replaceAll(/^ {10}/gm, "");
      expect(script).toContain("npx --no-install review-api ");
      await mkdir(join(project, "warehouse"), { recursive: true });
      const env = {
        ...withKey(),
        PATH: [dirname(node), environment.PATH].join(delimiter),
        WAREHOUSE: join(project, "warehouse"),
        ENGINE: "duckdb",
        GITHUB_STEP_SUMMARY: join(project, "summary.md"),
      };
      // `test/system/docs/warehouse.test.ts` loads with the real command. Here a whole transaction must reach it.
      const duckdb = 'duckdb() { [[ "$(tail -n 1)" == "COMMIT;" ]]; }';
      await run("bash", ["-ec", `${duckdb}\n${script}`], { cwd: project, env });
    });
  });
});
