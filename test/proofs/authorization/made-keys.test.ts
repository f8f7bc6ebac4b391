import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { useApi } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import fc from "../../support/property.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { requestOf } from "./requests.ts";
import { type Row, rows } from "./table.ts";
import { buildInstance, buildWorkspace, reachedOf, type Tenant } from "./world.ts";

const api = useApi();
const world = new World(() => api.store().table);
let workspace: Tenant;
let instance: Tenant;
let pace: Pace;
beforeAll(async () => {
  workspace = await buildWorkspace(world, "made", "enterprise", "enterprise");
  instance = await buildInstance(world, "made", "enterprise", "enterprise");
  pace = new Pace(Date.now());
}, timeoutMs);
afterAll(() => pace.end());

const values = [...new Set(rows.map(({ only }) => only).filter((only) => only !== "-"))];
const lists = fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }), { nil: undefined });
const kinds = ["organization", "user", "workspace", "instance"] as const;
const makers = fc.record({
  kind: fc.constantFrom(...kinds),
  role: fc.constantFrom("cr_admin", "cr_member", "cr_billing_admin"),
  only: lists.map((only) => only && [...new Set([...only, "keys:write"])]),
  expiresInDays: fc.integer({ min: 1, max: 300 }),
});
type Maker = typeof makers extends fc.Arbitrary<infer Value> ? Value : never;
const bodies = fc.record({
  only: lists,
  expires_in_days: fc.option(fc.integer({ min: 1, max: 365 }), { nil: undefined }),
});

async function makerOf({ kind, role, only, expiresInDays }: Maker) {
  const tenant = kind === "instance" ? instance : workspace;
  const { uuid: organization } = tenant.home;
  const owner = `owner ${role}`;
  if (kind === "workspace")
    return { tenant, issued: await world.token(tenant.id, "u-admin", expiresInDays, only) };
  await world.member(tenant.home.name, owner, { role, email: null });
  const limited = { owner, only, expiresInDays };
  if (kind === "user") return { tenant, issued: await world.key({ kind, organization, ...limited }) };
  if (kind === "organization")
    return { tenant, issued: await world.key({ kind, organization, role, ...limited }) };
  const scope = { instanceId: tenant.id, home: organization, authorized: [organization] };
  return { tenant, issued: await world.key({ kind, ...scope, role, ...limited }) };
}

/** The status of the answer if the key may do what the row says. */
async function allowed(row: Row, key: string, kind: Maker["kind"], tenant: Tenant): Promise<number | null> {
  const { providerId } = tenant.home;
  const selection = {
    ...({ selector: "none", pathOrganization: tenant.home } as const),
    ...(kind === "workspace" && row.orgId === "required" && { orgId: providerId }),
  };
  const { target, ...request } = requestOf(row, { kind, selection, tenant, candidates: reachedOf(tenant) });
  const { status } = await pace.run(
    `${tenant.id}|${row.operation}`,
    Math.floor(Number(row.perMinute) / 3),
    () => api.call(target, { key, ...request }),
  );
  return [401, 403, 410].includes(status) ? null : status;
}

/** Whatever the seed, every kind makes a key: most random lists ask for more than their maker has. */
const examples = kinds.map((kind): [Maker, { only: string[]; expires_in_days: undefined }] => [
  { kind, role: "cr_admin", only: undefined, expiresInDays: 30 },
  { only: ["metrics:read"], expires_in_days: undefined },
]);
const made = z.object({ key: z.string(), expires_at: z.string() });

test(
  "whatever a made key can do, its maker could, and no made key outlives its maker",
  async () => {
    const counts = { makers: 0, made: 0, calls: 0, allowed: 0, onlyMaker: 0 };
    const property = fc.asyncProperty(makers, bodies, async (maker, body) => {
      const { tenant, issued } = await makerOf(maker);
      counts.makers++;
      const { status, json } = await pace.run(issued.key.id, 10, () =>
        api.call("/v1/keys", {
          key: issued.text,
          body: { name: "made", idempotency_key: systemRandom.uuid(), ...body },
        }),
      );
      if (status === 403) return;
      expect(status).toBe(201);
      const { key, expires_at } = made.parse(json);
      counts.made++;
      expect(Date.parse(expires_at)).toBeLessThanOrEqual(issued.key.expires_at_ms ?? 0);
      for (const row of rows) {
        const its = await allowed(row, key, maker.kind, tenant);
        const makers = await allowed(row, issued.text, maker.kind, tenant);
        counts.calls += 2;
        if (its !== null) counts.allowed++;
        if (its === null && makers !== null) counts.onlyMaker++;
        if (its !== null) expect([row.operation, its]).toEqual([row.operation, makers]);
      }
    });
    await fc.assert(property, { numRuns: isLong ? 300 : 24, endOnFailure: true, examples });
    console.info(`made keys: ${JSON.stringify(counts)}`);
    expect(counts.made).toBeGreaterThanOrEqual(kinds.length);
    expect(counts.onlyMaker).toBeGreaterThan(0);
    expect(counts.allowed).toBeGreaterThan(counts.made);
  },
  timeoutMs,
);
