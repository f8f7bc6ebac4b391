import { type ChildProcess, execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { datasetNamed } from "../../../lib/mirror/datasets/datasets.ts";
import { read } from "../../docs/pages.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../../support/postgres.ts";
import { PythonToolMissing, pythonTool } from "../../support/python-environment.ts";
import { endTool, firstLine } from "../../support/tool.ts";
import { sorted } from "../datasets/rows.ts";
import { pullRequest, useDays } from "./days.ts";
import { jobsFolder, useReader } from "./reader.ts";

const run = promisify(execFile);
const page = read(`${jobsFolder}warehouse.md`);
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);
const [script = ""] = blocks("bash");

/** What the script exports, with the words of the command. */
const datasets = [
  ["reviews", "metrics --dataset reviews --start 2026-01-01"],
  ["review-comments", "metrics --dataset review-comments --start 2026-01-01"],
  ["teams", "teams"],
  ["people", "people"],
  ["repositories", "repositories"],
] as const;

/** The page's script, night after night, on a service whose data change. */
function useNights(engine: string, readRows: (table: string) => Promise<readonly string[]>) {
  const { runLine, home, service } = useReader({ fresh: true });
  const warehouse = () => join(home(), "warehouse");
  const { send, day } = useDays({ runLine, home });
  beforeAll(async () => {
    await mkdir(warehouse());
  });

  /** `before` precedes the script in its shell. */
  const night = (
    { before = "", ...given }: Readonly<Record<string, string>> = {},
    onStart?: (shell: ChildProcess) => void,
  ) =>
    runLine(
      `${before}\n${script}`,
      {
        REVIEW_API_URL: service().url,
        REVIEW_API_KEY: service().keys.workspace ?? "",
        WAREHOUSE: warehouse(),
        ENGINE: engine,
        ...given,
      },
      onStart,
    );
  const changesLeft = async () =>
    (await readdir(warehouse())).filter((name) => name.endsWith(".changes.ndjson"));

  return {
    home,
    changesLeft,
    inWarehouse: (name: string) => join(warehouse(), name),
    night,
    day,
    /** More at once than a small limit of a file's size takes. */
    bulk: () =>
      send(
        Array.from({ length: 32 }, (_, index) =>
          pullRequest(80_000 + index, {
            comments: Array.from({ length: 1_000 }, (_, comment) => ({
              url: `https://x.example/${createHash("sha256").update(`${index}/${comment}`).digest("hex")}`,
            })),
          }),
        ),
      ),
    /** A load that ends badly keeps its changes. */
    async fails(...how: Parameters<typeof night>) {
      const failed = await night(...how);
      expect(failed.code, failed.output).not.toBe(0);
      expect(await changesLeft(), failed.output).not.toEqual([]);
      return failed.output;
    },
    /** The tables equal what the API has now, and no changes wait. */
    async succeeds(given: Readonly<Record<string, string>>) {
      const { code, output } = await night(given);
      expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
      expect(await changesLeft()).toEqual([]);
      const exports = datasets.map(
        ([name, words]) => `npx --no-install review-api export ${words} --output ${name}.ndjson --overwrite`,
      );
      expect(await runLine(exports.join(" &&\n"))).toMatchObject({ code: 0 });
      for (const [name] of datasets) {
        const fresh = (await readFile(join(home(), `${name}.ndjson`), "utf8")).split("\n").filter(Boolean);
        expect(fresh.length).toBeGreaterThan(2);
        const rows = await readRows(datasetNamed(name).table);
        expect(sorted(rows.map((row) => JSON.parse(row)))).toEqual(
          sorted(fresh.map((row) => JSON.parse(row))),
        );
      }
      return output;
    },
  };
}

