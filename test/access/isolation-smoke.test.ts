import { afterAll, beforeAll, expect, test } from "vitest";
import { collide, NameSwapper } from "../proofs/isolation/checks.ts";
import { collisions } from "../proofs/isolation/collisions.ts";
import { onePerKind } from "../proofs/isolation/cursors.ts";
import { Stage } from "../proofs/isolation/stage.ts";
import { swaps } from "../proofs/isolation/swaps.ts";
import { useApi } from "../support/api.ts";
import { World } from "../support/world.ts";

/** The quick form of the proof that tenants are isolated; `npm run test:proofs` has all of it. */
const api = useApi();
const stage = new Stage(api, 1);
beforeAll(() => stage.build(new World(() => api.store().table), 1));
afterAll(() => stage.end());

test("every operation answers another tenant's name like a name that does not exist", async () => {
  const swapper = new NameSwapper(stage, 1);
  while (swapper.rounds < swaps.length) await swapper.swap();
});

test("one tenant of each kind sees only its own data under the ids that all tenants have", async () => {
  const tenants = new Map(stage.tenants.map((tenant) => [tenant.kind, tenant])).values();
  for (const tenant of tenants)
    for (const holder of onePerKind(tenant).slice(0, 1)) {
      const own = collisions.filter(({ kinds }) => kinds.includes(holder.kind));
      const seen = [];
      for (const collision of own) seen.push(await collide(stage, tenant, holder, collision));
      expect(seen.filter((operation) => operation !== undefined).length).toBeGreaterThan(0);
    }
});
