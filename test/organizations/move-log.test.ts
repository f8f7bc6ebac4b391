import { expect, test } from "vitest";
import { auditWritesFor, operatorOrigin } from "../../lib/audit/entry.ts";
import { organizationUuid } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { moveLogs } from "../../lib/organizations/move-log.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Key, Table } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { scanAll } from "../support/scan-all.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

/** After the requests that began before the move have ended. */
const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 180_000 };
const runSchedule = (table: Table = api.store().table) =>
  moveLogs({ table, clock: later, random: systemRandom });

const newRole = (key: string, name: string, org_id?: string) =>
  api.call("/v1/roles", { key, body: { name, ...(org_id !== undefined && { org_id }) } });

type Walk = { readonly entries: readonly string[]; readonly resume: string };
async function walk(key: string, cursor?: string): Promise<Walk> {
  const entries: string[] = [];
  let next = cursor;
  for (;;) {
    const place = next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`;
    const { status, json, headers } = await api.call(`/v1/audit-logs?order=asc&limit=2${place}`, { key });
    expect(status).toBe(200);
    const page = json as { data: ReadonlyArray<{ summary: string }>; next_cursor: string | null };
    entries.push(...page.data.map(({ summary }) => summary));
    if (page.next_cursor === null) return { entries, resume: headers["x-resume-cursor"] ?? "" };
    next = page.next_cursor;
  }
}

async function twoWorkspaces(name: string) {
  const [from, to] = [`${name}-from`, `${name}-to`];
  for (const id of [from, to]) {
    await world.workspace(id);
    await world.organization(`${id}-other`, { workspace_id: id });
  }
  const uuid = await world.organization(name, { workspace_id: from });
  await world.member(github(name), "boss", { role: "cr_admin" });
  const own = await world.adminKey(uuid, "boss");
  const [tokenFrom, tokenTo] = [(await world.token(from)).text, (await world.token(to)).text];
  return { to, own, tokenFrom, tokenTo };
}

test("the whole audit log of an organization comes along, and its former workspace keeps what it had", async () => {
  const { to, own, tokenFrom, tokenTo } = await twoWorkspaces("mover");
  await newRole(tokenFrom, "by the token", "mover");
  const [before, arriving] = [await walk(tokenFrom), await walk(tokenTo)];
  await newRole(own, "after the last resume");

  await world.organization("mover", { workspace_id: to });

  const made = [/by the token/, /after the last resume/];
  const matching = (entries: readonly string[]) =>
    made.map((each) => entries.some((summary) => each.test(summary)));
  // The former workspace: the resumed walk gets what came before the move, and a fresh walk has all of it.
  expect(matching((await walk(tokenFrom, before.resume)).entries)[1]).toBe(true);
  expect(matching((await walk(tokenFrom)).entries)).toEqual([true, true]);
  // The new workspace: nothing of the organization until its log is whole, then all of it.
  const early = await walk(tokenTo, arriving.resume);
  expect(matching(early.entries)).toEqual([false, false]);
  expect(await runSchedule()).toBe(1);
  expect(matching((await walk(tokenTo, early.resume)).entries)).toEqual([true, true]);
  expect(matching((await walk(tokenTo)).entries)).toEqual([true, true]);
  await newRole(own, "written in the new workspace");
  expect((await walk(tokenFrom)).entries.join()).not.toMatch(/written in the new/);
  expect((await walk(tokenTo)).entries.join()).toMatch(/written in the new/);
});

test("copying a log continues after it was interrupted, and not before it is due", async () => {
  const { to, own, tokenTo } = await twoWorkspaces("long");
  for (const name of ["one", "two", "three"]) await newRole(own, name);
  await world.organization("long", { workspace_id: to });
  const { table } = api.store();
  expect(await moveLogs({ table, clock: systemClock, random: systemRandom })).toBe(0);
  const failing: Table = {
    ...table,
    write: async (write, options) => {
      if ("put" in write && write.put.pk.startsWith("AUDIT#")) throw new Error("interrupted");
      return await table.write(write, options);
    },
  };
  await expect(runSchedule(failing)).rejects.toThrow("interrupted");
  expect((await walk(tokenTo)).entries.join()).not.toMatch(/one/);
  expect(await runSchedule()).toBe(1);
  expect(await runSchedule()).toBe(0);
  expect((await walk(tokenTo)).entries.filter((summary) => /one|two|three/.test(summary))).toHaveLength(3);
});

test.each([
  ["to a third workspace", "third"],
  ["out of every workspace", null],
])(
  "entries made after an organization moved on, %s, stay out of the workspace it left",
  async (_, workspace_id) => {
    const name = `restless-${workspace_id}`;
    const { to, own, tokenTo } = await twoWorkspaces(name);
    if (workspace_id !== null) await world.workspace(workspace_id);
    await newRole(own, "before");
    await world.organization(name, { workspace_id: to });
    const { table } = api.store();
    let isGone = false;
    const movesOn: Table = {
      ...table,
      queryPage: async (range, ...words) => {
        if (range.pk.startsWith("AUDIT#") && !isGone) {
          isGone = true;
          await world.organization(name, { workspace_id });
          await newRole(own, "elsewhere");
        }
        return await table.queryPage(range, ...words);
      },
    };
    await runSchedule(movesOn);
    expect(isGone).toBe(true);
    expect((await walk(tokenTo)).entries.join()).not.toMatch(/elsewhere/);
  },
);

test("after a run that a further move overtakes, the last workspace gets the whole log", async () => {
  const { to, own } = await twoWorkspaces("overtaken");
  await world.workspace("overtaken-last");
  const tokenLast = (await world.token("overtaken-last")).text;
  for (const name of ["one", "two"]) await newRole(own, name);
  await world.organization("overtaken", { workspace_id: to });
  const { table } = api.store();
  let isGone = false;
  const movesOn: Table = {
    ...table,
    write: async (write, ...words) => {
      if ("put" in write && write.put.pk.startsWith("AUDIT#") && !isGone) {
        isGone = true;
        await world.organization("overtaken", { workspace_id: "overtaken-last" });
      }
      return await table.write(write, ...words);
    },
  };
  expect(await runSchedule(movesOn)).toBe(0);
  expect(isGone).toBe(true);
  expect(await runSchedule()).toBe(1);
  const names = (await walk(tokenLast)).entries.join();
  expect(names).toMatch(/one/);
  expect(names).toMatch(/two/);
});

test("an organization that moves on while its note is removed gets its log in the next workspace", async () => {
  const { to, own } = await twoWorkspaces("passing");
  await world.workspace("passing-last");
  await newRole(own, "early");
  await world.organization("passing", { workspace_id: to });
  await world.organization("passing", { workspace_id: null });
  const movesOn = () => world.organization("passing", { workspace_id: "passing-last" });
  await runSchedule(overtakenBy(api.store().table, movesOn, "write"));
  await runSchedule();
  const token = (await world.token("passing-last")).text;
  expect((await walk(token)).entries.join()).toMatch(/early/);
});

test("a log arrives although its organization moves on while its note is read", async () => {
  const { to, own } = await twoWorkspaces("between");
  await world.workspace("between-last");
  await newRole(own, "early");
  await world.organization("between", { workspace_id: to });
  const { table } = api.store();
  let moving: Promise<unknown> | undefined;
  const moveOn = async (keys: readonly Key[]) => {
    if (!keys.some(({ pk }) => pk === kinds.movingLog.partition())) return;
    moving ??= world.organization("between", { workspace_id: "between-last" });
    await moving;
  };
  const late: Table = {
    ...table,
    get: async (key, ...more) => {
      await moveOn([key]);
      return await table.get(key, ...more);
    },
    transactGet: async (keys, ...more) => {
      await moveOn(keys);
      return await table.transactGet(keys, ...more);
    },
  };
  await runSchedule(late);
  expect(moving).toBeDefined();
  await runSchedule();
  const token = (await world.token("between-last")).text;
  expect((await walk(token)).entries.join()).toMatch(/early/);
});

test("of two runs that complete a log at once, one counts it", async () => {
  const { to } = await twoWorkspaces("counted");
  await world.organization("counted", { workspace_id: to });
  const { table } = api.store();
  const ended: number[] = [];
  const late = overtakenBy(table, async () => ended.push(await runSchedule()));
  ended.push(await runSchedule(late));
  expect(ended).toEqual([1, 0]);
  const epochs = await table.get(kinds.scopeEpochs.key({ tenant: workspaceTenant(to) }));
  expect(epochs).toMatchObject({ logs: 1 });
});

test("a log that is whole when its organization has left counts nowhere, and leaves no row behind", async () => {
  const { to } = await twoWorkspaces("leaver");
  const uuid = await world.organization("leaver", { workspace_id: to });
  const { table } = api.store();
  const late = overtakenBy(table, () => world.organization("leaver", { workspace_id: null }));
  expect(await runSchedule(late)).toBe(0);
  const key = kinds.tenantOrganization.key({ tenant: workspaceTenant(to), organization: uuid });
  expect(await table.get(key)).toBeUndefined();
  const epochs = await table.get(kinds.scopeEpochs.key({ tenant: workspaceTenant(to) }));
  expect(epochs).not.toHaveProperty("logs");
});

test("an entry of a workspace about several organizations stays whole when one of them comes back", async () => {
  const { to } = await twoWorkspaces("guest");
  const from = "guest-from";
  const [guest, other] = [
    await world.organization("guest", { workspace_id: from }),
    organizationUuid(github("guest-from-other")),
  ];
  const tenant = workspaceTenant(from);
  const { table } = api.store();
  const puts = auditWritesFor(
    { ...world.deps, ...operatorOrigin },
    {
      action: "seats.assigned",
      resourceType: "seat",
      resourceId: null,
      summary: "both",
      tenant,
      organization: null,
      shownIn: [guest, other],
      metadata: {},
    },
  );
  for (const put of puts) await table.write(put);
  for (const workspace_id of [to, from]) await world.organization("guest", { workspace_id });
  expect(await runSchedule()).toBe(1);
  const entries = (await scanAll(table)).filter(
    ({ pk, summary }) => pk.startsWith(`AUDIT#${tenant}#`) && summary === "both",
  );
  expect(entries).toMatchObject([{ organizations: [guest, other] }]);
});
