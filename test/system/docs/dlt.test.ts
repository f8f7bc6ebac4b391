import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { read } from "../../docs/pages.ts";
import { mcp, organizationData, repositoryData } from "../../support/event-data.ts";
import { PythonToolMissing, pythonTool } from "../../support/python-environment.ts";
import { sorted } from "../datasets/rows.ts";
import { acme, pullRequest, useDays } from "./days.ts";
import { jobsFolder, useReader } from "./reader.ts";

const [, program = ""] = /^```python\n(.*?)^```$/ms.exec(read(`${jobsFolder}warehouse.md`)) ?? [];
const tables = { reviews: "reviews", review_comments: "review-comments", mcp: "mcp" } as const;

const bin = await pythonTool("dlt").catch((error: unknown) => {
  if (!(error instanceof PythonToolMissing)) throw error;
  console.warn(`Not run: the pipeline of dlt. ${error.message}.`);
  return "";
});

/** Runs the program, and kills it when this function is called for the given time. */
const killer = `
import importlib, os, runpy, signal, sys
module, name, times = sys.argv[1:4]
target = importlib.import_module(module.split(":")[0])
for part in module.split(":")[1:]: target = getattr(target, part)
real = getattr(target, name)
calls = 0
def kill(*values, **named):
    global calls
    calls += 1
    if calls == int(times): os.kill(os.getpid(), signal.SIGKILL)
    return real(*values, **named)
setattr(target, name, kill)
runpy.run_path("review_metrics.py")
`;

const rowsOf = `
import duckdb, json, sys
table = sys.argv[1]
database = duckdb.connect("warehouse.duckdb", read_only=True)
database.sql("SET TimeZone = 'UTC'")
for row, in database.sql(f"SELECT to_json(t)::VARCHAR FROM review.{table} AS t").fetchall(): print(row)
`;

/** A table's row as the API's record: lists and objects are JSON there, and times have no letters. */
function recordOf(row: string): unknown {
  const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(row));
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !name.startsWith("_dlt") && name !== "removed")
      .map(([name, value]) => [
        name,
        name.endsWith("_at") && typeof value === "string"
          ? new Date(value.replace(" ", "T").replace(/\+00$/, "Z")).toISOString()
          : value,
      ]),
  );
}

test("the pipeline of dlt is one file of at most 75 lines", () => {
  expect(program.split("\n").length - 1).toBeGreaterThan(30);
  expect(program.split("\n").length - 1).toBeLessThanOrEqual(75);
});

