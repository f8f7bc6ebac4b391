import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../lib/contract/operations.ts";
import { learningKey, organizationKey, roleKey } from "../../../lib/store/layout.ts";
import { useApi } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import { timeoutMs } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { type Cell, cellsOf } from "./cells.ts";
import { unmet } from "./combinations.ts";
import { expectedOf } from "./expected.ts";
import { requestOf, shownBy } from "./requests.ts";
import { type Row, rows } from "./table.ts";
import {
  buildInstance,
  buildStandalone,
  buildTwins,
  buildWorkspace,
  KeyStore,
  organizationsOf,
  plans,
  reachedOf,
  siblingsMode,
  type Tenant,
} from "./world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const keyStore = new KeyStore(world);
const lostTokens = new Map<string, string>();
const tenants: Tenant[] = [];
let foreign: Tenant | undefined;
let pace: Pace;

beforeAll(async () => {
  for (const plan of plans) {
    tenants.push(await buildWorkspace(world, plan, plan, plan), await buildInstance(world, plan, plan, plan));
    tenants.push(await buildStandalone(world, plan, plan));
  }
  tenants.push(await buildWorkspace(world, "mixed", "enterprise", "pro"));
  tenants.push(await buildInstance(world, "mixed", "pro", "enterprise"));
  tenants.push(await buildTwins(world));
  foreign = await buildWorkspace(world, "foreign", "enterprise", "enterprise");
  for (const { id } of tenants.filter(({ kind }) => kind === "workspace")) {
    const admins = ["u-admin", "u-was"].map((user_id) => ({ user_id, email: null }));
    await world.workspace(id, { admins });
    lostTokens.set(id, (await world.token(id, "u-was")).text);
    await world.workspace(id, { admins: admins.slice(0, 1) });
  }
  pace = new Pace(Date.now());
}, timeoutMs);
afterAll(() => pace.end());

test("every operation has a row in the table, and every row an operation", () => {
  const ids = operations.map(({ id }) => id);
  expect([...new Set(rows.map(({ id }) => id))].sort()).toEqual(ids.toSorted());
});

/** At most three operations share a bucket. */
const callsAtOnce = ({ perMinute }: Row): number => Math.floor(Number(perMinute) / 3);

async function play({ row, caller, selection }: Cell): Promise<string | undefined> {
  const { kind, tenant, role, isOwnerAdmin } = caller;
  const candidates = [...reachedOf(tenant), ...(foreign ? [foreign.home] : [])];
  const ask = { kind, selection, tenant, candidates };
  const key = isOwnerAdmin ? await keyStore.key(kind, tenant, role, row) : (lostTokens.get(tenant.id) ?? "");
  const request = requestOf(row, ask);
  const call = (body = request.body) =>
    pace.run(`${tenant.id}|${row.operation}`, callsAtOnce(row), () =>
      api.call(request.target, { key, method: request.method, ...(body && { body }) }),
    );
  const answer = await call();
  const isSet = row.id === "setSeatAssignment" && (await isModeSet(tenant));
  if (isSet) await call({ mode: "automatic" });
  const expected = expectedOf(row, caller, selection);
  const shown = expected.organizations && shownBy(row, answer, ask);
  const actual = {
    status: answer.status,
    code: answer.codes[0] ?? null,
    limit: answer.headers["x-ratelimit-limit"],
    isCounted: answer.headers["x-ratelimit-remaining"] !== undefined,
    isSet,
    ...(shown && { shown: [...shown].sort() }),
  };
  const wanted = {
    status: expected.status,
    code: expected.code,
    limit: row.perMinute,
    isCounted: expected.isAdmitted,
    isSet: row.id === "setSeatAssignment" && expected.isAdmitted,
    ...(shown && { shown: expected.organizations?.map(({ mark }) => mark).sort() }),
  };
  if (JSON.stringify(actual) === JSON.stringify(wanted)) return undefined;
  const cell = nameOf({ row, caller, selection });
  return `${cell}: ${JSON.stringify(actual)} and not ${JSON.stringify(wanted)}; ${answer.message}`;
}

/** All answers repeat the requested value: only the table shows whether the home organization changed. */
async function isModeSet({ home }: Tenant): Promise<boolean> {
  const item = await api.store().table.get(organizationKey(home.uuid));
  return item?.seat_assignment_mode === siblingsMode;
}

const nameOf = ({ row, caller, selection }: Cell) => {
  const who = [caller.kind, caller.role, caller.isOwnerAdmin ? "" : "lost admin", caller.tenant.id];
  return `${row.operation} · ${who.filter(Boolean).join(" ")} · ${selection.selector}`;
};

describe("who may call what", () => {
  test(
    "every cell of the matrix answers as the table says",
    async () => {
      const home = foreign?.home;
      if (!home) throw new Error("The world is built first.");
      const perTenant = tenants.map((tenant) => cellsOf(tenant, home));
      expect(unmet(perTenant.flat())).toEqual([]);
      const differences = await Promise.all(
        perTenant.map(async (cells) => {
          const found: string[] = [];
          for (const cell of cells) found.push(...[await play(cell)].filter((each) => each !== undefined));
          return found;
        }),
      );
      const cells = perTenant.flat().length;
      console.info(`authorization matrix: ${cells} cells, ${differences.flat().length} differences`);
      expect(differences.flat()).toEqual([]);
      expect(cells).toBeGreaterThan(700);
    },
    timeoutMs,
  );

  test("the calls of the matrix delete nothing that was out of reach", async () => {
    const keys = [...tenants, foreign]
      .flatMap((tenant) => (tenant ? organizationsOf(tenant) : []))
      .flatMap(({ uuid, learningId, roleId }) => [learningKey(uuid, learningId), roleKey(uuid, roleId)]);
    const items = await api.store().table.getMany(keys);
    expect(items.filter((item) => item === undefined)).toEqual([]);
    console.info(`authorization matrix: ${items.length} Learnings and roles, all still there`);
    expect(items.length).toBeGreaterThan(50);
  });
});