describe.skipIf(!postgresPrograms)("the nightly load of Postgres, through psql", () => {
  let server: PostgresServer;
  const nights = useNights("postgres", (table) => server.query(`SELECT to_jsonb(t) FROM ${table} AS t`));
  beforeAll(async () => {
    server = await startPostgres(postgresPrograms ?? "");
    for (const role of ["loader", "reader"]) await server.query(`CREATE ROLE ${role} LOGIN`);
    await server.query("GRANT CREATE ON SCHEMA public TO loader");
  });
  afterAll(() => server?.stop());
  const night = () => ({ ...server.environment, PGUSER: "loader" });
  const waiting = "SELECT pid FROM pg_stat_activity WHERE usename = 'loader' AND wait_event_type = 'Lock'";

  /** Another client holds a row that the load changes, so the load waits in the middle of its work. */
  async function whileOneWaits(act: (shell: ChildProcess, backend: number) => unknown) {
    const holder = server.openClient();
    holder.stdin?.write("BEGIN; SELECT 'held' FROM reviews WHERE review_iterations = 2 FOR UPDATE;\n");
    await firstLine(holder);
    let shell: ChildProcess | undefined;
    const running = nights.night(night(), (started) => {
      shell = started;
    });
    let early = "";
    void running.then(({ output }) => {
      early = output;
    });
    const [backend] = await vi.waitUntil(
      async () => {
        if (early) throw new Error(`The load did not wait: ${early}`);
        const found = await server.query(waiting);
        return found.length > 0 && found;
      },
      { timeout: 120_000, interval: 200 },
    );
    if (shell) await act(shell, Number(backend));
    await endTool(holder);
    return await running;
  }

  test("a role without rights loads nothing and loses nothing, on the first night and on later ones", async () => {
    expect(await nights.fails({ ...night(), PGUSER: "reader" })).toContain(
      "permission denied for schema public",
    );
    await nights.succeeds(night());
    await server.query("GRANT CREATE ON SCHEMA public TO reader");
    for (const _ of ["a night", "and another"]) {
      await nights.day();
      expect(await nights.fails({ ...night(), PGUSER: "reader" })).toContain(
        "permission denied for table reviews",
      );
    }
    await nights.succeeds(night());
  });

  test("a full disk of the server loses nothing", async () => {
    await nights.bulk();
    await nights.day();
    await server.restart({ fileKiloBytesMax: 1024 });
    expect(await nights.fails(night())).toContain("could not extend file");
    await server.restart();
    await nights.succeeds(night());
  });

  test("a kill of the script and of psql, with half of the work done, loses nothing", async () => {
    await nights.day();
    const { code } = await whileOneWaits(({ pid = 0 }) => process.kill(-pid, "SIGKILL"));
    expect(code).toBeNull();
    await vi.waitUntil(async () => (await server.query(waiting)).length === 0, { timeout: 120_000 });
    await nights.succeeds(night());
  });

  test("a crash of the server, with half of the work done, loses nothing", async () => {
    await nights.day();
    const { code, output } = await whileOneWaits((_, backend) => process.kill(backend, "SIGKILL"));
    expect(code, output).not.toBe(0);
    expect(await nights.changesLeft()).not.toEqual([]);
    await server.untilReady();
    await nights.succeeds(night());
  });

  test("a second run is refused while one works: it would remove changes that the first did not load", async () => {
    await nights.day();
    const { code, output } = await whileOneWaits(async () => {
      const second = await nights.night(night());
      expect([second.code, second.output]).toEqual([1, "Another load is running.\n"]);
    });
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    expect(await nights.changesLeft()).toEqual([]);
    await nights.succeeds(night());
  });
});

/** The real command, where the package of PyPI can be had; a word about why it cannot otherwise. */
const command = await pythonTool("duckdb-cli").then(
  async (bin) => {
    const words = ["-c", "import duckdb_cli; print(duckdb_cli.__path__[0])"];
    const { stdout } = await run(join(bin, "python"), words);
    return join(stdout.trim(), "duckdb");
  },
  (error: unknown) => {
    if (!(error instanceof PythonToolMissing)) throw error;
    console.warn(`Not run: the nightly load of DuckDB. ${error.message}.`);
    return "";
  },
);

