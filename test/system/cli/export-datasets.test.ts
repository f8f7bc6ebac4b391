import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { callJson, callTool, collect, useDev } from "../../cli/support.ts";
import { type StandIn, startApi } from "../../mirror/export-api.ts";
import { selfSignedCertificate } from "../../support/certificate.ts";
import { listening } from "../../support/listening.ts";
import { endTool, spawnTool } from "../../support/tool.ts";

const dev = useDev();
let folder = "";
beforeEach(async () => {
  folder = await dev.folder();
});

async function api(...pages: ReadonlyArray<readonly object[]>): Promise<StandIn> {
  const started = await startApi(pages);
  onTestFinished(() => started.close());
  return started;
}
const target = ({ url }: StandIn) => ["--url", url, "--key", "k"];
const linesOf = async (file: string): Promise<unknown[]> =>
  (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const comment = (number: number, more: object = {}) => ({
  url: `https://git.test/1#${number}`,
  severity: "major",
  category: null,
  accepted: true,
  ...more,
});
const reviewed = (number: number, organization_id: string, comments: readonly object[] = [comment(1)]) => ({
  pr_url: `https://git.test/${organization_id}/${number}`,
  organization_id,
  repository_id: "9",
  author_id: null,
  merged_at: "2026-01-01T00:00:00.000Z",
  coderabbit_comments: comments,
});

describe("CSV of review-comments", () => {
  test("CSV of review-comments has a row per comment with the pull request's columns, and changes as a whole", async () => {
    const service = await api([reviewed(1, "1", [comment(1), comment(1)]), reviewed(2, "1", [comment(3)])]);
    const file = join(folder, "comments.csv");
    const words = ["export", "metrics", "--dataset", "review-comments", "--output", file, ...target(service)];
    expect(await callJson(...words)).toMatchObject({ records: 2 });
    const row = (pullRequest: number, number: number, accepted = "true") =>
      `https://git.test/1/${pullRequest},1,9,,2026-01-01T00:00:00.000Z,https://git.test/1#${number},major,,${accepted}`;
    const header =
      "pr_url,organization_id,repository_id,author_id,merged_at,comment_url,comment_severity,comment_category,comment_accepted";
    const rows = async () => (await readFile(file, "utf8")).split("\r\n");
    expect(await rows()).toEqual([header, row(1, 1), row(1, 1), row(2, 3), ""]);

    service.later = [reviewed(1, "1", [comment(4, { accepted: null })])];
    expect(await callJson(...words, "--resume")).toMatchObject({
      added: 0,
      changed: 1,
      removed: 0,
      records: 2,
    });
    expect(await rows()).toEqual([header, row(2, 3), row(1, 4, ""), ""]);
  });

  test("a CSV file with other columns is replaced by a new walk", async () => {
    const service = await api([reviewed(1, "1")]);
    const file = join(folder, "comments.csv");
    const words = ["export", "metrics", "--dataset", "review-comments", "--output", file, ...target(service)];
    await callTool(...words);
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.replace("comment_url", "comment_uri"));
    service.later = [reviewed(2, "1")];
    const { code, stderr } = await callTool(...words, "--resume");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `${file} has other columns than this release writes. Everything is read again; ${file} is replaced when it is complete.`,
      ),
    ]);
    expect(await readFile(file, "utf8")).toBe(whole);
  });
});

