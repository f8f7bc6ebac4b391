import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { operations } from "../../../lib/contract/operations.ts";
import {
  expireWaiting,
  type InternalFunction,
  internalFunctions,
  workers,
} from "../../../lib/contract/workers.ts";
import { required } from "../../../lib/runtime/required.ts";
import { timeoutMs } from "../../support/volume.ts";
import { builtOnce } from "../../system/infra/build.ts";
import { askedByCaller, callsInBundle, neverMade } from "./bundle-sites.ts";
import { marked, markedWalk } from "./caller.ts";
import { type Case, casesOf, type How, takenAsDone } from "./cases.ts";
import { FaultRunner } from "./fault-runner.ts";
import { ItemRecording } from "./item-recording.ts";
import { portsUnderOtherNames, struckElsewhere, writtenSites } from "./sites.ts";
import type { Wire } from "./wire.ts";

/** Everything that leaves a function leaves through the request handler of an SDK client. */
const door = vi.hoisted((): { wire?: Wire } => ({}));
vi.mock("../../../lib/runtime/aws-handler.ts", async (original) => {
  const real = await original<typeof import("../../../lib/runtime/aws-handler.ts")>();
  const createRequestHandler: typeof real.createRequestHandler = (options) =>
    door.wire?.door(real.createRequestHandler, options) ?? real.createRequestHandler(options);
  return { ...real, createRequestHandler };
});

/** And these ports are the only way to send them. */
vi.mock("../../../lib/store/table.ts", async (original) => {
  const real = await original<typeof import("../../../lib/store/table.ts")>();
  return {
    ...real,
    queryAll: markedWalk(real.queryAll),
    queryPages: markedWalk(real.queryPages),
    writeIf: marked(real.writeIf),
    transactIf: marked(real.transactIf),
    queryUpTo: markedWalk(real.queryUpTo),
    readFew: marked(real.readFew),
  };
});
vi.mock("../../../lib/store/dynamo.ts", async (original) => {
  const real = await original<typeof import("../../../lib/store/dynamo.ts")>();
  const createDynamoTable: typeof real.createDynamoTable = (options) => {
    const table = real.createDynamoTable(options);
    return { ...marked(table), metered: (meter) => marked(table.metered(meter)) };
  };
  return { ...real, createDynamoTable };
});
vi.mock("../../../lib/store/bounded.ts", async (original) => {
  const real = await original<typeof import("../../../lib/store/bounded.ts")>();
  const boundedTable: typeof real.boundedTable = (...given) => marked(real.boundedTable(...given));
  return { ...real, boundedTable };
});
vi.mock("../../../lib/events/bounded.ts", async (original) => {
  const real = await original<typeof import("../../../lib/events/bounded.ts")>();
  const boundedDeps: typeof real.boundedDeps = (...given) => {
    const deps = real.boundedDeps(...given);
    return { ...deps, bucket: marked(deps.bucket), deadLetters: marked(deps.deadLetters) };
  };
  return { ...real, boundedDeps };
});
vi.mock("../../../lib/access/admission.ts", async (original) => {
  const real = await original<typeof import("../../../lib/access/admission.ts")>();
  const gatedTable: typeof real.gatedTable = (...given) => marked(real.gatedTable(...given));
  return { ...real, gatedTable };
});
vi.mock("../../../lib/store/vectors.ts", async (original) => {
  const real = await original<typeof import("../../../lib/store/vectors.ts")>();
  const createVectorSearch: typeof real.createVectorSearch = (options) =>
    marked(real.createVectorSearch(options));
  return { ...real, createVectorSearch };
});
vi.mock("../../../lib/events/s3.ts", async (original) => {
  const real = await original<typeof import("../../../lib/events/s3.ts")>();
  const s3Bucket: typeof real.s3Bucket = (...given) => marked(real.s3Bucket(...given));
  return { ...real, s3Bucket };
});
vi.mock("../../../lib/events/sqs.ts", async (original) => {
  const real = await original<typeof import("../../../lib/events/sqs.ts")>();
  const sqsQueue: typeof real.sqsQueue = (...given) => marked(real.sqsQueue(...given));
  const sqsDeadLetters: typeof real.sqsDeadLetters = (...given) => marked(real.sqsDeadLetters(...given));
  const createSqsCall: typeof real.createSqsCall = (...given) => marked(real.createSqsCall(...given));
  return { ...real, sqsQueue, sqsDeadLetters, createSqsCall };
});
vi.mock("../../../lib/index/bedrock-embedder.ts", async (original) => {
  const real = await original<typeof import("../../../lib/index/bedrock-embedder.ts")>();
  const createBedrockEmbedder: typeof real.createBedrockEmbedder = (...given) =>
    marked(real.createBedrockEmbedder(...given));
  return { ...real, createBedrockEmbedder };
});

