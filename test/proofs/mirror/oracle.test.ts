import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "../../../lib/client/client.ts";
import { ReviewApiError } from "../../../lib/client/error.ts";
import { type Dice, dice } from "../../../lib/local/demo/dice.ts";
import { exportFormats } from "../../../lib/mirror/format.ts";
import {
  type ExportQuery,
  type ExportSource,
  type ExportWalk,
  learnings,
  metricsSources,
} from "../../../lib/mirror/sources.ts";
import { useDev } from "../../cli/support.ts";
import { item, verbsOf } from "../../learnings/fixture.ts";
import { useApi } from "../../support/api.ts";
import { mcp } from "../../support/event-data.ts";
import { organizationOf } from "../../support/stored.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";
import { Crash, CrashingDisk } from "./model.ts";
import { Platform, waysOut } from "./platform.ts";
import { expectMirror, quickDisk, rowsIn, runMirror } from "./property.ts";

const api = useApi();
const world = new World(() => api.store().table);
const dev = useDev();
let folder = "";
beforeAll(async () => {
  folder = await dev.folder();
});

/** Short pages, so that many changes happen between them. */
const pageSize = 3;
/** The rate limit of a workspace: an export that waits for it takes a minute. */
const callsMax = 50;

const filters: Readonly<Record<string, readonly ExportQuery[]>> = {
  reviews: [{}, { status: "all" }, { status: "closed" }],
  metrics: [{}, { repository_ids: "9001" }, { user_ids: "4411" }],
  learnings: [{}, { repository_ids: "9001" }],
};
const november = { start_date: "2026-11-01", end_date: "9999-12-31" };

type Case = {
  readonly name: string;
  readonly source: ExportSource;
  readonly what: "metrics" | "learnings";
  queries(): readonly ExportQuery[];
};
const metricsCase = (name: keyof typeof metricsSources): Case => ({
  name,
  source: metricsSources[name],
  what: "metrics",
  queries: () =>
    [...(filters.metrics ?? []), ...(name === "reviews" ? (filters.reviews ?? []) : [])].map((filter) => ({
      ...november,
      ...filter,
    })),
});
const cases: readonly Case[] = [
  metricsCase("review-comments"),
  metricsCase("reviews"),
  metricsCase("mcp"),
  { name: "learnings", source: learnings, what: "learnings", queries: () => filters.learnings ?? [] },
];

const seeds = volume(1, 120);
const runsPerSeed = volume(4, 6);

test.each(cases)(
  "a mirror of $name equals a fresh export, on the service's own handlers",
  { timeout: timeoutMs },
  async (each) => {
    for (let seed = seedOfRun() * 1_000; seed < seedOfRun() * 1_000 + seeds; seed++)
      await oneSeed(each, seed).catch((error: unknown) => {
        throw new Error(`${each.name}, seed ${seed}`, { cause: error });
      });
  },
);

test("the check detects a mirror that ignores removals", { timeout: timeoutMs }, async () => {
  const [last] = cases.slice(-1);
  if (!last) throw new Error("There are no cases.");
  const deaf = { ...last, name: "deaf", source: withoutRemovals(last.source) };
  await expect(oneSeed(deaf, 1_000)).rejects.toThrow(/deeply equal/);
});

test.each(cases)(
  "a mirror of $name is emptied when its last Enterprise organization leaves, in every way",
  async ({ name, source, what, queries }) => {
    for (const wayOut of waysOut) {
      const workspace = `last-${name}-${Object.keys(wayOut)}`;
      const id = github(workspace);
      const save = (change: object = {}) =>
        world.organization(workspace, { workspace_id: workspace, ...change });
      await world.workspace(workspace);
      const uuid = await save();
      await world.repository(id, "9001");
      if (what === "metrics") await world.pullRequest(id, 1, mcp);
      else
        await verbsOf(api.store().table).post(
          { organization: await organizationOf(api.store().table, uuid), authorId: "ann" },
          item("Name the unit.", { repository_id: "9001" }),
        );
      const [query = {}] = queries();
      const client = clientOf((await world.token(workspace)).text);
      const walk = source.walk(client, { query, format: "ndjson", followsRemovals: true });
      const request = { what: name, format: "ndjson", query } as const;
      const file = join(folder, `${workspace}.ndjson`);
      await runMirror(file, walk, request);
      expect(await rowsIn(file, walk.layout)).toHaveLength(1);

      await save(wayOut);
      const notes: string[] = [];
      await runMirror(file, walk, request, { notify: (sentence) => notes.push(sentence) });

      expect([await rowsIn(file, walk.layout), notes]).toEqual([[], []]);
    }
  },
);