describe("an organization that left", () => {
  const left = { provider: "github", organization_id: "1", removed_at: "2026-01-02T00:00:00.000Z" };
  const listed = (provider: string, provider_organization_id: string) => ({
    provider,
    provider_organization_id,
  });
  const resume = async (service: StandIn) => {
    const file = join(folder, "comments.ndjson");
    const words = ["export", "metrics", "--dataset", "review-comments", "--output", file, ...target(service)];
    await callTool(...words);
    service.removed = [left];
    service.queries.splice(0);
    const { code, stderr } = await callTool(...words, "--resume");
    expect(code).toBe(0);
    return { file, stderr };
  };

  test("an organization that left loses its rows in the file, and no other organization does", async () => {
    const service = await api([reviewed(1, "1"), reviewed(2, "2")]);
    service.organizations = [listed("gitlab", "2")];
    const { file } = await resume(service);
    expect(await linesOf(file)).toEqual([reviewed(2, "2")]);
    expect(service.queries).toHaveLength(1);
  });

  test("the last organization on the Enterprise plan that left loses its rows in the file too", async () => {
    const service = await api([reviewed(1, "1")]);
    service.organizationsRefused = "ENTERPRISE_PLAN_REQUIRED";
    const { file, stderr } = await resume(service);
    expect(stderr).not.toContain("the same number");
    expect(await linesOf(file)).toEqual([]);
  });

  test("records that name no provider are walked anew if an organization left and another has its number", async () => {
    const service = await api([reviewed(1, "1"), reviewed(2, "2")]);
    service.organizations = [listed("gitlab", "1")];
    const { file, stderr } = await resume(service);
    expect(stderr.split("\n")[0]).toBe(
      `Organization 1 left, and another organization has the same number. Everything is read again; ${file} is replaced when it is complete.`,
    );
    expect(await linesOf(file)).toEqual([reviewed(1, "1"), reviewed(2, "2")]);
  });
});

describe("export audit-logs", () => {
  test("--resume keeps audit entries that the service no longer has: the log only grows", async () => {
    const entry = (id: string) => ({ id, actor: {}, metadata: {} });
    const service = await api([entry("a0")]);
    const file = join(folder, "audit.json");
    const words = ["export", "audit-logs", "--output", file, ...target(service), "--resume"];
    expect(await callJson(...words)).toMatchObject({ added: 1, records: 1 });
    service.later = [entry("a1")];
    expect(await callJson(...words)).toMatchObject({ added: 1, records: 2 });
    expect(service.queries.map((query) => query.get("include_removed"))).toEqual([null, null]);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual([entry("a0"), entry("a1")]);
    // Entries of the last two minutes are sent again.
    service.later = [entry("a2"), entry("a1")];
    expect(await callJson(...words)).toMatchObject({ added: 1, changed: 0, removed: 0, records: 3 });
    // A log shipper that follows the file finds earlier entries at their old position.
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual([entry("a0"), entry("a1"), entry("a2")]);

    service.trouble = () => ({
      status: 400,
      code: "INVALID_CURSOR",
      message: "cursor: is older than 400 days. Start again without a cursor.",
    });
    expect((await callTool(...words)).stderr).toBe(
      `${file} cannot be continued: cursor: is older than 400 days. Start again without a cursor. Keep it under another name if it has entries that the service no longer keeps; --overwrite starts again.`,
    );
    expect(JSON.parse(await readFile(file, "utf8"))).toHaveLength(3);
  });
});