const recording = new ItemRecording();
const faultRunner = new FaultRunner(door, recording.isWanted ? recording.see : undefined);
let cases: readonly Case[] = [];
const struck = new Map<string, number>();

/** The calls of ports that are in the bundle of each function. */
let sitesOf: ReadonlyMap<string, typeof writtenSites>;

beforeAll(async () => {
  // Before the runner changes the clock.
  const { bundleOf } = await builtOnce();
  sitesOf = new Map(
    [...operations, ...workers, ...internalFunctions].map(({ id, source }) => {
      const calls = callsInBundle(bundleOf(source));
      return [id, writtenSites.filter((site) => calls.has(site.id))];
    }),
  );
  await faultRunner.open();
  cases = casesOf(faultRunner.cleanRuns);
}, timeoutMs);
afterAll(() => {
  faultRunner.close();
  const sum = [...struck.values()].reduce((one, other) => one + other, 0);
  const parts = [...struck].map(([fault, count]) => `${fault}: ${count}`).join(", ");
  const laterCalls = cases.filter(({ nth }) => nth > 1).length;
  console.info(
    `faults: ${sum} strikes (${laterCalls} at a last call) at ${writtenSites.length} call sites of ` +
      `${faultRunner.cleanRuns.size} scenarios; ${parts}`,
  );
});

const callsMade = () => [...faultRunner.cleanRuns.values()].flatMap(({ calls }) => calls);

describe("the calls of store, queue, bucket and embedder", () => {
  test("the scenarios make exactly the calls of store, queue, bucket and embedder that are in the source", () => {
    const made = new Set(callsMade().map(({ site }) => site));
    const written = new Set(
      writtenSites.filter(({ name }) => !Object.hasOwn(struckElsewhere, name)).map(({ id }) => id),
    );
    expect([...written.difference(made)]).toEqual([]);
    expect([...made.difference(written)]).toEqual([]);
  });

  test("no call of a port hides behind another name", () => {
    expect(portsUnderOtherNames).toEqual([]);
  });

  test("every walk is read past its first page", () => {
    const walks = writtenSites.filter(({ isPaging }) => isPaging).map(({ id }) => id);
    expect(walks.length).toBeGreaterThan(20);
    expect(walks.filter((site) => !faultRunner.readOn.has(site))).toEqual([]);
  });

  test("every call that takes a failed condition as done is on the list", () => {
    const names = writtenSites.map(({ name }) => name);
    expect(takenAsDone.filter((name) => !names.includes(name))).toEqual([]);
  });
});

test("every operation, and every worker and internal function that uses the table, has a scenario", () => {
  const covered = new Set([...faultRunner.cleanRuns.values()].map(({ scenario }) => scenario.covers));
  const functions: readonly InternalFunction[] = [...workers, ...internalFunctions];
  const users = functions.filter(({ reads, writes }) => reads || writes);
  const all = [...operations, ...users].map(({ id }) => id);
  expect(all.filter((id) => !covered.has(id))).toEqual([]);
});

test.runIf(recording.isWanted)("items of every kind are recorded", async () => {
  // After the mocks: it imports them.
  const { countTry } = await import("../../../lib/events/tries.ts");
  const { store } = faultRunner;
  await countTry(store, { id: "recorded", group: "g", body: "{}" });
  recording.see([required(await store.table.get(kinds.tries.key({ messageId: "recorded" })), "tries")]);
  for (const call of callsMade()) recording.seePuts(call);
  recording.write();
});

