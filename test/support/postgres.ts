import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { collect } from "../cli/support.ts";
import { asNobody } from "./nobody.ts";

const run = promisify(execFile);
const versions = "/usr/lib/postgresql";

/** Where Debian's package `postgresql` puts the newest server that knows MERGE; undefined if there is none. */
export const postgresPrograms: string | undefined = (existsSync(versions) ? readdirSync(versions) : [])
  .map(Number)
  .filter((version) => version >= 15 && existsSync(join(versions, `${version}`, "bin", "initdb")))
  .toSorted((one, other) => other - one)
  .map((version) => join(versions, `${version}`, "bin"))[0];

export type PostgresServer = {
  /** Where a client finds it, and as whom. */
  readonly environment: Readonly<Record<string, string>>;
  /** What a query of the superuser answers, a line for each row. */
  query(sql: string): Promise<readonly string[]>;
  /** A client of the superuser that stays until its standard input ends. */
  openClient(): ChildProcess;
  /** Ends what runs and starts it again; `fileKiloBytesMax`: no file grows beyond this. */
  restart(limits?: { readonly fileKiloBytesMax: number }): Promise<void>;
  /** Until it accepts connections, after the crash of one. */
  untilReady(): Promise<void>;
  stop(): Promise<void>;
};

/** A server in a temporary folder, with small files for its log of changes, as a user without rights. */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  const { uid, gid } = asNobody;
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const unprivileged = { cwd: folder, ...asNobody };
  const data = join(folder, "data");
  await run(
    join(programs, "initdb"),
    ["-D", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--wal-segsize=1"],
    unprivileged,
  );
  const environment = { PGHOST: folder, PGDATABASE: "postgres", PGUSER: "postgres", PGTZ: "UTC" };
  const surrounded = { cwd: folder, env: { ...process.env, ...environment } };
  const psql = ["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=on"];
  let server: ChildProcess | undefined;
  let output: ReturnType<typeof collect>;

  const query = async (sql: string) => {
    const { stdout } = await run("psql", [...psql, "--command", sql], { ...surrounded, maxBuffer: 1 << 28 });
    return stdout.split("\n").slice(0, -1);
  };
  const untilReady = async () => {
    await vi.waitUntil(
      async () => {
        if (server?.exitCode !== null) throw new Error(`PostgreSQL ended: ${output().stderr}`);
        return await query("SELECT 1").then(
          () => true,
          () => false,
        );
      },
      { timeout: 120_000, interval: 200 },
    );
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const closed = new Promise((resolve) => server?.once("close", resolve));
    server.kill(signal);
    await closed;
  };
  const start = async (limits?: { readonly fileKiloBytesMax: number }) => {
    const words = `exec "${join(programs, "postgres")}" -D "${data}" -k "${folder}" -c listen_addresses=''`;
    const line = limits ? `ulimit -f ${limits.fileKiloBytesMax}; ${words}` : words;
    server = spawn("bash", ["-c", line], { ...unprivileged, stdio: ["ignore", "pipe", "pipe"] });
    output = collect(server);
    await untilReady();
  };
  await start();
  return {
    environment,
    query,
    openClient: () => spawn("psql", psql, { ...surrounded, stdio: ["pipe", "pipe", "inherit"] }),
    async restart(limits) {
      await end("SIGINT");
      await start(limits);
    },
    untilReady,
    async stop() {
      await end("SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
