import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions, everyFunction, functionSources } from "../../../../infra/bundle.ts";
import { listOrganizations } from "../../../../lib/contract/operations/organizations.ts";
import { required } from "../../../../lib/runtime/required.ts";
import {
  bundleBareClient,
  type ColdStart,
  coldStartRatioMax,
  measureColdStarts,
} from "../../../support/cold-start.ts";
import { bundlePeers, installPeers, peers } from "../peers.ts";
import { atMost, rounded, type Section, type SectionModule, type Target, tableOf } from "../section.ts";
import { type FirstRequests, firstRequestRows, firstRequests, firstRequestTarget } from "./first-request.ts";

const fullRounds = 20;
const quickRounds = 2;
const againFactor = 3;
const bareName = "bare DynamoDB client";

type Bundle = {
  readonly name: string;
  readonly file: string;
  readonly kind: "bare" | "ours" | "peer";
  /** The modules that the import loads. */
  readonly bytes: number;
};
type Measured = Bundle & ColdStart;

export const section: SectionModule = {
  title: "Cold start",
  async run({ quick, say }) {
    installPeers(say);
    const directory = await mkdtemp(join(tmpdir(), "cold-start-"));
    try {
      const bundles = await bundleAll(directory, quick);
      const rounds = quick ? quickRounds : fullRounds;
      say(`${bundles.length} bundles, ${rounds} fresh processes each`);
      const measured = await timed(bundles, rounds);
      const slowest = slowestOf(measured, named(measured, bareName));
      say(`again, ${againFactor} times as often: the slowest and the bare client`);
      const again = await timed(
        bundles.filter(({ name }) => name === bareName || slowest.some((each) => each.name === name)),
        rounds * againFactor,
      );
      say("import and first request");
      return sectionOf(measured, again, await firstRequests(directory, rounds), rounds);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function timed(bundles: readonly Bundle[], rounds: number): Promise<readonly Measured[]> {
  const times = await measureColdStarts(
    bundles.map(({ file }) => file),
    rounds,
  );
  const byFile = new Map(times.map((each) => [each.file, each]));
  return bundles.map((bundle) => ({ ...bundle, ...required(byFile.get(bundle.file), bundle.name) }));
}

const named = (measured: readonly Measured[], name: string): Measured =>
  required(
    measured.find((each) => each.name === name),
    name,
  );

async function bundleAll(directory: string, quick: boolean): Promise<readonly Bundle[]> {
  const sources = quick ? [listOrganizations.source] : functionSources;
  const bare = join(directory, "bare.mjs");
  await bundleBareClient(bare);
  const functions = join(directory, "functions");
  const ours = await bundleFunctions({ ...everyFunction, sources, outputDirectory: functions });
  const others = await bundlePeers(join(directory, "peers"));
  const fileOf = (folder: string, source: string) => join(directory, folder, source, "index.mjs");
  return [
    { name: bareName, file: bare, kind: "bare", bytes: statSync(bare).size },
    ...ours.map(
      ({ source, bytes }): Bundle => ({
        name: source,
        file: fileOf("functions", source),
        kind: "ours",
        bytes,
      }),
    ),
    ...others.map(({ source, bytes }): Bundle => {
      const name = peers.find((peer) => peer.source === source)?.name ?? source;
      return { name, file: fileOf("peers", source), kind: "peer", bytes };
    }),
  ];
}

function sectionOf(
  measured: readonly Measured[],
  again: readonly Measured[],
  first: FirstRequests,
  rounds: number,
): Section {
  const bare = named(measured, bareName);
  const ours = named(measured, listOrganizations.source);
  const rows = (kinds: readonly Bundle["kind"][], base: Measured) =>
    measured
      .filter(({ kind, name }) => kinds.includes(kind) || name === base.name)
      .toSorted((one, other) => one.medianMs - other.medianMs)
      .map((each) => ({
        bundle: each.name,
        [`of ${base.name}`]: rounded(each.medianMs / base.medianMs),
        KB: rounded(each.bytes / 1000, 0),
        "ms, median": rounded(each.medianMs, 1),
        "ms, least": rounded(each.leastMs, 1),
        "ms of CPU, least": rounded(each.processorMs, 1),
      }));
  return {
    prose: [
      "Import: a fresh process loads the bundle, as Lambda does before the first request. The versions take " +
        `turns; a figure is the median of ${rounds}. The bare client is AWS's own DynamoDB client alone, bundled, with ` +
        "one instance. The peers answer the same endpoint as `organizations/list` with our access and store code, " +
        "bundled with our settings. The largest of fifty medians is large by chance: the slowest are measured again, " +
        `${againFactor} times as often, for the targets.`,
      "Import and first request: a fresh process loads the bundle and answers one `GET /v1/organizations` on the " +
        "engine. The bare handler only makes the same calls with AWS's SDK. It is bundled in two ways: plainly, as " +
        "most are, and with our settings.",
    ],
    targets: [...importTargets(again), firstRequestTarget(first)],
    tables: [
      tableOf("Every function against the bare client", rows(["ours"], bare)),
      tableOf("The same endpoint with other frameworks", rows(["peer", "bare"], ours)),
      tableOf("Import and first request", firstRequestRows(first)),
    ],
    pictures: [],
    figures: { coldStartMs: ours.medianMs },
  };
}

const ratioOf = (one: ColdStart, other: ColdStart): number => one.medianMs / other.medianMs;

/** The slowest among those with the same bound. */
function slowestOf(measured: readonly Measured[], bare: Measured): readonly Measured[] {
  const ours = Map.groupBy(
    measured.filter(({ kind }) => kind === "ours"),
    ({ name }) => coldStartRatioMax(name),
  );
  return Array.from(ours.values(), (functions) =>
    functions.reduce((one, other) => (ratioOf(other, bare) > ratioOf(one, bare) ? other : one)),
  );
}

const importTargets = (again: readonly Measured[]): Target[] =>
  slowestOf(again, named(again, bareName)).map((slowest) =>
    atMost(
      `import of ${slowest.name}, of the bare client's`,
      ratioOf(slowest, named(again, bareName)),
      coldStartRatioMax(slowest.name),
    ),
  );