describe.skipIf(!command)("the nightly load of DuckDB, through its command", () => {
  const query = async (sql: string) => {
    const words = ["-readonly", "-json", nights.inWarehouse("warehouse.duckdb"), "-c", sql];
    const { stdout } = await run(command, words, { maxBuffer: 1 << 28 });
    return rowSchema.array().parse(JSON.parse(stdout || "[]"));
  };
  const nights = useNights("duckdb", async (table) =>
    (await query(`SET TimeZone = 'UTC'; SELECT to_json(t)::VARCHAR AS row FROM ${table} AS t`)).map(
      ({ row }) => String(row),
    ),
  );
  const night = (before = "") => ({ PATH: `${dirname(command)}:${process.env.PATH}`, before });

  test("a file that must not grow loses nothing, on the first night and on later ones", async () => {
    await nights.fails(night("ulimit -f 200"));
    await nights.succeeds(night());
    await nights.bulk();
    await nights.day();
    const { size } = await stat(nights.inWarehouse("warehouse.duckdb"));
    await nights.fails(night(`ulimit -f ${Math.ceil(size / 1024)}`));
    await nights.succeeds(night());
  });

  test("a read-only file loses nothing", async () => {
    await nights.day();
    await chmod(nights.inWarehouse("warehouse.duckdb"), 0o444);
    // Root writes to every file, unless it gives up the right to.
    const isRoot = process.getuid?.() === 0;
    const drop = `--bounding-set=-dac_override --inh-caps=-dac_override`;
    const bound = isRoot ? `duckdb() { setpriv ${drop} duckdb "$@"; }` : "";
    expect(await nights.fails(night(bound))).toContain("Permission denied");
    await chmod(nights.inWarehouse("warehouse.duckdb"), 0o644);
    await nights.succeeds(night());
  });

  test.each([
    ["before the transaction ends", "head --lines=-1"],
    ["after the transaction, before its command ends", "cat"],
  ])("a kill of the command %s loses nothing", async (_, lines) => {
    await nights.day();
    // The command itself starts the shell that kills it, where the SQL is that far.
    const killed = `duckdb() { { ${lines}; echo '.shell kill -9 $PPID'; } | command duckdb "$@"; }`;
    expect(await nights.fails(night(killed))).toMatch(/ has \d+ pull requests/);
    await nights.succeeds(night());
  });

  test("later nights load only changes; the queries count every finding, in weeks of UTC", async () => {
    const output = await nights.succeeds(night());
    const counts = [...output.matchAll(/ has [\d,]+ [\w ]+ \((.*?)\)\./g)].map(([, changes]) => changes);
    expect(counts).toEqual(Array(5).fill("0 new, 0 changed, 0 removed"));
    const [byWeek = "", byTeam = ""] = blocks("sql").map(
      (sql) => `SET TimeZone = 'Pacific/Auckland'; ${sql}`,
    );
    const weeks = await query(byWeek);
    const [total] = await query("SELECT sum(len(coderabbit_comments)) AS findings FROM review_comments");
    expect(weeks.length).toBeGreaterThan(1);
    expect(weeks.reduce((sum, { findings }) => sum + Number(findings), 0)).toBe(Number(total?.findings));
    const [monday] = await query(
      "SELECT min(date_trunc('week', strptime(strftime(merged_at AT TIME ZONE 'UTC', '%Y-%m-%d'), '%Y-%m-%d'))) AS week FROM review_comments",
    );
    expect(weeks[0]?.week).toBe(monday?.week);
    expect((await query(byTeam)).length).toBeGreaterThan(1);
    const [repositories] = await query(
      "SELECT count(*) AS known FROM repositories JOIN (SELECT DISTINCT repository_id AS reviewed, organization_id AS organization FROM reviews) ON reviewed = repository_id AND organization = organization_id",
    );
    expect(Number(repositories?.known)).toBeGreaterThan(1);
  });
});

test("with engines that were not tried, a load begins only after its upload, and stops at its first error", () => {
  const lines = [...page.matchAll(/^\| (BigQuery|Snowflake) \| `(.*?)`(?:;.*?)? \|/gm)];
  const commands = lines.map(([, engine, line = ""]) => [engine, line.split(" && ")] as const);
  expect(commands).toEqual([
    ["BigQuery", [expect.stringMatching(/^gcloud storage cp /), expect.stringMatching(/^bq query /)]],
    ["Snowflake", Array(2).fill(expect.stringMatching(/^snowsql --option exit_on_error=true /))],
  ]);
});

test("with engines that were not tried, tables have a dataset, and the upload an absolute path", () => {
  const line = (engine: string) => new RegExp(`^\\| ${engine} \\| .*$`, "m").exec(page)?.[0];
  expect(line("BigQuery")).toMatch(/ bq query --dataset_id=\w+ /);
  expect(line("Snowflake")).toContain(`"PUT 'file://$PWD/reviews.changes.ndjson' @exports `);
  expect(page).toContain("`CREATE STAGE exports`");
});

const rowSchema = z.record(z.string(), z.unknown());

if (!postgresPrograms)
  console.warn("Not run: the nightly load of Postgres. Install Debian's package postgresql, 15 or later.");
