import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { resumeMoves } from "../../../lib/organizations/move.ts";
import { moveLogs } from "../../../lib/organizations/move-log.ts";
import { MoveProgress } from "../../../lib/organizations/move-progress.ts";
import { repairTable } from "../../../lib/organizations/repair.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import { november, type Reader, readerOf } from "../../metrics/support.ts";
import { useApi } from "../../support/api.ts";
import { urlOf } from "../../support/event-data.ts";
import { scanAll } from "../../support/scan-all.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;
let rounds = 0;
let workspace = "";
let reader: Reader;
let ids: string[] = [];
const idOf = (name: string) => `${workspace}-${name}`;
const save = (name: string, change: object = {}) =>
  world.organization(idOf(name), { workspace_id: workspace, ...change });
const sendPullRequest = (name: string, number: number, change: object = {}) =>
  world.pullRequest(github(idOf(name)), `${name}-${number}`, change);
const urls = (name: string, ...numbers: number[]) => numbers.map((number) => urlOf(`${name}-${number}`));

beforeEach(async () => {
  workspace = `restored-${rounds++}`;
  await world.workspace(workspace);
  ids = [];
  for (const name of ["a", "b"]) {
    ids.push(await save(name));
    await world.repository(github(idOf(name)), "9001");
  }
  reader = readerOf(api, (await world.token(workspace)).text);
});

const everything = (): Promise<Item[]> => scanAll(table());

/** Restores the table to `point`, discarding later changes; then repairs the table. */
async function restore(point: readonly Item[]) {
  const kept = new Set(point.map(({ pk, sk }) => `${pk} ${sk}`));
  const later = (await everything()).filter(({ pk, sk }) => !kept.has(`${pk} ${sk}`));
  await table().writeMany([
    ...later.map(({ pk, sk }) => ({ delete: { pk, sk } })),
    ...point.map((put) => ({ put })),
  ]);
  return await repairTable(world.deps);
}

const refused = [400, ["INVALID_CURSOR"], expect.stringContaining("restored from a backup")];
async function answerOf(path: string, cursor: string | undefined, read = reader) {
  const { status, codes, message } = await read.get(`${path}&cursor=${cursor}`);
  return [status, codes, message];
}