const withoutRemovals = (source: ExportSource): ExportSource => ({
  ...source,
  walk: (client, options) => source.walk(client, { ...options, followsRemovals: false }),
});

async function oneSeed({ name, source, what, queries }: Case, seed: number): Promise<void> {
  const random = dice(`${name} ${seed}`);
  const platform = new Platform(world, api.store().table, random, `mirror-${name}-${seed}`);
  const key = await platform.begin();
  let calls = 0;
  const client = clientOf(key, () => calls++);
  const [firstFormat, ...otherFormats] = exportFormats;
  const format = random.pick([firstFormat, ...otherFormats]);
  const [firstQuery = {}, ...otherQueries] = queries();
  const organization: ExportQuery = random.percent(20) ? { org_id: `github:${platform.sharedNumber}` } : {};
  const query = { ...random.pick([firstQuery, ...otherQueries]), ...organization };
  const walk = source.walk(client, { query, format, followsRemovals: true });
  const request = { what: name, format, query };
  const file = join(folder, `${name}-${seed}.${format}`);
  for (let run = 0; run < runsPerSeed && calls < callsMax; run++) {
    for (let changes = random.below(8); changes > 0; changes--) await platform.change(what);
    const busy = duringPages({ ...walk, pageSizeMax: pageSize }, random, () => platform.change(what));
    const refused = await untilDone(random, (disk) => runMirror(file, busy, request, { disk }));
    const fresh = expectMirror(file, `${file}.${run}.fresh`, walk, request);
    // An organization that left the workspace cannot be read, neither by a mirror nor by a fresh export.
    if (refused === undefined) await fresh;
    else await expect(fresh).rejects.toThrow(refused);
  }
}

const clientOf = (key: string, onCall: () => void = () => undefined): Client =>
  createClient({
    baseUrl: "http://service.test",
    key,
    fetch: async (url) => {
      onCall();
      const { pathname, search } = new URL(String(url));
      const { status, headers, body } = await api.call(`${pathname}${search}`, { key });
      return new Response(new Uint8Array(body), { status, headers: plain(headers) });
    },
  });

/** The gateway has already decompressed the body. */
const plain = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-(encoding|length)$/.test(name)));

const duringPages = (walk: ExportWalk, random: Dice, change: () => Promise<void>): ExportWalk => ({
  ...walk,
  async page(place) {
    if (random.percent(30)) await change();
    return await walk.page(place);
  },
});

/** The only refusals that a mirror may meet here: the scope has no organization left that it can read. */
const leftScope = ["ENTERPRISE_PLAN_REQUIRED", "ORGANIZATION_NOT_FOUND"];

/** Ends the process a few times on the way. Returns the service's refusal of the export, if there is one. */
async function untilDone(
  random: Dice,
  run: (disk: CrashingDisk) => Promise<unknown>,
): Promise<string | undefined> {
  for (let crashes = 0; ; crashes++) {
    const steps = crashes < 2 && random.percent(50) ? random.below(50) : 10_000;
    const outcome = await run(new CrashingDisk(quickDisk, random, steps)).catch((error: unknown) => error);
    if (outcome instanceof Crash) continue;
    if (outcome instanceof ReviewApiError && leftScope.includes(outcome.code)) return outcome.message;
    if (outcome instanceof Error) throw outcome;
    return undefined;
  }
}
