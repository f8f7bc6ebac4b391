import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { createRole } from "../../../lib/people/custom-roles.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { parseOrganization } from "../../../lib/store/items/organization.ts";
import { organizationKey } from "../../../lib/store/layout.ts";
import type { Item } from "../../../lib/store/table.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { type Fault, type StoreRequest, useFaultyEngine } from "../../support/faulty-engine.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { buildFaultWorld, type FaultWorld, type Route, routesOf } from "./routes.ts";
import { readAll, restore, type State, stable, stateOf } from "./state.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const faults = [
  "throttle",
  "conflict",
  "server_error",
  "lost_before",
  "lost_after",
] as const satisfies Fault[];

let faultWorld: FaultWorld;
let before: ReadonlyMap<string, Item>;
let nowMs = Date.now();
let struck = 0;

beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  faultWorld = await buildFaultWorld(world, async (uuid, name) => {
    const item = await world.deps.table.get(organizationKey(uuid));
    if (!item) throw new Error(`There is no organization ${uuid}.`);
    const fields = {
      name,
      description: null,
      is_default: false,
      permissions: undefined,
      duplicateFrom: undefined,
    };
    return (await createRole({ ...world.deps, ...operatorOrigin }, parseOrganization(item), fields)).role.id;
  });
  // The first call makes the keys of cursors, which then are there for all.
  await api.call("/v1/organizations", { key: faultWorld.keys.workspace });
  before = await readAll(api.store().table);
  // Waiting between tries is not what is tested; deadlines are left as they are.
  const sleep = systemClock.sleep.bind(systemClock);
  vi.spyOn(systemClock, "sleep").mockImplementation((ms, signal) => sleep(ms > 1_000 ? ms : 0, signal));
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
}, timeoutMs);
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  console.info(`faults at every call site of people, roles, audit log and organizations: ${struck} faults`);
});

/** Every run that changes something starts from the same table; each in a new minute, with empty windows. */
async function begin({ method }: Route): Promise<void> {
  engine.inject();
  if (method !== "GET") await restore(api.store().table, before);
  aMinuteLater();
}

function aMinuteLater(): void {
  nowMs += 61_000;
  vi.setSystemTime(nowMs);
}

const stateNow = async (): Promise<State> => stateOf(await readAll(api.store().table), before);

const send = ({ key, target, status: _, doneBefore: __, ...rest }: Route): Promise<Answer> =>
  api.call(target, { key: faultWorld.keys[key], ...rest });

const told = ({ status, json }: Answer): string =>
  `${status} ${stable(json)?.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"an id"')}`;

type Clean = { readonly answer: string; readonly state: State; readonly calls: readonly StoreRequest[] };

/** The request without any fault, and every call to the store that it makes. */
async function playClean(route: Route): Promise<Clean> {
  await restore(api.store().table, before);
  await begin(route);
  const calls: StoreRequest[] = [];
  engine.inject((call) => {
    calls.push(call);
    return undefined;
  });
  const answer = await send(route);
  expect(answer.status).toBe(route.status);
  return { answer: told(answer), state: await stateNow(), calls };
}

/** The item a call is about first: with the kind of call, its place in the code. */
const siteOf = ({ operation, body }: StoreRequest): string =>
  `${operation} ${/"pk":\{"S":"([^"]+)"/.exec(body)?.[1] ?? /"S":"([^"]+)"/.exec(body)?.[1]}`;

/** A read goes through without the limiter; a throttled limiter counts as full. */
function answersAllowed(site: string, fault: Fault, route: Route): readonly string[] {
  if (site.startsWith("UpdateItem LIMIT#")) {
    if (fault === "throttle") return ["429 RATE_LIMIT_EXCEEDED"];
    return route.method === "GET" ? ["clean"] : ["503 SERVICE_UNAVAILABLE"];
  }
  const isBeside =
    site.startsWith("UpdateItem KEY#") || (route.status === 403 && !site.startsWith("BatchGetItem KEY#"));
  return isBeside ? ["clean"] : ["503 SERVICE_UNAVAILABLE"];
}

describe("every call that an operation makes to the store fails", () => {
  test.each(faults)(
    "once (%s): nobody notices, and the table is what it would have been",
    async (fault) => {
      for (const [name, route] of Object.entries(routesOf(faultWorld))) {
        const clean = await playClean(route);
        for (let nth = 1; nth <= clean.calls.length; nth++) {
          await begin(route);
          engine.inject(({ count }) => (count === nth ? fault : undefined));
          const answer = await send(route);
          struck++;
          const site = `${name}, call ${nth}`;
          expect([site, told(answer)]).toEqual([site, clean.answer]);
          if (route.method !== "GET") expect([site, await stateNow()]).toEqual([site, clean.state]);
        }
      }
    },
    timeoutMs,
  );

  test.each(isLong ? faults : (["throttle", "lost_before", "lost_after"] as const))(
    "for good (%s): a documented answer, and the same request later does it",
    async (fault) => {
      for (const [name, route] of Object.entries(routesOf(faultWorld))) {
        const clean = await playClean(route);
        for (const site of new Set(clean.calls.map(siteOf))) {
          await begin(route);
          engine.inject((call) => (siteOf(call) === site ? fault : undefined));
          const answer = await send(route);
          struck++;
          const who = `${name} at ${site}`;
          const said = told(answer) === clean.answer ? "clean" : `${answer.status} ${answer.codes[0]}`;
          expect([who, answersAllowed(site, fault, route)]).toEqual([who, expect.arrayContaining([said])]);
          expect(answer.body.toString()).not.toContain("hunter2");
          await expectRepair(who, route, clean);
        }
      }
    },
    timeoutMs,
  );
});

test("reading changes nothing, whatever fails", async () => {
  const unchanged = stateOf(before, before);
  for (const route of Object.values(routesOf(faultWorld)).filter(({ method }) => method === "GET")) {
    const { calls, state } = await playClean(route);
    expect(state.things).toEqual(unchanged.things);
    await begin(route);
    engine.inject(({ count }) => (count === calls.length ? "lost_after" : undefined));
    await send(route);
    expect((await stateNow()).things).toEqual(unchanged.things);
  }
});

/** Repeated without faults it succeeds, or says that it was done; each change is told of at least once. */
async function expectRepair(who: string, route: Route, clean: Clean): Promise<void> {
  engine.inject();
  aMinuteLater();
  const again = await send(route);
  const isDone = route.doneBefore !== undefined && again.codes[0] === route.doneBefore;
  if (!isDone) expect([who, told(again)]).toEqual([who, clean.answer]);
  if (route.method === "GET") return;
  const { things, told: entries } = await stateNow();
  expect([who, things]).toEqual([who, clean.state.things]);
  expect([who, clean.state.told.filter((entry) => !entries.includes(entry))]).toEqual([who, []]);
}