describe("export audit-logs in NDJSON", () => {
  const entry = (id: string) => ({ id, actor: {}, metadata: {} });
  const line = (id: string) => `${JSON.stringify(entry(id))}\n`;
  const fileOf = async (file: string) => {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return { text: await readFile(file, "utf8"), ino, mtimeNs };
  };

  test("--resume appends to the file itself, each id once, and leaves it untouched without news", async () => {
    const service = await api([entry("a0")]);
    const file = join(folder, "audit.ndjson");
    const words = ["export", "audit-logs", "--output", file, ...target(service), "--resume"];
    expect(await callJson(...words)).toMatchObject({ added: 1, records: 1 });
    const first = await fileOf(file);
    service.later = [entry("a0")];
    expect(await callJson(...words)).toMatchObject({ added: 0, records: 1 });
    expect(await fileOf(file)).toEqual(first);
    service.later = [entry("a1"), entry("a0"), entry("older")];
    expect(await callJson(...words)).toMatchObject({ added: 2, changed: 0, removed: 0, records: 3 });
    const later = await fileOf(file);
    expect([later.text, later.ino]).toEqual([line("a0") + line("a1") + line("older"), first.ino]);
    expect((await readdir(folder)).filter((name) => !name.endsWith(".lock")).toSorted()).toEqual([
      "audit.ndjson",
      "audit.ndjson.state.json",
    ]);
  });

  test.each([false, true])(
    "a file of the last release is continued in place (its run ended early: %s)",
    async (publishing) => {
      const service = await api([entry("a0")]);
      const file = join(folder, "audit.ndjson");
      const written = (...ids: readonly string[]) => {
        const text = ids.map(line).join("");
        return {
          bytes: text.length,
          sha256: createHash("sha256").update(text).digest("hex"),
          records: ids.length,
        };
      };
      await writeFile(file, line("a0"));
      const { ino } = await stat(file);
      const digest = (values: readonly unknown[]) =>
        createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 32);
      const journal = `w${digest(["a1"])}${digest([])}${line("a1")}`;
      if (publishing) await writeFile(`${file}.journal`, journal);
      const state = {
        version: 1,
        what: "audit-logs",
        format: "ndjson",
        query: {},
        key_scope: { id: "workspace:acme", label: "workspace acme" },
        cursor: "resume",
        begins_anew: false,
        journal_bytes: publishing ? journal.length : 0,
        files: publishing ? [written("a0"), written("a0", "a1")] : [written("a0")],
        ...(publishing && { publishing: true }),
        too_large: [],
      };
      await writeFile(`${file}.state.json`, JSON.stringify(state));
      service.later = [entry("a1"), entry("a2")];
      const words = ["export", "audit-logs", "--output", file, ...target(service), "--resume"];
      expect(await callJson(...words)).toMatchObject({ records: 3 });
      expect([await readFile(file, "utf8"), (await stat(file)).ino]).toEqual([
        ["a0", "a1", "a2"].map(line).join(""),
        ino,
      ]);
    },
  );

  test("--follow waits for a service that is not there yet, and says so", async () => {
    const gone = await startApi([]);
    await gone.close();
    const tool = spawnTool(["export", "audit-logs", "--follow", ...target(gone)]);
    onTestFinished(() => endTool(tool));
    const said = collect(tool);
    const tries = () => said().stderr.split(" does not respond ").length - 1;
    await vi.waitUntil(() => tool.exitCode !== null || tries() > 1, { timeout: 60_000 });
    expect([tool.exitCode, said().stderr]).toEqual([
      null,
      expect.stringMatching(/ does not respond \(ECONNREFUSED\)\. Nothing listens there/),
    ]);
  });

  test("--follow ends at once where no waiting helps: a redirect, a certificate that nobody trusts", async () => {
    const moved = await listening((_, response) =>
      response.writeHead(302, { location: "https://example.com/" }).end(),
    );
    const secure = createServer(selfSignedCertificate()).listen(0, "127.0.0.1");
    onTestFinished(() => {
      moved.close();
      secure.close();
    });
    await once(secure, "listening");
    const address = secure.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (const [url, reason] of [
      [moved.url, " sends callers to another address. "],
      [`https://127.0.0.1:${port}`, " Its certificate is not trusted: "],
    ] as const) {
      const tool = spawnTool(["export", "audit-logs", "--follow", "--url", url, "--key", "k"]);
      onTestFinished(() => void tool.kill());
      const said = collect(tool);
      const times = () => said().stderr.split(reason).length - 1;
      await vi.waitUntil(() => tool.exitCode !== null || times() > 1, { timeout: 60_000 });
      expect([tool.exitCode, times()], said().stderr).toEqual([1, 1]);
    }
  });

  test("--follow writes entries to standard output as they come", async () => {
    const service = await api([entry("a0")], [entry("a1")]);
    const tool = spawnTool(["export", "audit-logs", "--follow", "--search", "a", ...target(service)]);
    onTestFinished(() => endTool(tool));
    const said = collect(tool);
    await vi.waitUntil(() => said().stdout === line("a0") + line("a1"), { timeout: 60_000 });
    service.later = [entry("a1"), entry("a2")];
    await vi.waitUntil(() => said().stdout.endsWith(line("a2")), { timeout: 60_000 });
    expect(said().stdout).toBe(line("a0") + line("a1") + line("a2"));
    expect(service.queries.map((query) => query.get("search"))).toEqual(service.queries.map(() => "a"));
    expect(Date.parse(service.queries[0]?.get("date_from") ?? "")).toBeGreaterThan(0);
    expect(
      (await callTool("export", "audit-logs", "--follow", "--resume", ...target(service))).stderr,
    ).toContain("--follow and --resume cannot be used together.");
  });
});

