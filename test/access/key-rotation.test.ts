import { describe, expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { reachOf } from "../../lib/access/key-reach.ts";
import { listKeysOfOrganization } from "../../lib/access/key-registry.ts";
import { touchLastUsed, withUse } from "../../lib/access/last-used.ts";
import { revokeWithinReach, rotateWithinReach } from "../../lib/access/manage-keys.ts";
import { actorOf } from "../../lib/access/principal.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotate, rotateKey } from "../../lib/access/rotate-key.ts";
import { type Actor, operator, operatorOrigin } from "../../lib/audit/entry.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as itemKinds from "../../lib/contract/items.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { TimeUp } from "../../lib/runtime/time-up.ts";
import { boundedTable } from "../../lib/store/bounded.ts";
import type { KeyItem } from "../../lib/store/items/key.ts";
import { StoreUnavailable, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { tableWith } from "../support/partial-table.ts";
import { everyKindOfKey, github, keysOf } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";
import { keyItem, principalOf } from "./principals.ts";

const { store, clock, world, now, stored, auditEntriesOf } = useKeyRegistry();

describe("rotation", () => {
  test("rotation makes a successor with the same rights, named on the old key, which ends after the grace", async () => {
    const { home } = await everyKindOfKey(world, "rotation");
    const old = await world.key({
      kind: "instance",
      instanceId: "rotation-instance",
      home,
      owner: "u-admin",
      role: "cr_admin",
      authorized: [home],
      name: "export",
      expiresInDays: 10,
    });
    clock.advance(1_000);
    const { key, text } = await world.rotate(old, 60);
    expect(text).toMatch(/^rk_instance_/);
    const { pk: _pk, sk: _sk, id: _id, hash: _hash, created_at: _created, ...same } = old.key;
    expect(key).toMatchObject(same);
    expect(key.created_at).toBe(now());
    expect(await stored(old.key.id)).toMatchObject({
      rotated_to: key.id,
      expires_at_ms: clock.nowMs() + 60_000,
    });
    expect(await auditEntriesOf(old.key.id)).toMatchObject([
      { action: "key.created" },
      {
        action: "key.rotated",
        summary: `key rotated: instance key ${old.key.id}`,
        metadata: { successor_id: key.id, organizations: ["rotation-home"] },
      },
    ]);
  });

  test("rotation gives the new key the current tenant of an organization that has moved", async () => {
    const organization = await world.organization("mover");
    await world.member(github("mover"), "u1");
    const old = await world.key({ kind: "user", organization, owner: "u1" });
    await world.workspace("mover-home");
    await world.organization("mover", { workspace_id: "mover-home" });
    expect((await world.rotate(old, 0)).key.tenant).toBe("w#mover-home");
  });

  test("rotation of a workspace token makes a token of the same workspace and owner, without an organization", async () => {
    await world.workspace("rotation-house");
    const old = await world.token("rotation-house");
    const { key, organizations } = await rotate(world.deps, old.key, { graceSeconds: 60, actor: operator });
    const { kind, workspace_id, owner, name, expires_at_ms } = old.key;
    expect(await stored(key.id)).toMatchObject({ kind, workspace_id, owner, name, expires_at_ms });
    expect([key.organization, organizations]).toEqual([null, null]);
    expect(await stored(old.key.id)).toMatchObject({ rotated_to: key.id });
  });

  test("rotation is refused for a revoked, rotated, expired or unknown key, or one of a deleted organization", async () => {
    const { keys, organization } = await keysOf(world, "stale", "user", "organization", "agentic");
    const { id } = keys.user.key;
    await expect(
      rotateKey({ ...world.deps, clock }, { id: "k-none", graceSeconds: 0, actor: operator }),
    ).rejects.toThrow(refusal("There is no key k-none."));
    const successor = await world.rotate(keys.user, 60);
    await expect(world.rotate(keys.user, 60)).rejects.toThrow(
      refusal(`Key ${id} was rotated already; rotate ${successor.key.id}.`),
    );
    await world.revoke(keys.organization);
    await expect(world.rotate(keys.organization, 0)).rejects.toThrow(
      refusal(`Key ${keys.organization.key.id} is revoked; create a new one.`),
    );
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    clock.advance(msPerDay);
    await expect(world.rotate(brief, 0)).rejects.toThrow(
      refusal(`Key ${brief.key.id} has expired; create a new one.`),
    );
    await store().table.write({ delete: itemKinds.organization.key({ organization }) });
    await expect(world.rotate(keys.agentic, 0)).rejects.toThrow(
      refusal(`There is no active organization ${organization}.`),
    );
  });

  test("rotation has a grace in whole seconds, from zero up to the longest life of a key", async () => {
    const { keys } = await keysOf(world, "grace", "user");
    for (const graceSeconds of [-1, 0.5, Number.NaN, keyLimits.expiryDaysMax * 86_400 + 1])
      await expect(world.rotate(keys.user, graceSeconds)).rejects.toThrow(
        refusal(`The grace is a whole number of seconds, 0 to ${keyLimits.expiryDaysMax * 86_400}.`),
      );
  });

  test("rotation accepts the longest grace, but the old key never outlives its own expiry", async () => {
    const { keys, organization } = await keysOf(world, "longest", "user");
    const longest = keyLimits.expiryDaysMax * 86_400;
    await world.rotate(keys.user, longest);
    expect(await stored(keys.user.key.id)).toMatchObject({ expires_at_ms: clock.nowMs() + longest * 1000 });
    const brief = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
    await world.rotate(brief, 2 * 86_400);
    expect(await stored(brief.key.id)).toMatchObject({ expires_at_ms: clock.nowMs() + msPerDay });
  });

  test("rotation of a legacy key needs an active member as its owner", async () => {
    const { keys } = await keysOf(world, "heir", "user", "legacy");
    await expect(world.rotate(keys.legacy, 0)).rejects.toThrow(
      refusal("A legacy key has no owner: name the member who owns the new organization key."),
    );
    await expect(world.rotate(keys.legacy, 0, "stranger")).rejects.toThrow(
      refusal("User stranger is not an active member of the organization."),
    );
    // Other kinds keep their owner, even if another one is named.
    expect((await world.rotate(keys.user, 0, "stranger")).key.owner).toBe("u-member");
  });

  test("rotation of a legacy key makes an organization key with the member role", async () => {
    const { keys, organization } = await keysOf(world, "successor", "legacy");
    const { text, key } = await world.rotate(keys.legacy, 0, "u-admin");
    expect(text).toMatch(/^rk_organization_/);
    expect(key).toMatchObject({ kind: "organization", organization, owner: "u-admin", role: "cr_member" });
  });

  test("rotation of a record that lacks a field of its kind fails with the field's name and issues nothing", async () => {
    const { keys } = await everyKindOfKey(world, "lacking");
    const before = (await listKeysOfOrganization(store())).length;
    for (const [field, what] of [
      ["instance_id", "instance of the key"],
      ["owner", "owner of the key"],
      ["organization", "organization of the key"],
    ] as const) {
      await store().table.write({
        update: itemKinds.apiKey.key({ keyId: keys.instance.key.id }),
        change: { set: [[field, null]] },
      });
      await expect(world.rotate(keys.instance, 0)).rejects.toThrow(
        new TypeError(`Missing ${what}; this is a bug.`),
      );
    }
    expect(await listKeysOfOrganization(store())).toHaveLength(before);
  });
});

describe("a rotation that a caller asks for over HTTP", () => {
  const rotateOwn = (change: Partial<KeyItem>, table = tableWith({})) => {
    const key = keyItem("user", { id: "k1", ...change });
    const caller = { principal: principalOf("user", { key }), scope: { organizations: [], selector: "all" } };
    const { signal } = new AbortController();
    return rotateWithinReach({ ...world.deps, ...operatorOrigin, ...caller, table, signal }, key, 0);
  };

  test.each([
    ["revoked", { revoked_at: "2026-11-15T12:00:00.000Z" }],
    ["expired", { expires_at_ms: 1 }],
  ])("a key that is %s gets the same answer as an unknown key", async (_, change) => {
    await expect(rotateOwn(change)).rejects.toMatchObject({
      code: "KEY_NOT_FOUND",
      message: "key_id: there is no live key with this id that this key may manage.",
    });
  });

  test("an error of the store is not taken for an unknown key", async () => {
    const away = new StoreUnavailable("away", false);
    await expect(rotateOwn({}, tableWith({ get: () => Promise.reject(away) }))).rejects.toBe(away);
  });
});

describe("a rotation without grace whose answer is lost", () => {
  async function rotated(transact: Table["transact"]) {
    const { keys } = await keysOf(world, systemRandom.uuid(), "user");
    const table: Table = { ...store().table, transact };
    const rotating = rotateKey(
      { ...world.deps, table },
      { id: keys.user.key.id, graceSeconds: 0, actor: operator },
    );
    return { old: keys.user, rotating };
  }
  const lost = new StoreUnavailable("lost", false);

  test("a rotation without grace whose answer is lost returns the new key if the rotation happened", async () => {
    const { rotating } = await rotated(async (...given) => {
      await store().table.transact(...given);
      throw lost;
    });
    const { text } = await rotating;
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
  });

  test("a rotation without grace that did not happen keeps the old key, even if its transaction arrives late", async () => {
    let late: () => Promise<void> = () => Promise.resolve();
    const { old, rotating } = await rotated(async (...given) => {
      late = () => store().table.transact(...given);
      throw lost;
    });
    await expect(rotating).rejects.toBe(lost);
    await expect(late()).rejects.toBeInstanceOf(TransactionRefused);
    await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
  });

  test("a rotation without grace whose outcome cannot be read keeps the old key, which can be rotated again", async () => {
    const { keys } = await keysOf(world, systemRandom.uuid(), "user");
    const { id } = keys.user.key;
    const request = { id, graceSeconds: 0, actor: operator };
    const silent: Table = {
      ...store().table,
      transact: async (...given) => {
        await store().table.transact(...given);
        throw lost;
      },
      write: () => Promise.reject(lost),
    };
    await expect(rotateKey({ ...world.deps, table: silent }, request)).rejects.toBe(lost);
    await expect(authenticate(world.deps, { text: keys.user.text })).resolves.toBeDefined();
    const { rotated_to: unreceived } = await stored(id);
    await expect(rotateKey(world.deps, request)).rejects.toThrow("rotated");
    clock.advance(keyLimits.unreceivedAfterMs);
    const { text, key } = await rotateKey(world.deps, request);
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    await expect(authenticate(world.deps, { text: keys.user.text })).rejects.toThrow();
    expect(await stored(id)).toMatchObject({ rotated_to: key.id });
    expect((await stored(unreceived ?? "")).revoked_at).not.toBeNull();
    // The expiry of the original key.
    expect(key.expires_at_ms).toBe(keys.user.key.expires_at_ms);
    await expect(rotateKey(world.deps, request)).rejects.toThrow("rotated");
  });

  test.each([0, 600, 86_400])(
    "a rotation with a grace of %i seconds whose answer was lost can be repeated for 15 minutes only",
    async (graceSeconds) => {
      const { keys } = await keysOf(world, systemRandom.uuid(), "organization");
      const { id } = keys.organization.key;
      const repeat = () => rotateKey(world.deps, { id, graceSeconds, actor: operator });
      const lostAnswer = await repeat();
      const { expires_at_ms: graceEnd } = await stored(id);
      await expect(repeat()).rejects.toThrow("rotated");
      clock.advance(keyLimits.unreceivedGraceMs - 1);
      const { key } = await repeat();
      expect((await stored(lostAnswer.key.id)).revoked_at).toBe(now());
      expect(await stored(id)).toMatchObject({ rotated_to: key.id });
      // A key that has ended does not come back.
      if (graceSeconds === 0) expect((await stored(id)).expires_at_ms).toBe(graceEnd);
      clock.advance(keyLimits.unreceivedGraceMs);
      await expect(repeat()).rejects.toThrow("rotated");
    },
  );

  test("a rotation is not repeated once its successor was used", async () => {
    const { keys } = await keysOf(world, systemRandom.uuid(), "organization");
    const request = { id: keys.organization.key.id, graceSeconds: 3_600, actor: operator };
    const { key } = await rotateKey(world.deps, request);
    clock.advance(keyLimits.unreceivedAfterMs);
    // The use comes between the read of the repeated rotation and its transaction.
    let isUsed = false;
    const table: Table = {
      ...store().table,
      transact: async (...given) => {
        if (!isUsed) await touchLastUsed(store().table, withUse(key, undefined), clock.nowMs());
        isUsed = true;
        await store().table.transact(...given);
      },
    };
    await expect(rotateKey({ ...world.deps, table }, request)).rejects.toThrow("rotated");
    expect(await stored(key.id)).toMatchObject({ revoked_at: null });
  });

  test("a revocation that a rotation overtakes ends the new key too", async () => {
    const { keys } = await keysOf(world, systemRandom.uuid(), "organization");
    const { id } = keys.organization.key;
    let thief: string | undefined;
    const table: Table = {
      ...store().table,
      transact: async (...given) => {
        thief ??= (await rotateKey(world.deps, { id, graceSeconds: 3_600, actor: operator })).key.id;
        await store().table.transact(...given);
      },
    };
    const ended = await revokeKey({ ...world.deps, table }, id, operator);
    expect(ended).toEqual([thief, id]);
    expect((await stored(thief ?? "")).revoked_at).toBe(now());
  });

  test("a rotation without grace whose last write got no answer returns the new key; the old key ends soon", async () => {
    const { keys } = await keysOf(world, systemRandom.uuid(), "user");
    const table: Table = { ...store().table, write: () => Promise.reject(lost) };
    const request = { id: keys.user.key.id, graceSeconds: 0, actor: operator };
    const { text } = await rotateKey({ ...world.deps, table }, request);
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    const { expires_at_ms } = await stored(keys.user.key.id);
    expect((expires_at_ms ?? 0) - clock.nowMs()).toBe(keyLimits.unreceivedGraceMs);
  });

  describe("near the deadline of its request", () => {
    /** The table of a request, and the signal that fires before its deadline. */
    async function requested(transact: (soon: AbortController) => Table["transact"]) {
      const { keys } = await keysOf(world, systemRandom.uuid(), "user");
      const soon = new AbortController();
      const until = { signal: new AbortController().signal, isOver: () => false };
      const table = boundedTable({ ...store().table, transact: transact(soon) }, until);
      const deps = { ...world.deps, table, signal: soon.signal };
      const request = { id: keys.user.key.id, graceSeconds: 0, actor: operator };
      return { old: keys.user, rotate: () => rotateKey(deps, request), soon };
    }
    const silence = () => new Promise<never>(() => {});

    test("a rotation near its request's deadline returns the new key if it happened before the deadline", async () => {
      const { rotate } = await requested((soon) => async (...given) => {
        await store().table.transact(...given);
        soon.abort(new TimeUp());
        await silence();
      });
      const { text } = await rotate();
      await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    });

    test("a rotation that missed its request's deadline keeps the old key, even if the transaction comes late", async () => {
      let late: () => Promise<void> = () => Promise.resolve();
      const { old, rotate } = await requested((soon) => async (...given) => {
        late = () => store().table.transact(...given);
        soon.abort(new TimeUp());
        await silence();
      });
      await expect(rotate()).rejects.toBeInstanceOf(TimeUp);
      await expect(late()).rejects.toBeInstanceOf(TransactionRefused);
      await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
    });

    test("a rotation does not begin when its request has too little time left", async () => {
      let begun = 0;
      const { old, rotate, soon } = await requested(() => async (...given) => {
        begun++;
        await store().table.transact(...given);
      });
      soon.abort(new TimeUp());
      await expect(rotate()).rejects.toBeInstanceOf(TimeUp);
      expect(begun).toBe(0);
      await expect(authenticate(world.deps, { text: old.text })).resolves.toBeDefined();
    });
  });
});

describe("a rotation that somebody else made", () => {
  const as = (key: KeyItem): Actor => actorOf({ key, userName: null });
  const repeatable = () => clock.advance(keyLimits.unreceivedAfterMs);

  /** A key whose value leaked and two Admin keys of its organization; all three have the Admin role. */
  async function leaked() {
    const { keys, organization } = await keysOf(world, systemRandom.uuid(), "organization");
    const adminKey = { kind: "organization", organization, owner: "u-admin", role: "cr_admin" } as const;
    const [admin, other] = [(await world.key(adminKey)).key, (await world.key(adminKey)).key];
    const { id } = keys.organization.key;
    const rotateAs = (actor: Actor, graceSeconds: number) =>
      rotateKey(world.deps, { id, graceSeconds, actor });
    return { id, old: keys.organization, admin, other, rotateAs };
  }

  test("a leaked key cannot repeat the rotation that an Admin made, and the Admin's new key stays", async () => {
    const { id, old, admin, rotateAs } = await leaked();
    const { text } = await rotateAs(as(admin), 120);
    const { expires_at_ms } = await stored(id);
    repeatable();
    const principal = principalOf("organization", { key: withUse(await stored(id), undefined) });
    const scope = { organizations: principal.organizations, selector: "all" } as const;
    const { signal } = new AbortController();
    const caller = { ...operatorOrigin, actor: as(old.key), principal, scope, signal };
    const item = await store().table.get(itemKinds.apiKey.key({ keyId: id }));
    await expect(
      rotateWithinReach({ ...world.deps, ...caller, table: store().table }, item, 86_400),
    ).rejects.toMatchObject({ code: "KEY_ROTATED" });
    await expect(authenticate(world.deps, { text })).resolves.toBeDefined();
    expect(await stored(id)).toMatchObject({ expires_at_ms });
  });

  test("a key that an Admin rotated neither rotates nor ends its successor, nor another key", async () => {
    const { id, other, admin, rotateAs } = await leaked();
    const { key: successor } = await rotateAs(as(admin), 120);
    const principal = principalOf("organization", { key: withUse(await stored(id), undefined) });
    const keys = [await stored(successor.id), await stored(other.id)];
    const uuid = keys[0]?.organization ?? "";
    const scope = {
      organizations: principal.organizations.map((each) => ({ ...each, uuid })),
      selector: "all",
    } as const;
    for (const key of keys)
      expect(reachOf({ principal, scope }, key)).toEqual({ list: true, rotate: false, end: false });
    expect(reachOf({ principal, scope }, principal.key)).toMatchObject({ end: true });
  });

  test.each(["its maker", "another Admin key", "the operator"])(
    "%s repeats a rotation that an Admin key made",
    async (who) => {
      const { id, old, admin, other, rotateAs } = await leaked();
      const first = await rotateAs(as(admin), 3_600);
      repeatable();
      const actor = { "its maker": as(admin), "another Admin key": as(other) }[who] ?? operator;
      const { key } = await rotateAs(actor, 3_600);
      expect(await stored(id)).toMatchObject({ rotated_to: key.id });
      expect((await stored(first.key.id)).revoked_at).toBe(now());
      repeatable();
      await expect(rotateAs(as(old.key), 3_600)).rejects.toThrow("rotated");
    },
  );

  test("a key repeats the rotation that it made itself, until an Admin has repeated it", async () => {
    const { old, admin, rotateAs } = await leaked();
    await rotateAs(as(old.key), 3_600);
    repeatable();
    await rotateAs(as(old.key), 3_600);
    repeatable();
    await rotateAs(as(admin), 3_600);
    repeatable();
    await expect(rotateAs(as(old.key), 3_600)).rejects.toThrow("rotated");
  });

  test("a rotation of the last release counts as made by somebody else", async () => {
    const { id, old, admin, rotateAs } = await leaked();
    await rotateAs(as(old.key), 3_600);
    await store().table.write({
      update: itemKinds.apiKey.key({ keyId: id }),
      change: { remove: ["rotated_by"] },
    });
    repeatable();
    await expect(rotateAs(as(old.key), 3_600)).rejects.toThrow("rotated");
    await expect(rotateAs(as(admin), 3_600)).resolves.toBeDefined();
  });

  test("a rotation is not repeated once its successor was rotated: the newest key would leave the line", async () => {
    const { id, admin, other, rotateAs } = await leaked();
    const second = await rotateAs(as(admin), 3_600);
    repeatable();
    // The rotation of the successor comes between the read of the repeated rotation and its transaction.
    let third: string | undefined;
    const rotateSecond = { id: second.key.id, graceSeconds: 3_600, actor: as(other) };
    const table: Table = {
      ...store().table,
      transact: async (...given) => {
        third ??= (await rotateKey(world.deps, rotateSecond)).key.id;
        await store().table.transact(...given);
      },
    };
    const repeat = (deps = world.deps) => rotateKey(deps, { id, graceSeconds: 3_600, actor: as(admin) });
    await expect(repeat({ ...world.deps, table })).rejects.toThrow("rotated");
    await expect(repeat()).rejects.toThrow("rotated");
    expect(await revokeKey(world.deps, id, operator)).toEqual([third, second.key.id, id]);
  });

  test.each([
    [120, 86_400],
    [120, 0],
    [0, 86_400],
    [3_600, 60],
    [3_600, 86_400],
  ])(
    "the end of a key that is rotated with a grace of %i s, then %i s, never moves later",
    async (...graces) => {
      const { id, admin } = await leaked();
      const ends: number[] = [];
      const noteEnd = async () =>
        void ends.push((await stored(id)).expires_at_ms ?? Number.POSITIVE_INFINITY);
      const table: Table = {
        ...store().table,
        transact: async (...given) => {
          await store().table.transact(...given);
          await noteEnd();
        },
        write: async (...given) => {
          const answer = await store().table.write(...given);
          await noteEnd();
          return answer;
        },
      };
      await noteEnd();
      for (const graceSeconds of graces) {
        await rotateKey({ ...world.deps, table }, { id, graceSeconds, actor: as(admin) });
        repeatable();
      }
      expect(ends.length).toBeGreaterThan(2);
      expect(ends).toEqual(ends.toSorted((one, other) => other - one));
    },
  );

  test("the end of a key stays where a slow first rotation puts it while a second rotation runs", async () => {
    const { id, admin } = await leaked();
    let slow: () => Promise<unknown> = () => Promise.resolve();
    const delayed: Table = {
      ...store().table,
      write: (...given) => {
        slow = () => store().table.write(...given);
        return Promise.reject(new StoreUnavailable("lost", false));
      },
    };
    const request = { id, actor: as(admin) };
    await rotateKey({ ...world.deps, table: delayed }, { ...request, graceSeconds: 100 });
    const end = clock.nowMs() + 100_000;
    repeatable();
    let isDone = false;
    const table: Table = {
      ...store().table,
      transact: async (...given) => {
        if (!isDone) await slow();
        isDone = true;
        await store().table.transact(...given);
      },
    };
    await rotateKey({ ...world.deps, table }, { ...request, graceSeconds: 86_400 });
    expect((await stored(id)).expires_at_ms).toBe(end);
  });

  test("a key that deletes itself while an Admin rotates it does not end the Admin's new key", async () => {
    const { id, old, admin, rotateAs } = await leaked();
    let successor: string | undefined;
    const table: Table = {
      ...store().table,
      transact: async (...given) => {
        successor ??= (await rotateAs(as(admin), 3_600)).key.id;
        await store().table.transact(...given);
      },
    };
    const principal = principalOf("organization", { key: withUse(old.key, undefined) });
    const scope = { organizations: principal.organizations, selector: "all" } as const;
    const caller = { ...operatorOrigin, actor: as(old.key), principal, scope };
    const { signal } = new AbortController();
    await revokeWithinReach(
      { ...world.deps, ...caller, signal, table },
      await store().table.get(itemKinds.apiKey.key({ keyId: id })),
    );
    expect([(await stored(id)).revoked_at, (await stored(successor ?? "")).revoked_at]).toEqual([
      now(),
      null,
    ]);
  });
});
