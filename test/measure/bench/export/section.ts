import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { bundleFunctions, everyFunction } from "../../../../infra/bundle.ts";
import { createClient } from "../../../../lib/client/client.ts";
import { requestLimits } from "../../../../lib/contract/limits.ts";
import { reviewCommentMetrics } from "../../../../lib/contract/operations/metrics.ts";
import { organizationTenant } from "../../../../lib/contract/tenants.ts";
import { createCursorKeys } from "../../../../lib/http/cursor-keys.ts";
import { localTableName } from "../../../../lib/local/backend.ts";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { streamPartition } from "../../../../lib/store/layout.ts";
import { letterOf } from "../../../../lib/stream/stream.ts";
import { weekOf } from "../../../../lib/stream/weeks.ts";
import { github, World } from "../../../support/world.ts";
import { runChild } from "../frame/child.ts";
import { median } from "../frame/contest.ts";
import { atLeast, atMost, rounded, type Section, type SectionModule, tableOf } from "../section.ts";
import { fillEngineFile } from "../support/engine-file.ts";
import { itemsOf, measuredWeek, uuidOf, windowQuery } from "../support/history.ts";
import { largestPage } from "./largest-page.ts";
import { type LargestReport, largestReport } from "./report.ts";

const throughputRatioMin = 0.85;
const memoryMegabytesMax = 160;
const sizes = {
  full: { pullRequests: 10_000, rounds: 9, largestBytes: requestLimits.responseBytesMax, largestRounds: 7 },
  quick: { pullRequests: 500, rounds: 2, largestBytes: 1_000_000, largestRounds: 2 },
};

const typical = github("7001000");
const large = github("7001001");

