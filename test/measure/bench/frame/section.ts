import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleFunctions, everyFunction } from "../../../../infra/bundle.ts";
import { reviewCommentMetrics } from "../../../../lib/contract/operations/metrics.ts";
import { listOrganizations } from "../../../../lib/contract/operations/organizations.ts";
import { bundlePeers, installPeers } from "../peers.ts";
import { atMost, rounded, type Section, type SectionModule, type Target, tableOf } from "../section.ts";
import { type AgainstBare, againstBare } from "./against-bare.ts";
import { againstPeers } from "./against-peers.ts";
import { type CpuRounds, median, medianRatio, type Rounds, storeAlone } from "./contest.ts";

const sizes: Readonly<Record<"full" | "quick", { engine: Rounds; stub: Rounds }>> = {
  full: {
    engine: { rounds: 31, requestsPerRound: 120, warmUpRequests: 1_500 },
    stub: { rounds: 41, requestsPerRound: 200, warmUpRequests: 3_000 },
  },
  quick: {
    engine: { rounds: 3, requestsPerRound: 20, warmUpRequests: 40 },
    stub: { rounds: 3, requestsPerRound: 40, warmUpRequests: 100 },
  },
};

export const section: SectionModule = {
  title: "Frame cost",
  async run({ quick, say }) {
    const { engine, stub } = sizes[quick ? "quick" : "full"];
    const bundles = await mkdtemp(join(tmpdir(), "frame-"));
    try {
      await bundleAll(bundles, say);
      say("against a bare handler, on the engine");
      const bare = await againstBare(bundles, engine);
      say("against the peers, on a stubbed store");
      return sectionOf(bare, await againstPeers(bundles, stub));
    } finally {
      await rm(bundles, { recursive: true, force: true });
    }
  },
};

async function bundleAll(bundles: string, say: (line: string) => void): Promise<void> {
  installPeers(say);
  await bundleFunctions({
    ...everyFunction,
    sources: [listOrganizations.source, reviewCommentMetrics.source],
    outputDirectory: bundles,
  });
  await bundleFunctions({
    sources: ["store-client", "aws-sdk"],
    sourceDirectory: fileURLToPath(new URL("./bare/", import.meta.url)),
    outputDirectory: join(bundles, "bare"),
  });
  await bundlePeers(join(bundles, "peers"));
}

function sectionOf(bare: readonly AgainstBare[], peer: CpuRounds): Section {
  return {
    prose: [
      "The bare handler only makes the same DynamoDB calls on the local engine and renders the result, with AWS's " +
        "SDK as most people use it.",
      "The frameworks answer `GET /v1/organizations`. Each version follows the framework's documentation. All use " +
        "the same code for access, paging and the store, and write the same log line, headers and body; this is " +
        "checked byte for byte before measuring (errors by status and code). A stub at `http.request` replaces the " +
        "store, so each version pays for its signing and JSON. Only our version watches a deadline and meters its " +
        "calls.",
      "There is no target against the frameworks: the best of them tie with ours within 8 %, less than two runs differ, so a " +
        "target would steer nothing.",
      "Each version runs warm in its own process, and the versions take turns. A figure is that process's CPU " +
        "time per request. A ratio is the median of the ratios of all rounds.",
    ],
    targets: bare.map(chainTarget),
    tables: [
      tableOf(
        "CPU of the chain, as a multiple of a bare handler's",
        bare.map(({ name, calls, cpu }) => ({
          request: name,
          "DynamoDB calls": calls.join(", "),
          "of a bare handler on AWS's SDK": rounded(medianRatio(cpu, "ours", "bare, AWS SDK")),
          "of one on our store's client": rounded(medianRatio(cpu, "ours", "bare, our client")),
          "µs ours": Math.round(median(cpu.get("ours") ?? [])),
          "µs bare, AWS SDK": Math.round(median(cpu.get("bare, AWS SDK") ?? [])),
          "µs bare, our client": Math.round(median(cpu.get("bare, our client") ?? [])),
        })),
      ),
      tableOf("CPU of the same endpoint, as a multiple of ours", peerRows(peer)),
    ],
    pictures: [],
    figures: { cpuMicrosecondsPerRequest: median(peer.get("ours") ?? []) },
  };
}

const chainTarget = ({ name, ratioMax, cpu }: AgainstBare): Target =>
  atMost(
    `${name}: CPU, of a bare handler's on AWS's SDK`,
    medianRatio(cpu, "ours", "bare, AWS SDK"),
    ratioMax,
  );

/** All contestants make the store's calls; the time above that is the endpoint and its frame. */
const peerRows = (cpu: CpuRounds) =>
  [...cpu.keys()]
    .toSorted((one, other) => median(cpu.get(one) ?? []) - median(cpu.get(other) ?? []))
    .map((name) => ({
      "written with": name,
      "of ours": rounded(medianRatio(cpu, name, "ours")),
      "over the store's calls, of ours": rounded(overStore(cpu, name) / overStore(cpu, "ours")),
      "µs a request": Math.round(median(cpu.get(name) ?? [])),
    }));

const overStore = (cpu: CpuRounds, name: string): number =>
  median((cpu.get(name) ?? []).map((value, round) => value - (cpu.get(storeAlone)?.[round] ?? 0)));
