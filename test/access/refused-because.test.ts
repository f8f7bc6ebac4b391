import { describe, expect, test } from "vitest";
import { AuthenticationError, authenticate } from "../../lib/access/authenticate.ts";
import { readStandings } from "../../lib/access/refused-because.ts";
import { everyKindOfKey } from "../support/world.ts";
import { useKeyRegistry } from "./key-registry-fixture.ts";

const { store, clock, world } = useKeyRegistry();

type Setup = Awaited<ReturnType<typeof everyKindOfKey>>;
const names = ["organization", "user", "workspace", "legacy", "agentic", "instance"] as const;
type Kind = (typeof names)[number];

/** What happens to the things that the keys depend on, and which keys it refuses. */
const causes: ReadonlyArray<
  readonly [string, (setup: Setup, name: string) => Promise<unknown>, Readonly<Partial<Record<Kind, string>>>]
> = [
  ["nothing happens", async () => {}, {}],
  [
    "the member behind the user key leaves",
    ({ cloud }) => world.member(cloud, "u-member", { active: false }),
    { user: "owner_left", agentic: "owner_left" },
  ],
  [
    "the owner of the organization key leaves",
    async ({ cloud }) => {
      await world.member(cloud, "u-second", { role: "cr_admin" });
      await world.member(cloud, "u-admin", { active: false });
    },
    { organization: "owner_left" },
  ],
  [
    "the owner of the instance key leaves",
    async ({ hosted }) => {
      await world.member(hosted, "u-second", { role: "cr_admin" });
      await world.member(hosted, "u-admin", { active: false });
    },
    { instance: "owner_left" },
  ],
  [
    "the owner of the token is no longer an admin",
    (_, name) => world.workspace(`${name}-workspace`, { admins: [{ user_id: "other", email: null }] }),
    { workspace: "owner_not_admin" },
  ],
  [
    "the organization is deactivated",
    ({ cloud }, name) =>
      world.organization(cloud.provider_organization_id, {
        workspace_id: `${name}-workspace`,
        active: false,
      }),
    {
      organization: "organization_inactive",
      user: "organization_inactive",
      legacy: "organization_inactive",
      agentic: "organization_inactive",
    },
  ],
  [
    "the home of the instance key is deactivated",
    ({ hosted }) => world.organization(hosted.provider_organization_id, { ...hosted, active: false }),
    { instance: "organization_inactive" },
  ],
  [
    "the workspace is deactivated",
    (_, name) => world.workspace(`${name}-workspace`, { active: false }),
    {
      organization: "organization_inactive",
      user: "organization_inactive",
      workspace: "organization_inactive",
      legacy: "organization_inactive",
      agentic: "organization_inactive",
    },
  ],
  [
    "the instance is deactivated",
    (_, name) => world.instance(`${name}-instance`, { active: false }),
    { instance: "organization_inactive" },
  ],
];

describe("why a key that has not ended is refused", () => {
  test.each(causes)(
    "a list of keys says which keys authentication refuses when %s",
    async (cause, happens, refused) => {
      const name = cause.replaceAll(" ", "-");
      const setup = await everyKindOfKey(world, name);
      await happens(setup, name);
      const keys = names.map((kind) => setup.keys[kind].key);
      const standings = await readStandings(store().table, keys, clock.nowMs());
      expect(
        Object.fromEntries(names.map((kind) => [kind, standings.get(setup.keys[kind].key.id)?.refusal])),
      ).toEqual(Object.fromEntries(names.map((kind) => [kind, refused[kind] ?? null])));
      for (const kind of names) {
        const works = await authenticate(world.deps, { text: setup.keys[kind].text }).then(
          ({ principal }) => principal.ownerStillAdmin,
          (error: unknown) => {
            if (error instanceof AuthenticationError) return false;
            throw error;
          },
        );
        expect([kind, works]).toEqual([kind, refused[kind] === undefined]);
      }
    },
  );

  test("a key of an organization that moved depends on the workspace where the organization is now", async () => {
    const { keys, cloud } = await everyKindOfKey(world, "moved-keys");
    await world.workspace("moved-keys-new");
    await world.organization(cloud.provider_organization_id, { workspace_id: "moved-keys-new" });
    const read = async () =>
      (await readStandings(store().table, [keys.user.key], clock.nowMs())).get(keys.user.key.id)?.refusal;
    await world.workspace("moved-keys-workspace", { active: false });
    expect(await read()).toBeNull();
    await world.workspace("moved-keys-new", { active: false });
    expect(await read()).toBe("organization_inactive");
  });

  test("a key that has ended has no further reason", async () => {
    const { keys, cloud } = await everyKindOfKey(world, "ended-and-left");
    await world.revoke(keys.user);
    await world.member(cloud, "u-member", { active: false });
    const item = { ...keys.user.key, revoked_at: "2026-11-15T12:00:00.000Z" };
    expect(await readStandings(store().table, [item], clock.nowMs())).toEqual(new Map());
  });
});