export const section: SectionModule = {
  title: "Export",
  async run({ quick, say }) {
    const size = sizes[quick ? "quick" : "full"];
    const directory = await mkdtemp(join(tmpdir(), "export-"));
    try {
      const databaseFile = join(directory, "engine.db");
      say(`${size.pullRequests} pull requests, and ${size.largestBytes} bytes of large ones`);
      await fillEngineFile(databaseFile, localTableName, stock(size));
      return await measure(directory, databaseFile, size, say);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

type Size = typeof sizes.full;

function* stock({ pullRequests, largestBytes }: Size) {
  yield* itemsOf({
    tenant: organizationTenant(uuidOf(typical)),
    organizations: [typical],
    pullRequests,
    inMeasuredWeek: pullRequests,
    weeksBefore: 1,
    shuffled: false,
  });
  yield* largestPage(organizationTenant(uuidOf(large)), large, largestBytes);
}

async function measure(
  directory: string,
  databaseFile: string,
  size: Size,
  say: (line: string) => void,
): Promise<Section> {
  const engine = await startEngine({ dataPath: databaseFile });
  const client = engineClient(engine.endpoint);
  try {
    const store = { client, tableName: localTableName, clock: systemClock, random: systemRandom };
    const world = new World(() => createDynamoTable(store));
    await createCursorKeys(world.deps);
    const keyOf = async (name: typeof typical) => {
      const organization = await world.organization(name.provider_organization_id);
      await world.member(name, "boss", { role: "cr_admin" });
      const key = { kind: "organization" as const, organization, owner: "boss", role: "cr_admin" };
      return (await world.key(key)).text;
    };
    say("walks through gateway, handler, engine and client, against a Query loop");
    const walks = await compareWalks(engine.endpoint, await keyOf(typical), size);
    say("the largest answer");
    const largest = await largestAnswer(directory, engine.endpoint, await keyOf(large), size);
    return sectionOf(size, walks, largest);
  } finally {
    client.destroy();
    await engine.stop();
  }
}

type Walk = { readonly oursMs: number; readonly bareMs: number };

async function compareWalks(endpoint: string, key: string, { pullRequests, rounds }: Size): Promise<Walk[]> {
  const gateway = fork(
    fileURLToPath(new URL("./gateway.ts", import.meta.url)),
    [JSON.stringify({ endpoint })],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    },
  );
  try {
    const [started] = await once(gateway, "message");
    const { url } = z.object({ url: z.string() }).parse(started);
    const walks: Walk[] = [];
    // The first round warms up the compiler.
    for (let round = 0; round <= rounds; round++) {
      const oursMs = await timed(pullRequests, () => walkOurs(url, key));
      const bareMs = await timed(pullRequests, () => walkBare(endpoint));
      if (round > 0) walks.push({ oursMs, bareMs });
    }
    return walks;
  } finally {
    const ended = once(gateway, "exit");
    gateway.disconnect();
    await ended;
  }
}

async function timed(expected: number, walk: () => Promise<number>): Promise<number> {
  globalThis.gc?.();
  const startedAt = performance.now();
  const found = await walk();
  const ms = performance.now() - startedAt;
  if (found !== expected) throw new Error(`A walk found ${found} pull requests of ${expected}.`);
  return ms;
}

async function walkOurs(baseUrl: string, key: string): Promise<number> {
  let found = 0;
  const pages = createClient({ baseUrl, key }).pages("listReviewCommentMetrics", { query: measuredWeek });
  for await (const { body } of pages) found += body.data.length;
  return found;
}

/** The store's client, page after page of a whole megabyte, as plain objects: the minimum work of any exporter. */
async function walkBare(endpoint: string): Promise<number> {
  const client = engineClient(endpoint);
  const tenant = organizationTenant(uuidOf(typical));
  const week = weekOf(Date.parse(measuredWeek.start_date));
  const place = { tenant, organization: undefined, dataset: letterOf("review-comments"), week };
  let found = 0;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: localTableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": streamPartition(place) },
        ConsistentRead: true,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    found += Items.length;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return found;
}

async function largestAnswer(
  directory: string,
  endpoint: string,
  key: string,
  { largestRounds }: Size,
): Promise<LargestReport> {
  const { source } = reviewCommentMetrics;
  const outputDirectory = join(directory, "functions");
  await bundleFunctions({ ...everyFunction, sources: [source], outputDirectory });
  const target = `/v1/metrics/review-comments?${windowQuery(measuredWeek)}`;
  return await runChild(
    new URL("./largest-answer.ts", import.meta.url),
    {
      bundle: join(outputDirectory, source, "index.mjs"),
      target,
      smallTarget: `${target}&limit=1`,
      key,
      rounds: largestRounds,
    },
    largestReport,
    { TABLE_NAME: localTableName, DYNAMODB_ENDPOINT: endpoint },
  );
}

function sectionOf({ pullRequests }: Size, walks: readonly Walk[], largest: LargestReport): Section {
  const ratio = median(walks.map(({ oursMs, bareMs }) => bareMs / oursMs));
  const perSecond = (ms: number) => Math.round(pullRequests / (ms / 1000));
  const { answerBytes, idleBytes, peakBytes, heapBytes, times } = largest;
  const aboveIdle = (peakBytes - idleBytes) / 1e6;
  return {
    prose: [
      `A walk reads ${pullRequests.toLocaleString("en-US")} pull requests with eight findings each, in pages of 1,000, through the client, the ` +
        "local gateway, the handler in its own process, and the engine. The comparison is a Query loop through the " +
        "same client over the same items, without any conversion. Both take turns; the ratio is the median of the " +
        "ratios of all rounds, in pull requests per second.",
      "The largest answer: the bundled function runs alone in a fresh process and compresses with gzip. Memory is " +
        "the peak of the process above its memory after a small request. Time is the whole request including the " +
        "engine. The comparison is `JSON.stringify` and gzip (level 1) of the same records, which are already in " +
        "memory.",
    ],
    targets: [
      atLeast("pull requests a second, of a bare Query loop's", ratio, throughputRatioMin),
      atMost("the largest answer: MB above idle", aboveIdle, memoryMegabytesMax),
    ],
    tables: [
      tableOf("Pull requests a second", [
        {
          "of the bare loop's": rounded(ratio),
          "through the whole stack": perSecond(median(walks.map(({ oursMs }) => oursMs))),
          "bare Query loop": perSecond(median(walks.map(({ bareMs }) => bareMs))),
        },
      ]),
      tableOf("The largest answer", [
        {
          bytes: answerBytes,
          "pull requests": largest.pullRequests,
          "MB above idle, resident": rounded(aboveIdle, 0),
          "heap and buffers": rounded(heapBytes / 1e6, 0),
          "MB idle": rounded(idleBytes / 1e6, 0),
          "time, of stringify and gzip": rounded(median(times.map(({ oursMs, bareMs }) => oursMs / bareMs))),
          ms: Math.round(median(times.map(({ oursMs }) => oursMs))),
          "ms, stringify and gzip": Math.round(median(times.map(({ bareMs }) => bareMs))),
        },
      ]),
    ],
    pictures: [],
  };
}