describe("export security", () => {
  const finding = (id: string) => ({ id, provider: "github", organization_id: "1", title: "=t" });

  test.each(["json", "ndjson", "csv"])(
    "export security downloads all pages again each time, in one run, as %s",
    async (format) => {
      const service = await api([finding("f1")], [finding("f2")]);
      const file = join(folder, `findings.${format}`);
      const words = ["export", "security", "--output", file, ...target(service), "--severity", "high,low"];
      expect(await callJson(...words)).toMatchObject({ records: 2, format });
      expect(service.queries[0]?.get("severity")).toBe("high,low");
      const whole = await readFile(file, "utf8");
      expect((await callTool(...words)).stderr).toBe(`${file} exists; --overwrite replaces it.`);
      service.trouble = ({ page }) => (page === 1 ? { status: 500, code: "INTERNAL_ERROR" } : undefined);
      const failed = await callTool(...words, "--overwrite");
      expect([failed.code, failed.stderr]).toEqual([
        1,
        `${service.url} responded with 500 INTERNAL_ERROR: No. ${file} is unchanged.`,
      ]);
      expect(await readFile(file, "utf8")).toBe(whole);
      service.trouble = () => undefined;
      expect((await callTool(...words, "--overwrite")).code).toBe(0);
      expect(await readFile(file, "utf8")).toBe(whole);
    },
  );

  test("an export that is refused says nothing about a file that was never there", async () => {
    const service = await api([finding("f1")]);
    service.trouble = () => ({ status: 403, code: "KEY_TYPE_FORBIDDEN" });
    for (const format of ["sarif", "csv", "parquet"]) {
      const words = ["export", "security", "--output", join(folder, `new.${format}`), ...target(service)];
      expect((await callTool(...words)).stderr).toBe(
        `${service.url} responded with 403 KEY_TYPE_FORBIDDEN: No. Give a key of such a kind with --key; the operator of the service makes it (npx --no-install review-api keys create --help).`,
      );
    }
  });

  test("export security of an unknown repository is an error, of one without findings a sentence", async () => {
    const service = await api([]);
    service.organizations = [{ id: "o1", provider: "github", provider_organization_id: "1" }];
    service.repositories = ["9"];
    const words = (repository: string) => ["export", "security", "--repo", repository, ...target(service)];
    const unknown = await callTool(...words("99"), "--output", join(folder, "none.ndjson"));
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      "There is no active repository 99 in the organizations of this key. GET /v1/organizations/{organization_id}/repositories lists them, with their provider_repository_id.",
    ]);
    const clean = await callTool(...words("9"), "--output", join(folder, "clean.ndjson"));
    expect([clean.code, clean.stderr.split("\n")[0]]).toEqual([
      0,
      "Repository 9 has no findings in any state: it was never scanned, or its scans found nothing.",
    ]);
    service.organizationsRefused = "PERMISSION_DENIED";
    expect((await callTool(...words("99"))).stderr).toMatch(
      /^There are no findings of repository 99 in any state\. This key may not list/,
    );
    const file = join(folder, "none.sarif");
    expect((await callTool(...words("99"), "--output", file)).stderr).toMatch(
      /none\.sarif has 0 findings\.$/,
    );
  });

  test("export security writes SARIF as the service renders it", async () => {
    const service = await api([finding("f1")]);
    const file = join(folder, "findings.sarif");
    const words = ["export", "security", "--output", file, "--repo", "9", ...target(service)];
    expect((await callTool(...words, "--severity", "critical")).stderr).toBe(`${file} has 1 finding.`);
    const query = service.queries.at(-1);
    expect([query?.get("format"), query?.get("repo_id"), query?.get("limit")]).toEqual(["sarif", "9", null]);
    const rendered = { runs: [{ results: [finding("f1")] }] };
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject(rendered);
    const { code, stdout } = await callTool("export", "security", "--format", "sarif", ...target(service));
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining(rendered)]);
  });
});