describe("after a restore and a repair", () => {
  const path = `review-comments?${november}`;

  test("a cursor that saw a lost change of the scope is refused, and epochs are not reused", async () => {
    await sendPullRequest("a", 1);
    await sendPullRequest("b", 1);
    await save("b", { plan: "pro" });
    const point = await everything();
    await save("b");
    const { resume } = await reader.page(path);
    const report = await restore(point);
    await save("b");
    const stored = await table().get(kinds.scopeEpochs.key({ tenant: workspaceTenant(workspace) }));

    expect(await answerOf(path, resume)).toEqual(refused);
    expect((await reader.page(path)).urls).toEqual([...urls("a", 1), ...urls("b", 1)]);
    expect(report).toMatchObject({ rowsRepaired: 0 });
    expect(Number(stored?.n)).toBeGreaterThan(1_000_000);
  });

  test("a mirror whose removals are lost is refused; one organization's cursor without removals stays valid", async () => {
    await sendPullRequest("a", 1);
    const point = await everything();
    const one = `${path}&org_id=${idOf("a")}`;
    const [mirror, plain] = [await reader.page(`${one}&include_removed=true`), await reader.page(one)];
    await sendPullRequest("a", 1, { comments: [] });
    await restore(point);
    await sendPullRequest("a", 2);

    expect(await answerOf(`${one}&include_removed=true`, mirror.resume)).toEqual(refused);
    expect((await reader.page(`${one}&cursor=${plain.resume}`)).urls).toEqual(urls("a", 2));
  });

  test("a Learnings cursor from before the repair is refused, one from after the repair stays valid", async () => {
    const [organization = ""] = ids;
    await world.member(github(idOf("a")), "u-admin", { role: "cr_admin" });
    const key = await world.adminKey(organization);
    const get = (cursor = "") => api.call(`/v1/learnings?limit=10${cursor}`, { key });
    const post = (learning: string) =>
      api.call("/v1/learnings", { key, body: { data: [{ repository_id: "9001", learning }] } });
    await post("before");
    const point = await everything();
    await post("lost");
    const { headers } = await get();
    await restore(point);
    const answer = await get(`&cursor=${headers["x-resume-cursor"]}`);

    expect([answer.status, answer.codes, answer.message]).toEqual(refused);
    const fresh = await get();
    expect(fresh.json).toMatchObject({ data: [{ learning: "before" }] });
    expect((await get(`&cursor=${fresh.headers["x-resume-cursor"]}`)).status).toBe(200);
  });

  test("an organization whose rows were only half restored is complete again", async () => {
    const tenant = workspaceTenant(workspace);
    const [, b = ""] = ids;
    const stray = kinds.tenantOrganization.key({
      tenant: workspaceTenant(`${workspace}-left`),
      organization: b,
    });
    await sendPullRequest("b", 1);
    const row = await table().get(kinds.tenantOrganization.key({ tenant, organization: b }));
    const ahead = {
      ...row,
      ...kinds.tenantOrganization.key({ tenant, organization: b }),
      visible_epoch: 900,
    };
    await table().writeMany([
      { put: ahead },
      { put: { ...row, ...stray } },
      { delete: kinds.organizationDirectory.key({ providerId: idOf("b"), organization: b }) },
    ]);
    expect((await reader.page(path)).urls).toEqual([]);

    const report = await repairTable(world.deps);

    expect(report.rowsRepaired).toBe(2);
    expect((await reader.page(path)).urls).toEqual(urls("b", 1));
    expect(
      await table().getMany([
        stray,
        kinds.organizationDirectory.key({ providerId: idOf("b"), organization: b }),
      ]),
    ).toEqual([undefined, expect.objectContaining({ uuid: b })]);
    expect(await repairTable(world.deps)).toMatchObject({ rowsRepaired: 0 });
  });

  test("organizations and heads are repaired side by side, so that many stop the service only briefly", async () => {
    const most = { transact: 0, write: 0 };
    const now = { transact: 0, write: 0 };
    const counted = async <Answer>(name: keyof typeof most, call: () => Promise<Answer>) => {
      most[name] = Math.max(most[name], ++now[name]);
      return await call().finally(() => now[name]--);
    };
    const own = table();
    const watched: Table = {
      ...own,
      transact: (...given) => counted("transact", () => own.transact(...given)),
      write: (...given) => counted("write", () => own.write(...given)),
    };
    await world.organization(idOf("alone"), { workspace_id: null });
    await world.repository(github(idOf("alone")), "9001");
    for (const name of ["a", "alone"]) await sendPullRequest(name, 1);

    await repairTable({ ...world.deps, table: watched });

    expect(Math.min(most.transact, most.write)).toBeGreaterThan(1);
  });

  test("an organization that was moving continues to move, even if the note of its move was not restored", async () => {
    const [, b = ""] = ids;
    const leaving = workspaceTenant(`${workspace}-left`);
    await table().write({
      update: kinds.organization.key({ organization: b }),
      change: { set: [["leaving", leaving]] },
    });
    expect(await resumeMoves(world.deps)).toBe(0);

    await repairTable(world.deps);

    expect(await resumeMoves(world.deps)).toBe(1);
    expect(await table().get(kinds.organization.key({ organization: b }))).not.toHaveProperty("leaving");
  });

  test("a move that goes on after a repair notes how far it has got, from the beginning", async () => {
    const [, b = ""] = ids;
    const moving = { leaving: workspaceTenant(`${workspace}-left`), arrived: "the move" };
    const set = Object.entries(moving);
    await table().write({ update: kinds.organization.key({ organization: b }), change: { set } });
    const note = {
      ...kinds.moving.key({ organization: b }),
      arrived: "the move",
      done: ["people", "learnings", "metrics"],
    };
    await table().write({ put: { ...note, busy_until_ms: Date.now() + 600_000 } });

    await repairTable(world.deps);

    const organization = await organizationOf(table(), b);
    const progress = await MoveProgress.read(table(), organization);
    expect(progress.isDone("people")).toBe(false);
    await progress.finish("people");
    expect((await MoveProgress.read(table(), organization)).isDone("people")).toBe(true);
    expect(await resumeMoves(world.deps)).toBe(1);
  });

  test("an audit log that was on its way arrives, even if the note of its move was not restored", async () => {
    await world.workspace(`${workspace}-next`);
    const [a = ""] = ids;
    await save("a", { workspace_id: `${workspace}-next` });
    await table().write({ delete: kinds.movingLog.key({ organization: a }) });

    await repairTable(world.deps);

    const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 180_000 };
    expect(await moveLogs({ ...world.deps, clock: later })).toBe(1);
    expect(await table().get(kinds.organization.key({ organization: a }))).not.toHaveProperty("log_behind");
  });
});

test("without a repair a cursor that is catching up to a lost epoch is refused", async () => {
  await save("b", { plan: "pro" });
  for (const number of [1, 2]) await sendPullRequest("b", number);
  const { resume } = await reader.page(`review-comments?${november}`);
  const key = kinds.scopeEpochs.key({ tenant: workspaceTenant(workspace) });
  const point = await table().get(key);
  await save("b");
  const half = await reader.page(`review-comments?${november}&limit=1&cursor=${resume}`);
  expect(half.urls).toEqual(urls("b", 1));
  if (point) await table().write({ put: point });
  expect(await answerOf(`review-comments?${november}`, half.next ?? "")).toEqual(refused);
});
