import { describe, expect, test } from "vitest";
import * as z from "zod";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { newsPut } from "../../../lib/store/news.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { github, gitlab } from "../../support/world.ts";
import type { Receiver } from "../../webhooks/support.ts";
import { dayMs, hourMs, minuteMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, endpointOfInstance, run, store, world } = useRinging();

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

  test("comes also if more things of others or of another type were noted since", async () => {
    await world().workspace("acme");
    const uuid = await company("one", { workspace_id: "acme", approval_delay_days: 3 });
    const other = await company("two", { workspace_id: "acme" });
    const { receiver, stored } = await endpoint(uuid, ["learning.pending"]);
    await world().learning(github("one"), "Wait.");
    const tenant = workspaceTenant("acme");
    const noteMany = (count: number) =>
      store().table.writeMany(
        Array.from({ length: count }, (_, index) =>
          newsPut(
            { tenant, organization: other, nowMs: clock().now },
            "security.scan_completed",
            `r${index}`,
          ),
        ),
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
