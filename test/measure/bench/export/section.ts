import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { bundleFunctions, everyFunction } from "../../../../infra/bundle.ts";
import { createClient } from "../../../../lib/client/client.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { requestLimits } from "../../../../lib/contract/limits.ts";
import { reviewCommentMetrics as operation } from "../../../../lib/contract/operations/metrics.ts";
import { organizationTenant } from "../../../../lib/contract/tenants.ts";
import { createCursorKeys } from "../../../../lib/http/cursor-keys.ts";
import { localTableName } from "../../../../lib/local/backend.ts";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { streamNumberKey, streamPartition } from "../../../../lib/store/layout.ts";
import { letterOf } from "../../../../lib/stream/stream.ts";
import { weekOf } from "../../../../lib/stream/weeks.ts";
import { World } from "../../../support/world.ts";
import { runChild } from "../frame/child.ts";
import {
  type CpuRounds,
  cpuRounds,
  median,
  medianRatio,
  type Rounds,
  startContestant,
} from "../frame/contest.ts";
import { eventText } from "../frame/invoke.ts";
import { atMost, rounded, type Section, type SectionModule, tableOf } from "../section.ts";
import { fillEngineFile } from "../support/engine-file.ts";
import { itemsOf, measuredWeek, uuidOf, windowQuery } from "../support/history.ts";
import { type ColleaguePlan, colleaguePlanVariable } from "./colleague-plan.ts";
import { large, type ReplayedWorld, tableName, typical, writeReplayedWorld } from "./replayed.ts";
import { type LargestReport, largestReport } from "./report.ts";

const cpuRatioMax = 1.2;
const memoryMegabytesMax = 70;
const pageItems = 1_000;
const target = `/v1/metrics/review-comments?${windowQuery(measuredWeek)}`;

type Size = {
  /** Of the walk through the whole stack. */
  readonly pullRequests: number;
  readonly walks: number;
  readonly largestBytes: number;
  readonly page: Rounds;
  readonly largest: Rounds;
};
const sizes: Readonly<Record<"full" | "quick", Size>> = {
  full: {
    pullRequests: 10_000,
    walks: 5,
    largestBytes: requestLimits.responseBytesMax,
    page: { rounds: 21, requestsPerRound: 20, warmUpRequests: 100 },
    largest: { rounds: 15, requestsPerRound: 3, warmUpRequests: 12 },
  },
  quick: {
    pullRequests: 500,
    walks: 1,
    largestBytes: 1_000_000,
    page: { rounds: 3, requestsPerRound: 2, warmUpRequests: 4 },
    largest: { rounds: 3, requestsPerRound: 1, warmUpRequests: 2 },
  },
};

