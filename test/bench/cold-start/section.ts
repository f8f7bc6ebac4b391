import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions, everyFunction, functionSources } from "../../../infra/bundle.ts";
import { listOrganizations } from "../../../lib/contract/operations/organizations.ts";
import {
  bundleBareClient,
  type ColdStart,
  coldStartRatioMax,
  measureColdStarts,
} from "../../support/cold-start.ts";
import { bundlePeers, installPeers, peers } from "../peers.ts";
import { atMost, rounded, type Section, type SectionModule, type Target, tableOf } from "../section.ts";

const fullRounds = 20;
const quickRounds = 2;
const bareName = "bare DynamoDB client";

type Bundle = { readonly name: string; readonly file: string; readonly kind: "bare" | "ours" | "peer" };
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
      const files = bundles.map(({ file }) => file);
      const times = new Map((await measureColdStarts(files, rounds)).map((each) => [each.file, each]));
      return sectionOf(
        bundles.map((bundle) => ({ ...bundle, ...(times.get(bundle.file) ?? missing(bundle)) })),
        rounds,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function missing({ name }: Bundle): never {
  throw new Error(`${name} was not measured.`);
}

async function bundleAll(directory: string, quick: boolean): Promise<readonly Bundle[]> {
  const sources = quick ? [listOrganizations.source] : functionSources;
  const bare = join(directory, "bare.mjs");
  await bundleBareClient(bare);
  await bundleFunctions({ ...everyFunction, sources, outputDirectory: join(directory, "functions") });
  await bundlePeers(join(directory, "peers"));
  return [
    { name: bareName, file: bare, kind: "bare" },
    ...sources.map((source): Bundle => {
      return { name: source, file: join(directory, "functions", source, "index.mjs"), kind: "ours" };
    }),
    ...peers.map(({ source, name }): Bundle => {
      return { name, file: join(directory, "peers", source, "index.mjs"), kind: "peer" };
    }),
  ];
}

function sectionOf(measured: readonly Measured[], rounds: number): Section {
  const named = (name: string): Measured => {
    const found = measured.find((each) => each.name === name);
    if (!found) throw new Error(`${name} was not measured.`);
    return found;
  };
  const bare = named(bareName);
  const ours = named(listOrganizations.source);
  const rows = (kinds: readonly Bundle["kind"][], base: Measured) =>
    measured
      .filter(({ kind, name }) => kinds.includes(kind) || name === base.name)
      .toSorted((one, other) => one.medianMs - other.medianMs)
      .map((each) => ({
        bundle: each.name,
        [`of ${base.name}`]: rounded(each.medianMs / base.medianMs),
        KB: rounded(statSync(each.file).size / 1000, 0),
        "ms, median": rounded(each.medianMs, 1),
        "ms, least": rounded(each.leastMs, 1),
        "ms of CPU, least": rounded(each.processorMs, 1),
      }));
  return {
    prose: [
      `Import of the bundle in a fresh process, in turns, the median of ${rounds}: what Lambda does with a function's ` +
        "code before its first request. The bare client is AWS's own DynamoDB client alone, bundled and made once. " +
        "The peers answer the same endpoint as `organizations/list`, on our own access and store code (not on AWS's " +
        "SDK, which is most of what they would otherwise load), bundled with the same settings as ours.",
    ],
    targets: [slowestOf(measured, bare)],
    tables: [
      tableOf("Every function against the bare client", rows(["ours"], bare)),
      tableOf("The same endpoint with other frameworks", rows(["peer", "bare"], ours)),
    ],
    pictures: [],
    figures: { coldStartMs: ours.medianMs },
  };
}

/** The ratio of the medians, or of the least: another program may disturb either, not both. */
const ratioOf = (one: ColdStart, other: ColdStart): number =>
  Math.min(one.medianMs / other.medianMs, one.leastMs / other.leastMs);

function slowestOf(measured: readonly Measured[], bare: Measured): Target {
  const ours = measured.filter(({ kind }) => kind === "ours");
  const [worst = bare] = ours.toSorted((one, other) => ratioOf(other, bare) - ratioOf(one, bare));
  const name = `the slowest function (${worst.name}), of the bare client`;
  return atMost(name, ratioOf(worst, bare), coldStartRatioMax);
}