async function playAll(how: How): Promise<void> {
  const wrong: string[] = [];
  for (const each of faultRunner.inOrder(cases.filter((one) => one.how === how))) {
    const problem = await faultRunner.run(each).catch((error: unknown) => `throws ${error}`);
    struck.set(each.fault, (struck.get(each.fault) ?? 0) + 1);
    if (problem) wrong.push(`${each.scenario} at ${each.site} (call ${each.nth}), ${each.fault}: ${problem}`);
  }
  expect(wrong).toEqual([]);
}

describe("a call that fails", () => {
  test(
    "a call that fails once is not noticed, and the table is as without the fault",
    () => playAll("once"),
    timeoutMs,
  );
  test(
    "a call that keeps failing ends in a documented answer, and the same request later succeeds",
    () => playAll("for good"),
    timeoutMs,
  );
  test(
    "a call that fails together with the whole process loses nothing: the same request again succeeds",
    () => playAll("crash"),
    timeoutMs,
  );
});

const idsOf = (sites: typeof writtenSites) => sites.map(({ id }) => id);

/** The last tests: all runs above count, also what a function does after a fault and when the clock has moved. */
describe("the role of each function in the template", () => {
  test("it allows every call of the table that its function makes, in every branch that a scenario reaches", () => {
    const { grants } = faultRunner;
    expect(grants.functions.length).toBeGreaterThan(operations.length);
    expect(grants.functions.flatMap((id) => grants.refused(id))).toEqual([]);
  });

  test("it allows what any function or operator asks at a call that is in its function's bundle", () => {
    const { grants } = faultRunner;
    const refused = [...sitesOf].flatMap(([id, sites]) => {
      const places = new Set(grants.refusedAt(id, idsOf(sites)));
      return sites
        .filter((site) => places.has(site.id))
        .map(({ name }) => ({ name, call: `${id}: ${name}` }));
    });
    const others = refused.filter(({ name }) => !Object.hasOwn(askedByCaller, name));
    expect(others.map(({ call }) => call)).toEqual(Object.keys(neverMade));
    expect(new Set(refused.map(({ name }) => name))).toEqual(
      new Set([...Object.keys(askedByCaller), ...others.map(({ name }) => name)]),
    );
  });

  test("a missing grant is noticed even if only another function made the call", () => {
    const { grants } = faultRunner;
    const id = expireWaiting.id;
    const lacking: ReturnType<typeof grants.statementsOf> = JSON.parse(
      JSON.stringify(grants.statementsOf(id)).replaceAll('"TEAMS#*"', '"NONE"'),
    );
    expect(grants.refused(id, lacking)).toEqual([]);
    const places = grants.refusedAt(id, idsOf(sitesOf.get(id) ?? []), lacking);
    expect(places.map((place) => place.split(":", 1)[0])).toContain("lib/people/save-team.ts");
  });

  test("it allows the calls that other tests make fail", () => {
    const { grants } = faultRunner;
    const asked = Object.entries(struckElsewhere).flatMap(([site, { asks }]) =>
      asks ? [{ site, asks }] : [],
    );
    expect(asked.length).toBeGreaterThan(2);
    const allowed = (id: string, { asks }: (typeof asked)[number]) =>
      grants.allows(id, asks.action, asks.partition, asks.inTransaction);
    for (const each of asked) {
      const callers = [...sitesOf].filter(([, sites]) => sites.some(({ name }) => name === each.site));
      expect(callers.length).toBeGreaterThan(0);
      expect([each.site, callers.flatMap(([id]) => (allowed(id, each) ? [] : [id]))]).toEqual([
        each.site,
        [],
      ]);
    }
    expect(asked.filter((each) => each.asks.action !== "PutItem" && allowed("whoami", each))).toEqual([]);
  });

  test("a role that lacks a grant is noticed: with the role of another function, calls are refused", () => {
    const { grants } = faultRunner;
    expect(grants.refused("approveDue", grants.statementsOf("whoami"))).not.toEqual([]);
    const [, ...others] = grants
      .statementsOf("approveDue")
      .filter(({ Action }) => Action.some((action) => action.startsWith("dynamodb:")));
    expect(grants.refused("approveDue", others)).not.toEqual([]);
  });
});