describe.skipIf(!bin)("the pipeline of dlt", () => {
  const reader = useReader({ fresh: true });
  const { runLine, home, service } = reader;
  const { send, day } = useDays(reader);
  const python = join(bin, "python");
  const folder = () => join(home(), "dlt");
  const environment = () => ({
    ...process.env,
    REVIEW_API_URL: service().url,
    REVIEW_API_KEY: service().keys.workspace ?? "",
    HOME: folder(),
    DLT_DATA_DIR: folder(),
    RUNTIME__DLTHUB_TELEMETRY: "false",
  });
  const runPython = (...words: string[]) =>
    promisify(execFile)(python, words, { cwd: folder(), env: environment(), maxBuffer: 1 << 28 });
  const mobile = (change: object) => {
    const place = { provider: "github", instance_id: null, provider_organization_id: "1002" };
    const more = { name: "acme-mobile", workspace_id: "acme", seats_purchased: 0, ...change };
    return ["organization.saved", { ...place, ...organizationData, ...more }];
  };

  beforeAll(async () => {
    await mkdir(folder());
    // Small pages: a kill meets the program between two of them, and between two runs.
    const small = program.replace('"limit": 1000', '"limit": 50').replace(/^PAGES = 20/m, "PAGES = 2");
    expect(small).not.toBe(program);
    await writeFile(join(folder(), "review_metrics.py"), small);
    await writeFile(join(folder(), "killer.py"), killer);
    await writeFile(join(folder(), "rows.py"), rowsOf);
  });

  const tableRows = async (table: string) => {
    const { stdout } = await runPython("rows.py", table);
    return stdout.split("\n").filter(Boolean);
  };

  /** What it stores equals what a fresh export writes. */
  async function succeeds() {
    await runPython("review_metrics.py");
    for (const [table, dataset] of Object.entries(tables)) {
      const words = `metrics --dataset ${dataset} --start 2026-01-01 --output ${dataset}.ndjson --overwrite`;
      expect(await runLine(`npx --no-install review-api export ${words}`)).toMatchObject({ code: 0 });
      const text = await readFile(join(home(), `${dataset}.ndjson`), "utf8");
      const fresh = text.split("\n").filter(Boolean);
      expect(fresh.length).toBeGreaterThan(2);
      const stored = await tableRows(table);
      expect(sorted(stored.map(recordOf))).toEqual(sorted(fresh.map((row) => JSON.parse(row))));
    }
  }
  const isKilled = (...words: string[]) =>
    expect(runPython("killer.py", ...words)).rejects.toMatchObject({ signal: "SIGKILL" });

  test("a first run, killed between two pages, continues and stores what a fresh export writes", async () => {
    await isKilled("dlt.sources.helpers.requests", "get", "6");
    await succeeds();
  });

  test("later runs store what was new, changed or removed, and an organization that left", async () => {
    await day();
    await day();
    await day();
    await send([mobile({ plan: "pro" })]);
    const before = (await tableRows("reviews")).length;
    await succeeds();
    expect((await tableRows("reviews")).length).toBeLessThan(before);
  });

  test("an organization that comes back is stored again; a run without news reads one page of each", async () => {
    await day();
    await send([mobile({})]);
    await succeeds();
    // The document of the API is its first request, the fifth would be a second page.
    await runPython("killer.py", "dlt.sources.helpers.requests", "get", "5");
  });

  test("an organization that left takes no rows of another provider's organization with its id", async () => {
    const twin = { ...acme, provider: "gitlab" };
    const saved = {
      ...twin,
      ...organizationData,
      name: "acme-gitlab",
      workspace_id: "acme",
      seats_purchased: 0,
    };
    const theirs = (number: number) => {
      const [, data] = pullRequest(number, {
        ...twin,
        pr_url: `https://gitlab.example/acme/api/-/merge_requests/${number}`,
        ...mcp,
      });
      return ["pull_request.finalized", data];
    };
    await send([
      ["organization.saved", saved],
      [
        "repository.saved",
        { ...twin, ...repositoryData, repository_id: "9001", name: "api", full_name: "acme/api" },
      ],
      theirs(1),
      theirs(2),
    ]);
    await succeeds();
    const before = await tableRows("review_comments");
    expect(before.filter((row) => row.includes("gitlab.example"))).toHaveLength(2);
    await day();
    await send([["organization.saved", { ...saved, plan: "pro" }]]);
    await succeeds();
  });

  test.each([
    ["before what was read is prepared", "dlt.pipeline.pipeline:Pipeline", "normalize"],
    ["before what was read is loaded", "dlt.pipeline.pipeline:Pipeline", "load"],
    [
      "after the load, before it is marked",
      "dlt.destinations.job_client_impl:SqlJobClientBase",
      "complete_load",
    ],
  ])("a kill %s loses nothing", async (_, target, name) => {
    await day();
    await isKilled(target, name, "1");
    await succeeds();
  });

  test("a cursor that cannot continue begins again, and drops what is not read again", async () => {
    await day();
    const text = await readFile(join(folder(), "review_metrics.py"), "utf8");
    const other = text.replace('"start_date": "2026-01-01"', '"start_date": "2026-01-02"');
    await writeFile(join(folder(), "review_metrics.py"), other);
    await runPython("review_metrics.py");
    await writeFile(join(folder(), "review_metrics.py"), text);
    await day();
    await succeeds();
  });
});
