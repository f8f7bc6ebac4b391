import { describe, expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { madeUpKeyText, parseKeyText, sameHash, storedHash } from "../../lib/access/key-text.ts";
import { createWorkspaceToken } from "../../lib/access/workspace-tokens.ts";
import * as kinds from "../../lib/contract/items.ts";
import { isWithinOnly, onlyValues } from "../../lib/contract/only.ts";
import { isReadOnly, type Operation } from "../../lib/contract/operation.ts";
import { operationOf, operations } from "../../lib/contract/operations.ts";
import { onlyOfType, operationOfType, webhookTypes } from "../../lib/contract/webhooks.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import type { Item } from "../../lib/store/table.ts";
import { keysOf } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";
import { acceptedByLastRelease, lastReleaseText } from "./last-release-keys.ts";

describe("only in the contract", () => {
  test("every value is of an operation; reads and searches need :read, everything else :write", () => {
    const all: readonly Operation[] = operations;
    const needed = all.flatMap(({ only }) => only ?? []);
    expect(onlyValues.filter((value) => !needed.includes(value))).toEqual([]);
    for (const operation of all.filter(({ only }) => only !== null))
      expect([operation.id, operation.only?.split(":")[1]]).toEqual([
        operation.id,
        isReadOnly(operation) ? "read" : "write",
      ]);
    // Every key describes and rotates itself.
    expect(all.filter(({ only }) => only === null).map(({ id }) => id)).toEqual(["rotateKey", "whoami"]);
  });

  test("a type of webhook needs what the operation needs that its receiver calls", () => {
    for (const type of webhookTypes) expect(onlyOfType(type)).toBe(operationOf(operationOfType(type)).only);
  });

  test("no list allows everything; an empty list or one of unknown areas allows nothing", () => {
    expect(onlyValues.filter((value) => isWithinOnly(undefined, value))).toEqual([...onlyValues]);
    for (const only of [[], ["billing:read", "metrics", "metrics:"]])
      expect(onlyValues.filter((value) => isWithinOnly(only, value))).toEqual([]);
    const ofPeople = onlyValues.filter((value) => isWithinOnly(["people:write", "roles:read"], value));
    expect(ofPeople).toEqual(["people:read", "people:write", "roles:read"]);
  });
});

/** Items as this release stored them; the secret is 24 times the byte 7, so that no file holds a key. */
const organization = "6f1c2b7e-0000-4000-8000-000000000000";
const text = lastReleaseText(
  madeUpKeyText(
    { kind: "organization", organization, tenant: `o#${organization}`, userId: "u1" },
    { ...systemRandom, bytes: (count) => new Uint8Array(count).fill(7) },
  ),
);
const recorded = {
  pk: "KEY#k",
  sk: "KEY",
  id: "k",
  kind: "organization",
  name: null,
  organization,
  owner: "u1",
  tenant: `o#${organization}`,
  workspace_id: null,
  instance_id: null,
  authorized: null,
  role: "cr_admin",
  expires_at_ms: null,
  revoked_at: null,
  rotated_to: null,
  created_at: "2026",
};
const wide = { ...recorded, hash: "40598a9342027c7f1a9a3255e485bfb167041f4662cd591c6909a6ff020d150f" };
const narrow = {
  ...recorded,
  only: ["metrics:read", "learnings:read"],
  hash: "1d339a0cdfa3d06fb6af0cb3d65089f20ef1fcabcaca5f84f98aa7b4dfc888dd",
};
const made = {
  ...recorded,
  made_by: "kmaker",
  hash: "c0d4542fdd49a4eb8c1e13dfdcaf5b495021310709bfdb9a9aee3950dc4f4e56",
};
const both = {
  ...narrow,
  made_by: "kmaker",
  hash: "78df146b703cec116a51761d93790966661768cea5ac4d7877eb35adccf667c0",
};

const isAccepted = (item: Item) => {
  const key = parseKey(item);
  return sameHash(key.hash, storedHash(parseKeyText(text)?.hash ?? "", key));
};

describe("what limits a key is bound to its hash", () => {
  test("this release reads its recorded keys", () => {
    expect([wide, narrow, made, both].map(isAccepted)).toEqual([true, true, true, true]);
  });

  test("the last release refuses narrow and made keys, and reads none of them as a wide key", () => {
    expect(acceptedByLastRelease(text, wide)).toMatchObject({ role: "cr_admin" });
    for (const item of [narrow, made, both]) expect(acceptedByLastRelease(text, item)).toBe("refused");
  });

  test("an item that lost or changed only or made_by is refused", () => {
    const { only: _1, ...lostOnly } = narrow;
    const { made_by: _2, ...lostMaker } = made;
    const { only: _3, ...lostOne } = both;
    const { made_by: _4, ...lostOther } = both;
    const wider = { ...narrow, only: [...narrow.only, "roles:write"] };
    const changed = [lostOnly, lostMaker, lostOne, lostOther, wider, { ...made, made_by: "kother" }];
    expect(changed.map(isAccepted)).toEqual(changed.map(() => false));
    expect(isAccepted({ ...narrow, only: narrow.only.toReversed() })).toBe(true);
  });
});

describe("narrow keys of the operator", () => {
  const { store, clock, world, stored, auditEntriesOf } = useKeyRegistry();

  test("every kind but legacy and agentic may have only; the value works, and loses nothing by a rotation", async () => {
    const { organization: uuid } = await keysOf(world, "narrow", "workspace");
    const only = ["people:read", "metrics:read", "people:read"];
    const key = await world.key({ kind: "user", organization: uuid, owner: "u-admin", only });
    expect((await stored(key.key.id)).only).toEqual(["metrics:read", "people:read"]);
    const accepted = async (value: string) =>
      (await authenticate({ table: store().table, clock }, { text: value })).principal.key.only;
    expect(await accepted(key.text)).toEqual(["metrics:read", "people:read"]);
    expect(await accepted((await world.rotate(key, 0)).text)).toEqual(["metrics:read", "people:read"]);
    // The clock stands still, so the two entries come in any order.
    const entries = await auditEntriesOf(key.key.id);
    const metadataOf = (action: string) => entries.find((entry) => entry.action === action)?.metadata;
    expect(metadataOf("key.created")).toMatchObject({ only: ["metrics:read", "people:read"], made_by: null });
    expect(metadataOf("key.rotated")).toMatchObject({ old_until: null });
    const token = { workspaceId: "narrow-workspace", as: "u-admin", name: "n", expiresInDays: 3 };
    const { key: ofWorkspace } = await createWorkspaceToken(world.deps, {
      ...token,
      only: ["audit_logs:read"],
    });
    expect(ofWorkspace.only).toEqual(["audit_logs:read"]);
    for (const kind of ["legacy", "agentic"] as const)
      await expect(
        world.key({ kind, organization: uuid, owner: "u-admin", only: ["metrics:read"] }),
      ).rejects.toEqual(refusal(`A key of kind ${kind} cannot be narrowed with only.`));
    for (const bad of [[], ["metrics:write"]])
      await expect(
        world.key({ kind: "user", organization: uuid, owner: "u-admin", only: bad }),
      ).rejects.toMatchObject({
        message: expect.stringMatching(/^only takes one or more of: metrics:read, /),
      });
  });

  test("a stored item that lost only is refused at the next use", async () => {
    const { organization: uuid } = await keysOf(world, "lost", "workspace");
    const { text: value, key } = await world.key({
      kind: "user",
      organization: uuid,
      owner: "u-admin",
      only: ["metrics:read"],
    });
    await store().table.write({ update: kinds.apiKey.key({ keyId: key.id }), change: { remove: ["only"] } });
    await expect(authenticate({ table: store().table, clock }, { text: value })).rejects.toMatchObject({
      reason: "unknown",
    });
  });
});
