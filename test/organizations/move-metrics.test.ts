import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { completeMove, resumeMoves } from "../../lib/organizations/move.ts";
import { readHead } from "../../lib/stream/head.ts";
import { readPage } from "../../lib/stream/read-page.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { useApi } from "../support/api.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const merged = (name: string, number: number) =>
  world.pullRequest(github(name), number, {
    repository_id: "r1",
    merged_at: `2026-${number % 2 ? "10" : "09"}-02T00:00:00.000Z`,
  });

test("an organization that changes tenant takes its pull requests along, and reads as preparing meanwhile", async () => {
  const target = "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31";
  const uuid = await world.organization("mover");
  await world.repository(github("mover"), "r1");
  await world.member(github("mover"), "boss", { role: "cr_admin" });
  const own = await world.adminKey(uuid, "boss");
  for (let number = 1; number <= 12; number++) await merged("mover", number);
  const before = await api.call(`${target}&limit=5`, { key: own });
  const { next_cursor: oldCursor } = before.json as { next_cursor: string };
  await world.workspace("shelter");
  const { text: token } = await world.token("shelter");

  await world.organization("mover", { workspace_id: "shelter" });

  for (const key of [own, token]) {
    const answer = await api.call(target, { key });
    const { data } = answer.json as { data: Array<{ pr_url: string }> };
    expect(data.map(({ pr_url }) => pr_url).toSorted()).toHaveLength(12);
  }
  expect((await api.call(`${target}&limit=5&cursor=${oldCursor}`, { key: own })).codes).toEqual([
    "INVALID_CURSOR",
  ]);
  await merged("mover", 13);
  expect((await api.call(target, { key: token })).json).toMatchObject({ data: { length: 13 } });

  // An interrupted move: the organization's items still record its old tenant.
  const copies = [
    kinds.organization.key({ organization: uuid }),
    kinds.tenantOrganization.key({ tenant: workspaceTenant("shelter"), organization: uuid }),
  ];
  for (const update of copies) {
    await api.store().table.write({ update, change: { set: [["leaving", `o#${uuid}`]] } });
  }
  await api.store().table.write({ put: kinds.moving.key({ organization: uuid }) });
  for (const key of [own, token]) {
    const answer = await api.call(target, { key });
    expect([answer.status, answer.codes]).toEqual([503, ["METRICS_PREPARING"]]);
    expect(answer.message).toContain("mover");
  }
  await resumeMoves(world.deps);
  for (const key of [own, token]) expect((await api.call(target, { key })).status).toBe(200);
});

test("a page that is read while its organization moves is refused, never reported as the last page", async () => {
  const uuid = await world.organization("flier");
  await world.repository(github("flier"), "r1");
  await world.member(github("flier"), "boss", { role: "cr_admin" });
  for (let number = 1; number <= 5; number++) await merged("flier", number);
  await world.workspace("nest");
  const { table } = api.store();
  const head = await readHead(table, `o#${uuid}`);
  await world.organization("flier", { workspace_id: "nest" });

  const page = await readPage(table, {
    tenant: `o#${uuid}`,
    organization: uuid,
    dataset: "review-comments",
    window: { startMs: 0, endMs: Date.parse("2027-01-01") },
    after: 0,
    limit: 10,
    eligible: () => true,
    responseBytesMax: 1_000_000,
    head,
    isStillHere: async () =>
      (await table.get(kinds.organization.key({ organization: uuid })))?.tenant === `o#${uuid}`,
  });

  expect(page).toEqual({ outcome: "moved" });
});

test("the clock worker finishes an interrupted move without another event", async () => {
  await world.organization("stuck");
  await world.repository(github("stuck"), "r1");
  for (let number = 1; number <= 3; number++) await merged("stuck", number);
  await world.workspace("harbour");
  const { table } = api.store();
  const dying = new World(() => ({
    ...table,
    transact: async (writes) => {
      // The organization's own items are written; the first batch of its pull requests is not.
      if (writes.some((write) => "put" in write && write.put.pk.startsWith("S#"))) throw new Error("cut off");
      await table.transact(writes);
    },
  }));
  // Its note is committed, so the event is applied; the clock worker finishes the failed part.
  await dying.organization("stuck", { workspace_id: "harbour" });
  const target = "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31";
  const { text: token } = await world.token("harbour");
  expect((await api.call(target, { key: token })).codes).toEqual(["METRICS_PREPARING"]);

  expect(await resumeMoves(world.deps)).toBe(1);

  expect((await api.call(target, { key: token })).json).toMatchObject({ data: { length: 3 } });
  expect(await resumeMoves(world.deps)).toBe(0);
});

test("a late move of an organization that has moved again takes nothing back and is not marked complete", async () => {
  const uuid = await world.organization("nomad");
  await world.repository(github("nomad"), "r1");
  for (let number = 1; number <= 3; number++) await merged("nomad", number);
  for (const name of ["oasis", "market"]) await world.workspace(name);
  const { table } = api.store();
  await world.organization("nomad", { workspace_id: "oasis" });
  const late = { ...(await organizationOf(table, uuid)), leaving: `o#${uuid}` as const };
  await world.organization("nomad", { workspace_id: "market" });

  await expect(completeMove(world.deps, late)).rejects.toThrow(StreamBusy);

  const target = "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31";
  const { text: token } = await world.token("market");
  expect((await api.call(target, { key: token })).json).toMatchObject({ data: { length: 3 } });
});
