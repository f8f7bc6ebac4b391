import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createRole } from "../../../lib/contract/operations/roles.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { parametersOf } from "../../../lib/contract/requests.ts";
import { callJson, event, ndjson, type RunningDev, soloOrganization, useDev } from "../../cli/support.ts";
import { seededRandom } from "../../support/clock.ts";
import { isLong, seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { type Bucket, bucketsOf } from "./buckets.ts";
import type { Outcome, Plan, Shot } from "./driver.ts";
import {
  latencyProblems,
  overAdmitted,
  quantile,
  queueMs,
  slopePerSecond,
  wronglyRefused,
} from "./verdict.ts";

/** The short run sends as many requests, but more slowly: they must not overload an engine on a busy machine. */
const overload = volume(4, 10);
const connections = volume(60, 200);
const idleMs = volume(3_000, 30_000);
const loadMs = volume(20_000, 240_000);
const memoryWarmUpMs = loadMs / 3;
/** Callers that stay under their limits all the time. */
const quietHomes = 6;
const quietPerMinute = 50;

const dev = useDev();
let running: RunningDev;
let buckets: ReadonlyMap<string, Bucket>;
let quietKeys: readonly string[] = [];
let idle: readonly Outcome[] = [];
let underLoad: readonly Outcome[] = [];
/** CPU time of the service alone: other programs do not distort this figure. */
let spentMs = 0;
/** Speed of the machine before the measurement: shows how reliable the times are. */
let loadAverage = 0;
let memoryFile = "";

const isQuiet = ({ bucket }: { readonly bucket: string }) => bucket.startsWith("quiet");

beforeAll(async () => {
  loadAverage = loadavg()[0] ?? 0;
  const folder = await dev.folder();
  const seed = join(folder, "seed.ndjson");
  const ids = ["9000", ...Array.from({ length: quietHomes }, (_, index) => `91${index}0`)];
  await writeFile(seed, ndjson(events(ids)));
  memoryFile = join(folder, "memory.ndjson");
  vi.stubEnv("LIVE_MEMORY_FILE", memoryFile);
  vi.stubEnv("NODE_OPTIONS", `--expose-gc --import ${new URL("collect.ts", import.meta.url)}`);
  running = await dev.start("--data", folder, "--no-demo", "--seed", seed);
  vi.unstubAllEnvs();
  const keys: string[] = [];
  for (const id of ids)
    keys.push(z.object({ key: z.string() }).parse(await callJson(...keyWords(id), "--data", folder)).key);
  const uuid = running.organizations.find((each) => each.provider_organization_id === "9000")?.id ?? "";
  buckets = bucketsOf(uuid, keys[0] ?? "");
  quietKeys = keys.slice(1);
  // Loads every function before the measurement, with a caller whose windows are not checked.
  await drive(
    [...bucketsOf(uuid, keys[1] ?? "").values()].flatMap(({ shots }) =>
      shots.map((shot) => ({ ...shot, atMs: 0 })),
    ),
  );
  quietKeys = quietKeys.slice(1);
  const before = await processorMs();
  underLoad = await drive([...quietShots(loadMs), ...overloadShots()]);
  spentMs = (await processorMs()) - before;
  // Measured afterwards, when everything is warm: the stricter comparison.
  idle = await drive(quietShots(idleMs));
}, timeoutMs);
afterAll(async () => {
  await running?.stop();
});

const keyWords = (organization: string) =>
  `keys create --kind organization --org ${organization} --owner 501 --role cr_admin --name load`.split(" ");

/** Self-hosted, so that every operation is open to them. */
function events(ids: readonly string[]): object[] {
  let count = 1;
  const nextEvent = (type: string, data: object) => event(count++, type, data);
  const instance = { id: "forge", name: "Forge", provider: "gitlab", base_url: "https://git.forge.test" };
  return [
    nextEvent("instance.saved", { ...instance, active: true }),
    ...ids.flatMap((id) => {
      const name = { provider: "gitlab", instance_id: "forge", provider_organization_id: id };
      const member = { ...name, seat_assigned: false, readable_repository_ids: "*", active: true };
      const people = ["501", "502"].map((user_id) => ({
        ...member,
        user_id,
        username: user_id,
        email: `${user_id}@${id}.test`,
        role: user_id === "501" ? "cr_admin" : "cr_member",
      }));
      return [
        nextEvent("organization.saved", { ...soloOrganization(id, id), ...name, deployment: "self_hosted" }),
        ...people.map((person) => nextEvent("member.saved", person)),
        nextEvent("repository.saved", {
          ...name,
          repository_id: "9001",
          name: "web",
          full_name: "forge/web",
          private: true,
          url: "https://git.forge.test/forge/web",
          active: true,
          approval_delay_days: null,
        }),
      ];
    }),
  ];
}

const random = seededRandom(seedOfRun());

/** At a steady rate with a little jitter. */
function spread(perMinute: number, forMs: number, shots: ReadonlyArray<Omit<Shot, "atMs">>): Shot[] {
  const beatMs = 60_000 / perMinute;
  return Array.from({ length: Math.floor(forMs / beatMs) }, (_, index) => {
    const shot = shots[index % shots.length];
    if (!shot) throw new Error("There is a bucket without a request.");
    return { ...shot, atMs: Math.floor(index * beatMs + random.below(Math.ceil(beatMs))) };
  });
}

const overloadShots = (): Shot[] =>
  [...buckets.values()].flatMap(({ requestsMax, windowMs, shots }) =>
    spread((overload * requestsMax * 60_000) / windowMs, loadMs, shots),
  );

const quietShots = (forMs: number): Shot[] =>
  quietKeys.flatMap((key, index) => {
    const path = "/v1/metrics/reviews?start_date=2026-11-01&end_date=2026-11-30";
    return spread(quietPerMinute, forMs, [{ bucket: `quiet ${index}`, method: "GET", path, key }]);
  });

const outcomes = z.array(
  z.object({
    bucket: z.string(),
    sentMs: z.number(),
    receivedMs: z.number(),
    status: z.number(),
    isRepeated: z.boolean(),
  }),
);

async function drive(shots: readonly Shot[]): Promise<readonly Outcome[]> {
  const driver = spawn(process.execPath, [fileURLToPath(new URL("driver.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const plan: Plan = { url: running.url, connections, shots };
  driver.stdin.end(JSON.stringify(plan));
  const chunks: Buffer[] = [];
  driver.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(driver, "close");
  return outcomes.parse(JSON.parse(Buffer.concat(chunks).toString()));
}

const clockTicksPerSecond = 100;

async function processorMs(): Promise<number> {
  const status = await readFile(`/proc/${running.processId}/stat`, "utf8").catch(() => "");
  // After the name, which is in brackets, come the state and then numbers: the 12th and 13th are user and system time.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
}

/** Some of their requests name things that do not exist. */
const bucketsOfAbsent = new Set(
  operations
    .filter((operation) => parametersOf(operation).some((name) => name !== "organization_id"))
    .map(({ rateLimit }) => rateLimit.bucket),
);

const memoryLine = z.object({ atMs: z.number(), heapUsed: z.number(), rss: z.number() });

describe(`${overload} times every rate limit over ${connections} connections`, () => {
  test("every request gets an answer, and no answer is a 5xx", () => {
    const counts = Map.groupBy([...idle, ...underLoad], ({ status }) => status);
    const repeated = [...idle, ...underLoad].filter(({ isRepeated }) => isRepeated).length;
    console.log(`${(spentMs / underLoad.length).toFixed(1)} ms of the processor a request`);
    console.log(`${repeated} of ${idle.length + underLoad.length} sent again on a new connection`);
    console.log([...counts].map(([status, all]) => `${all.length} × ${status}`).join(", "));
    const allowed = new Set([200, 201, 204, 404, 409, 429]);
    expect([...counts.keys()].filter((status) => !allowed.has(status))).toEqual([]);
    // A server may close an idle connection just as a request comes: this must be rare.
    expect(repeated).toBeLessThanOrEqual(Math.ceil(underLoad.length / 100));
    expect(counts.get(404)?.every(({ bucket }) => bucketsOfAbsent.has(bucket)) ?? true).toBe(true);
    const nameTaken = createRole.rateLimit.bucket;
    expect(counts.get(409)?.every(({ bucket }) => bucket === nameTaken) ?? true).toBe(true);
  });

  test("every limit is exact: never more calls within a window, never a refusal with fewer", () => {
    const tookMs =
      Math.max(...underLoad.map(({ receivedMs }) => receivedMs)) -
      Math.min(...underLoad.map(({ sentMs }) => sentMs));
    const table = [...buckets].map(([bucket, limit]) => {
      const own = underLoad.filter((outcome) => outcome.bucket === bucket);
      const admitted = own.filter(({ status }) => status !== 429).length;
      expect(overAdmitted(own, limit)).toEqual([]);
      expect(wronglyRefused(own, limit)).toEqual([]);
      const windows = Math.ceil(loadMs / limit.windowMs);
      // On a busy machine answers come after the load has ended, perhaps in a later window.
      const windowsMax = Math.floor(tookMs / limit.windowMs) + 1;
      expect(admitted, bucket).toBeLessThanOrEqual(limit.requestsMax * windowsMax);
      expect(admitted, bucket).toBeGreaterThanOrEqual(limit.requestsMax * (windows - 1) || limit.requestsMax);
      return `${bucket} ${admitted}/${own.length}`;
    });
    console.log(`admitted of sent in ${loadMs / 1000} s: ${table.join(", ")}`);
  });

  test("a caller under the limit is never refused", () => {
    expect(underLoad.filter(isQuiet).filter(({ status }) => status !== 200)).toEqual([]);
  });

  // A few seconds on a machine that runs other tests prove nothing about time.
  test.runIf(isLong)("a caller under the limit waits no more than twice as long as when idle", () => {
    const took = (all: readonly Outcome[]) => all.map(({ sentMs, receivedMs }) => receivedMs - sentMs);
    const latency = {
      idleMs: took(idle),
      underLoadMs: took(underLoad.filter(isQuiet)),
      serviceMs: spentMs / underLoad.length,
      busyShare: spentMs / loadMs,
    };
    const said = (ms: readonly number[]) =>
      `${quantile(ms, 0.5).toFixed(1)} ms (95 %: ${quantile(ms, 0.95).toFixed(1)})`;
    console.log(
      `idle ${said(latency.idleMs)}, under load ${said(latency.underLoadMs)}; the service is at work ` +
        `${Math.round(latency.busyShare * 100)} % of the time, which explains ${queueMs(latency).toFixed(1)} ms; ` +
        `load average before: ${loadAverage.toFixed(1)}`,
    );
    expect(latencyProblems(latency)).toEqual([]);
  });

  test.runIf(isLong)("memory stays flat under load", async () => {
    const lines = (await readFile(memoryFile, "utf8")).trim().split("\n");
    const settled = lines
      .map((line) => memoryLine.parse(JSON.parse(line)))
      .filter(({ atMs }) => atMs > memoryWarmUpMs);
    expect(settled.length).toBeGreaterThan(20);
    for (const name of ["heapUsed", "rss"] as const) {
      const samples = settled.map((line) => ({ atMs: line.atMs, value: line[name] / 2 ** 20 }));
      const values = samples.map(({ value }) => value);
      const middle = quantile(values, 0.5);
      const perMinute = slopePerSecond(samples) * 60;
      console.log(`${name}: ${middle.toFixed(1)} MiB, ${perMinute.toFixed(2)} MiB more a minute`);
      expect(perMinute, name).toBeLessThan(middle / 50);
    }
  });
});