export const section: SectionModule = {
  title: "Export",
  async run({ quick, say }) {
    const size = sizes[quick ? "quick" : "full"];
    const directory = await mkdtemp(join(tmpdir(), "export-"));
    try {
      const { source } = operation;
      await bundleFunctions({ ...everyFunction, sources: [source], outputDirectory: directory });
      await bundleFunctions({
        sources: ["colleague"],
        sourceDirectory: fileURLToPath(new URL("./", import.meta.url)),
        outputDirectory: join(directory, "bare"),
      });
      say(`a page of ${pageItems}, and ${size.largestBytes} bytes of large pull requests`);
      const world = await writeReplayedWorld(join(directory, "items.json"), {
        pullRequests: pageItems + 1,
        largestBytes: size.largestBytes,
      });
      say("a page, against a colleague's handler");
      const page = await againstColleague(directory, world, "typical", size.page);
      say("the largest answer, against a colleague's handler");
      const largest = await againstColleague(directory, world, "large", size.largest);
      say("the memory of the largest answer");
      const memory = await memoryOf(directory, world, "identity");
      const compressed = await memoryOf(directory, world, "gzip");
      say(`walks of ${size.pullRequests} pull requests through gateway, handler, engine and client`);
      return sectionOf(size, { page, largest, memory, compressed, walksMs: await walks(directory, size) });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** Both answer from the same items, and their records are the same byte for byte. */
async function againstColleague(
  directory: string,
  { itemsFile, keys }: ReplayedWorld,
  which: keyof ReplayedWorld["keys"],
  rounds: Rounds,
): Promise<CpuRounds> {
  const environment = {
    TABLE_NAME: tableName,
    // No connection is made: the stub answers.
    DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
    [colleaguePlanVariable]: JSON.stringify(planOf(which, keys[which].id)),
  };
  const argument = {
    event: eventText(target, ["x-service-api-key", keys[which].text]),
    streaming: true,
    requestsPerWindow: operation.rateLimit.requestsMax,
    itemsFile,
  };
  const start = (name: string, source: string) =>
    startContestant(name, { ...argument, bundle: join(directory, source, "index.mjs") }, environment);
  const contestants = await Promise.all([
    start("ours", operation.source),
    start("colleague's", "bare/colleague"),
  ]);
  try {
    const [ours, others] = await Promise.all(contestants.map((contestant) => contestant.digestOfData()));
    if (ours !== others) throw new Error("The colleague's records differ from ours.");
    return await cpuRounds(contestants, rounds);
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.stop()));
  }
}

function planOf(which: keyof ReplayedWorld["keys"], keyId: string): ColleaguePlan {
  const name = which === "typical" ? typical : large;
  const organization = uuidOf(name);
  const tenant = organizationTenant(organization);
  const week = weekOf(Date.parse(measuredWeek.start_date));
  return {
    organizationId: name.provider_organization_id,
    keys: [
      kinds.apiKey.key({ keyId }),
      kinds.organization.key({ organization }),
      kinds.streamHead.key({ tenant }),
    ],
    pk: streamPartition({ tenant, organization: undefined, dataset: letterOf("review-comments"), week }),
    upTo: streamNumberKey(9_999_999_999),
    limit: pageItems,
  };
}

const memoryOf = (
  directory: string,
  { itemsFile, keys }: ReplayedWorld,
  coding: "identity" | "gzip",
): Promise<LargestReport> =>
  runChild(
    new URL("./largest-answer.ts", import.meta.url),
    {
      bundle: join(directory, operation.source, "index.mjs"),
      itemsFile,
      target,
      key: keys.large.text,
      coding,
    },
    largestReport,
    { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: "http://127.0.0.1:9" },
  );

/** Milliseconds of each walk of the whole history, on an engine. */
async function walks(directory: string, { pullRequests, walks: count }: Size): Promise<number[]> {
  const databaseFile = join(directory, "engine.db");
  const history = { tenant: organizationTenant(uuidOf(typical)), organizations: [typical], pullRequests };
  const items = itemsOf({ ...history, inMeasuredWeek: pullRequests, weeksBefore: 1, shuffled: false });
  await fillEngineFile(databaseFile, localTableName, items);
  const engine = await startEngine({ dataPath: databaseFile });
  const client = engineClient(engine.endpoint);
  try {
    const store = { client, tableName: localTableName, clock: systemClock, random: systemRandom };
    const world = new World(() => createDynamoTable(store));
    await createCursorKeys(world.deps);
    const organization = await world.organization(typical.provider_organization_id);
    await world.member(typical, "boss", { role: "cr_admin" });
    const { text } = await world.key({ kind: "organization", organization, owner: "boss", role: "cr_admin" });
    return await walkThrough(engine.endpoint, text, pullRequests, count);
  } finally {
    client.destroy();
    await engine.stop();
  }
}

async function walkThrough(
  endpoint: string,
  key: string,
  expected: number,
  count: number,
): Promise<number[]> {
  const file = fileURLToPath(new URL("./gateway.ts", import.meta.url));
  const gateway = fork(file, [JSON.stringify({ endpoint })], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const [started] = await once(gateway, "message");
    const { url } = z.object({ url: z.string() }).parse(started);
    const times: number[] = [];
    // The first one warms up the compiler.
    for (let round = 0; round <= count; round++) {
      globalThis.gc?.();
      const startedAt = performance.now();
      const found = await walkOurs(url, key);
      if (found !== expected) throw new Error(`A walk found ${found} pull requests of ${expected}.`);
      if (round > 0) times.push(performance.now() - startedAt);
    }
    return times;
  } finally {
    const ended = once(gateway, "exit");
    gateway.disconnect();
    await ended;
  }
}

async function walkOurs(baseUrl: string, key: string): Promise<number> {
  let found = 0;
  const pages = createClient({ baseUrl, key }).pages("listReviewCommentMetrics", { query: measuredWeek });
  for await (const { body } of pages) found += body.data.length;
  return found;
}

type Measured = {
  readonly page: CpuRounds;
  readonly largest: CpuRounds;
  readonly memory: LargestReport;
  readonly compressed: LargestReport;
  readonly walksMs: readonly number[];
};

const aboveIdle = ({ idleBytes, peakBytes }: LargestReport): number => (peakBytes - idleBytes) / 1e6;

function sectionOf({ pullRequests }: Size, measured: Measured): Section {
  const { page, largest, memory, compressed, walksMs } = measured;
  const ratio = (cpu: CpuRounds) => medianRatio(cpu, "ours", "colleague's");
  const perSecond = Math.round(pullRequests / (median(walksMs) / 1000));
  const row = (what: string, cpu: CpuRounds) => ({
    answer: what,
    "CPU, of the colleague's": rounded(ratio(cpu)),
    "ms ours": rounded(median(cpu.get("ours") ?? []) / 1000, 1),
    "ms of the colleague's": rounded(median(cpu.get("colleague's") ?? []) / 1000, 1),
  });
  return {
    prose: [
      "The comparison is what a careful colleague would write on AWS's SDK: the same calls, the same records decoded as " +
        "objects and rendered with `JSON.stringify`, without authentication, validation, limits and log. The records are " +
        "compared byte for byte before measuring. A stub at `http.request` replays DynamoDB's answers, so that no engine " +
        "is measured. Each runs warm in its own process, in turn; a figure is that process's CPU time per request, without " +
        "compression, and a ratio is the median of the ratios of all rounds.",
      "Memory is the peak of a fresh process that sends the largest answer, above its memory after a small request.",
      `A walk reads ${pullRequests.toLocaleString("en-US")} pull requests with eight findings each, in pages of 1,000, through the client, the ` +
        "local gateway, the handler in its own process, and the engine, whose work takes most of the time.",
    ],
    targets: [
      atMost(`a page of ${pageItems}: CPU, of a colleague's handler on AWS's SDK`, ratio(page), cpuRatioMax),
      atMost("the largest answer: CPU, of a colleague's handler on AWS's SDK", ratio(largest), cpuRatioMax),
      atMost("the largest answer: MB above idle", aboveIdle(memory), memoryMegabytesMax),
    ],
    tables: [
      tableOf("Against a colleague's handler", [
        row(`a page of ${pageItems}`, page),
        row("the largest answer", largest),
      ]),
      tableOf("The largest answer", [
        {
          bytes: memory.sentBytes,
          "MB above idle": rounded(aboveIdle(memory), 0),
          "with gzip": rounded(aboveIdle(compressed), 0),
          "MB idle": rounded(memory.idleBytes / 1e6, 0),
        },
      ]),
      tableOf("Through the whole stack", [
        {
          "pull requests a second": perSecond,
          "seconds for a million": Math.round(1e6 / perSecond),
        },
      ]),
    ],
    pictures: [],
  };
}
