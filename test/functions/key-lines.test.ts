import { describe, expect, test } from "vitest";
import * as z from "zod";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, World } from "../support/world.ts";
import { issued, keyCallsOf } from "./key-calls.ts";

const api = useApi();
const world = new World(() => api.store().table);
const { call, rotate, end, works } = keyCallsOf(api);

/** A key that was rotated twice, `graces` long; an admin of its organization. */
async function lineOf(name: string, graces: readonly [number, number]) {
  const { keys, organization } = await everyKindOfKey(world, name);
  const first = await world.key({ kind: "organization", organization, owner: "u-member", role: "cr_member" });
  const next = async (id: string, key: string, grace_seconds: number) =>
    issued.parse((await rotate(id, key, { grace_seconds })).json);
  const second = await next(first.key.id, first.text, graces[0]);
  const third = await next(second.id, second.key, graces[1]);
  const line = [{ id: first.key.id, key: first.text }, second, third] as const;
  const alive = async () => await Promise.all(line.map(({ key }) => works(key)));
  return { line, alive, admin: keys.organization.text };
}

const log = z.object({
  data: z.array(z.object({ resource_id: z.string(), metadata: z.looseObject({}) })),
});

describe("DELETE /v1/keys/{key_id} of a rotated key", () => {
  test("an admin who deletes a key ends what its thief rotated it to, and the entry names all", async () => {
    const { line, alive, admin } = await lineOf("stolen", [3600, 3600]);
    const [first, second, third] = line;
    expect(await alive()).toEqual([true, true, true]);
    expect((await end(first.id, admin)).status).toBe(204);
    expect(await alive()).toEqual([false, false, false]);
    const { json } = await call("/v1/audit-logs?actions=key.revoked", { key: admin });
    expect(log.parse(json).data).toMatchObject([
      { resource_id: first.id, metadata: { revoked_key_ids: [third.id, second.id, first.id] } },
    ]);
    expect((await end(first.id, admin)).status).toBe(204);
    expect(
      log.parse((await call("/v1/audit-logs?actions=key.revoked", { key: admin })).json).data,
    ).toHaveLength(1);
  });

  test("a key that has ended still names its line", async () => {
    const { line, alive, admin } = await lineOf("ended", [0, 3600]);
    expect(await alive()).toEqual([false, true, true]);
    expect((await end(line[0].id, admin)).status).toBe(204);
    expect(await alive()).toEqual([false, false, false]);
  });

  test("the live end of a line that deletes itself ends the keys before it, also behind one that has ended", async () => {
    const { line, alive } = await lineOf("live-end", [3600, 0]);
    expect(await alive()).toEqual([true, false, true]);
    expect((await end(line[2].id, line[2].key)).status).toBe(204);
    expect(await alive()).toEqual([false, false, false]);
  });

  test("a rotated key that deletes itself ends only itself", async () => {
    const { line, alive } = await lineOf("old-self", [3600, 3600]);
    expect((await end(line[0].id, line[0].key)).status).toBe(204);
    expect(await alive()).toEqual([false, true, true]);
  });
});
