import { describe, expect, test } from "vitest";
import * as z from "zod";
import { noteKeys } from "../../../lib/access/key-notes.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { isOf } from "../../../lib/contract/kind.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { decideLearning } from "../../../lib/learnings/approval.ts";
import { required } from "../../../lib/runtime/required.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { newsPuts } from "../../../lib/store/news.ts";
import { queryAll } from "../../../lib/store/table.ts";
import { updateWebhook } from "../../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { scanAll } from "../../support/scan-all.ts";
import { github, gitlab } from "../../support/world.ts";
import type { Receiver } from "../../webhooks/support.ts";
import { dayMs, hourMs, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, endpointOfInstance, managed, run, store, world } = useRinging();

describe("the ring of a thing", () => {
  test("names the Learnings that wait for approval and the repositories that were scanned", async () => {
    await world().workspace("acme");
    const uuid = await company("one", { workspace_id: "acme", approval_delay_days: 3 });
    await company("two", { workspace_id: "acme", approval_delay_days: 3 });
    const types = ["learning.pending", "security.scan_completed"] as const;
    const whole = await endpoint("w#acme", types);
    const single = await endpoint(uuid, types);
    await run();
    expect([typesOf(whole.receiver), typesOf(single.receiver)]).toEqual([[], []]);
    for (const name of ["one", "two"]) {
      await world().learning(github(name), `Wait in ${name}.`);
      await world().scan(github(name), { repository_id: "9001" });
    }
    await run(4);
    const things = ({ heard }: Receiver) => Object.fromEntries(heard.map(({ type, data }) => [type, data]));
    expect(things(single.receiver)).toMatchObject({
      "learning.pending": { learnings: [{ organization_id: "one", learning_id: expect.any(String) }] },
      "security.scan_completed": { scans: [{ organization_id: "one", repository_id: "9001" }] },
    });
    expect(things(whole.receiver)["security.scan_completed"]).toEqual({
      scans: expect.arrayContaining([
        { organization_id: "two", repository_id: "9001" },
        { organization_id: "one", repository_id: "9001" },
      ]),
      resume: { operation: "listSecurityFindings" },
    });
    expect(whole.receiver.heard).toHaveLength(2);
    await run(4);
    expect(whole.receiver.heard).toHaveLength(2);
  });

  test("names what waits besides a damaged Learning, and rings for other things too", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const { receiver } = await endpoint(uuid, ["learning.pending", "security.scan_completed"]);
    for (const text of ["Is damaged.", "Wait."]) await world().learning(github("one"), text);
    await world().scan(github("one"), { repository_id: "9001" });
    const learnings = (await scanAll(store().table)).filter((item) => isOf(kinds.learning, item));
    const damaged = required(
      learnings.find((item) => item.text === "Is damaged."),
      "the one",
    );
    await store().table.write({ put: { ...damaged, state: 1 } });
    await run(4);
    const waiting = receiver.heard.find(({ type }) => type === "learning.pending");
    expect(waiting?.data.learnings).toHaveLength(1);
    expect(typesOf(receiver).toSorted()).toEqual(["learning.pending", "security.scan_completed"]);
  });

  test("names no Learning that was approved, disapproved or deleted, also after the webhook was switched on", async () => {
    const uuid = await company("one", { approval_delay_days: 3 });
    const { receiver, id } = await endpoint(uuid, ["learning.pending"]);
    const { scope, manager } = await managed(uuid);
    for (const text of ["Approve.", "Disapprove.", "Delete.", "Wait."])
      await world().learning(github("one"), text);
    const learnings = (await scanAll(store().table)).filter((item) => isOf(kinds.learning, item));
    const idOf = (text: string) =>
      required(
        learnings.find((item) => item.text === text),
        text,
      ).sk;
    await decideLearning(manager, uuid, idOf("Approve."), "approved");
    await decideLearning(manager, uuid, idOf("Disapprove."), "disapproved");
    await store().table.write({
      delete: kinds.learning.key({ organization: uuid, learningId: idOf("Delete.") }),
    });
    const named = () => receiver.heard.splice(0).flatMap(({ data }) => data.learnings);
    await run(4);
    expect(named()).toEqual([{ organization_id: "one", learning_id: idOf("Wait.") }]);
    await updateWebhook(manager, scope, id, { active: false });
    await updateWebhook(manager, scope, id, { active: true });
    await run(2);
    expect(named()).toEqual([{ organization_id: "one", learning_id: idOf("Wait.") }]);
  });

  test("tells a workspace nothing of an organization that has left, before its notes have moved", async () => {
    await world().workspace("acme");
    await world().workspace("other");
    const uuid = await company("one", { workspace_id: "acme" });
    await company("two", { workspace_id: "acme" });
    const [left, joined] = [
      await endpoint("w#acme", ["security.scan_completed"]),
      await endpoint("w#other", ["security.scan_completed"]),
    ];
    await world().organization("one", { workspace_id: "other" });
    const note = { type: "security.scan_completed", id: "9001", nowMs: clock().now } as const;
    for (const tenant of ["acme", "other"].map(workspaceTenant))
      await store().table.writeMany(newsPuts({ tenant, organization: uuid }, note));
    await run(3);
    expect([left, joined].map(({ receiver }) => receiver.heard.map(({ data }) => data.scans))).toEqual([
      [],
      [[{ organization_id: "one", repository_id: "9001" }]],
    ]);
  });

  test("names a key 14, 3 and 1 days before it expires, each once", async () => {
    const uuid = await company();
    const { key } = await world().key({
      kind: "organization",
      organization: uuid,
      owner: "u-admin",
      role: "cr_admin",
      expiresInDays: 20,
    });
    const ends = clock().now + 20 * dayMs;
    const { receiver } = await endpoint(uuid, ["key.expiring"]);
    const days: number[] = [];
    for (let quarter = 0; quarter < 21 * 4; quarter++) {
      clock().now += 6 * hourMs - minuteMs;
      await run();
      for (const { data } of receiver.heard.splice(0)) {
        expect(data.keys).toEqual([{ key_id: key.id, expires_at: new Date(ends).toISOString() }]);
        days.push((ends - clock().now) / dayMs);
      }
    }
    expect(days.map((left) => Math.ceil(left))).toEqual([14, 3, 1]);
  });

  test("names no key that has already expired", async () => {
    const uuid = await company();
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    await world().key({ ...by, expiresInDays: 2 });
    const later = await world().key({ ...by, expiresInDays: 4 });
    const { receiver } = await endpoint(uuid, ["key.expiring"]);
    clock().advance(3.5 * dayMs);
    await run();
    expect(receiver.heard.map(({ data }) => data.keys)).toEqual([
      [{ key_id: later.key.id, expires_at: expect.any(String) }],
    ]);
  });

  test("names only keys that the list of keys shows to the owner of the webhook", async () => {
    await world().instance("hub");
    const [home, other, lapsed] = [
      await world().organization("home", { instance_id: "hub" }),
      await world().organization("other", { instance_id: "hub" }),
      await world().organization("lapsed", { instance_id: "hub" }),
    ];
    const by = { owner: "u-admin", role: "cr_admin", expiresInDays: 4 } as const;
    for (const name of ["home", "other", "lapsed"])
      await world().member(gitlab("hub", name), "u-admin", { role: "cr_admin" });
    const nameOfId = new Map<string, string>();
    for (const [name, organization] of Object.entries({ home, other, lapsed }))
      nameOfId.set((await world().key({ kind: "organization", organization, ...by })).key.id, `of ${name}`);
    for (const [name, authorized] of Object.entries({
      narrow: [home],
      wide: [home, other],
      all: undefined,
    })) {
      const request = { kind: "instance", instanceId: "hub", home, authorized, ...by } as const;
      nameOfId.set((await world().key(request)).key.id, name);
    }
    await world().organization("lapsed", { instance_id: "hub", plan: "pro" });
    const single = await endpoint(home, ["key.expiring"]);
    const some = await endpointOfInstance("hub", [home], ["key.expiring"]);
    const whole = await endpointOfInstance("hub", null, ["key.expiring"]);
    clock().advance(1.5 * dayMs);
    await run();
    const named = ({ heard }: Receiver) =>
      z
        .array(z.object({ key_id: z.string() }))
        .parse(heard[0]?.data.keys)
        .map(({ key_id }) => nameOfId.get(key_id))
        .toSorted();
    expect(named(single.receiver)).toEqual(["of home"]);
    expect(named(some)).toEqual(["narrow", "of home"]);
    expect(named(whole)).toEqual(["all", "narrow", "of home", "of other", "wide"]);
  });

  test("names keys without reading any key, a rotated one too, and none that ended", async () => {
    await world().workspace("acme");
    const uuid = await company("one", { workspace_id: "acme" });
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    const whole = await endpoint("w#acme", ["key.expiring"]);
    const single = await endpoint(uuid, ["key.expiring"]);
    const token = await world().token("acme", "u-admin", 4);
    const [kept, ended, rotated] = [
      await world().key({ ...by, expiresInDays: 4 }),
      await world().key({ ...by, expiresInDays: 4 }),
      await world().key({ ...by, expiresInDays: 4 }),
    ];
    await world().revoke(ended);
    const successor = await world().rotate(rotated, 90_000);
    clock().advance(dayMs);
    await run(3);
    const named = ({ heard }: Receiver) =>
      z
        .array(z.object({ key_id: z.string() }))
        .parse(heard.splice(0)[0]?.data.keys)
        .map(({ key_id }) => key_id)
        .toSorted();
    const ofOne = [kept.key.id, successor.key.id];
    expect(named(single.receiver)).toEqual(ofOne.toSorted());
    expect(named(whole.receiver)).toEqual([...ofOne, token.key.id].toSorted());
    // What the run costs does not depend on the number of keys: no key is read.
    const meter = new StoreMeter();
    clock().advance(minuteMs);
    await ringWebhooks(deps(store().table.metered(meter)));
    expect(meter.calls.filter(({ operation }) => operation !== "Query" && operation !== "GetItem")).toEqual(
      [],
    );
    // No note of an ended key is left for later.
    const items = JSON.stringify(await scanAll(store().table));
    expect(items.split(`#${ended.key.id}"`)).toHaveLength(items.split(`KEY#${ended.key.id}"`).length);
  });

  test("names a key that an earlier release made, from the next day on", async () => {
    const uuid = await company();
    const by = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    const { receiver } = await endpoint(uuid, ["key.expiring"]);
    const keys = [await world().key({ ...by, expiresInDays: 4 })];
    const revoked = await world().key({ ...by, expiresInDays: 4 });
    await world().revoke(revoked);
    const notes = await Array.fromAsync(queryAll(store().table, kinds.news.range({ tenant: `o#${uuid}` })));
    expect(notes.length).toBe(2);
    await store().table.writeMany(notes.map((note) => ({ delete: note })));
    clock().advance(hourMs);
    expect([await noteKeys(deps()), await noteKeys(deps())]).toEqual([2, 0]);
    // A note was due since the pass of the day before.
    keys.push(await world().key({ ...by, expiresInDays: 15 }));
    const late = await Array.fromAsync(queryAll(store().table, kinds.news.range({ tenant: `o#${uuid}` })));
    await store().table.writeMany(
      late.filter(({ id }) => id === keys[1]?.key.id).map((note) => ({ delete: note })),
    );
    clock().advance(dayMs + hourMs);
    expect(await noteKeys(deps())).toBe(3);
    receiver.heard.length = 0;
    await run(4);
    const named = (index: number) => [{ key_id: keys[index]?.key.id, expires_at: expect.any(String) }];
    expect(receiver.heard.splice(0).map(({ data }) => data.keys)).toEqual([named(0), named(1)]);
    clock().advance(2 * dayMs);
    expect(await noteKeys(deps())).toBe(0);
    await run(4);
    expect(receiver.heard.map(({ data }) => data.keys)).toEqual([named(0)]);
  });

  test("comes also if more things of others or of another type were noted since", async () => {
    await world().workspace("acme");
    await company("one", { workspace_id: "acme", approval_delay_days: 3 });
    const other = await company("two", { workspace_id: "acme" });
    const { receiver, stored } = await endpoint("w#acme", ["learning.pending"]);
    await world().learning(github("one"), "Wait.");
    const tenant = workspaceTenant("acme");
    const noteMany = (count: number) =>
      store().table.writeMany(
        Array.from({ length: count }, (_, index) => {
          const note = { type: "security.scan_completed", id: `r${index}`, nowMs: clock().now } as const;
          return newsPuts({ tenant, organization: other }, note);
        }).flat(),
      );
    clock().advance(1);
    await noteMany(1_100);
    clock().advance(1_000);
    await run(6);
    expect(receiver.heard.map(({ data }) => data.learnings)).toEqual([
      [{ organization_id: "one", learning_id: expect.any(String) }],
    ]);
    // What was read is not read again each minute.
    const meter = new StoreMeter();
    await ringWebhooks(deps(store().table.metered(meter)));
    expect(meter.readUnits).toBeLessThan(20);
    await noteMany(100);
    await run(4);
    expect((await stored()).rung["learning.pending"]).toContain("#r");
  });
});
