import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { chainGrants } from "../../lib/contract/grants.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, World } from "../support/world.ts";
import { plainTemplate, statementsOf } from "./support.ts";
import { type Access, startWarden, type Warden } from "./warden.ts";

/** The handlers work behind their roles: what the template's policy does not allow, DynamoDB refuses. */
const api = useApi();
const world = new World(() => api.store().table);
const contract: readonly Operation[] = operations;

let warden: Warden;
let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
const everything: Access[] = [];

beforeAll(async () => {
  warden = await startWarden(api.store().endpoint);
  process.env.DYNAMODB_ENDPOINT = warden.endpoint;
  fixture = await everyKindOfKey(world, "roles");
  await world.repository(fixture.cloud, "1");
});
afterAll(() => warden.close());

const kinds = ["organization", "user", "workspace", "instance", "legacy", "agentic"] as const;

type Call = { readonly id?: string; readonly query?: string; readonly body?: object };

async function callAs(operation: Operation, key: string, { id, query = "", body }: Call = {}) {
  warden.take(statementsOf(plainTemplate(), operation.id));
  const path = operation.path.replaceAll(/\{\w+\}/g, id ?? fixture.organization);
  const answer = await api.call(`${path}${query}`, {
    method: operation.method,
    key,
    ...(body && { body }),
  });
  everything.push(...warden.asked);
  expect(warden.denied).toEqual([]);
  return answer;
}

/** Enough of a query for the operation to get to its work. */
const queryOf = ({ path, organization }: Operation, kind: string): string => {
  const window = path.startsWith("/v1/metrics/") ? ["start_date=2026-11-01", "end_date=2026-11-30"] : [];
  const selector = kind === "workspace" && organization === "required" ? ["org_id=roles-org"] : [];
  const parameters = [...window, ...selector];
  return parameters.length > 0 ? `?${parameters.join("&")}` : "";
};

const reads = contract.filter(({ method }) => method === "GET");

describe.each(reads)("$id", (operation) => {
  test.each(kinds)("does with a key of kind %s only what its role allows", async (kind) => {
    const { status } = await callAs(operation, fixture.keys[kind].text, {
      query: queryOf(operation, kind),
    });
    expect(status).toBeLessThan(500);
  });
});

const named = (wanted: string): Operation => {
  const found = contract.find(({ id }) => id === wanted);
  if (!found) throw new Error(`The contract has no ${wanted}.`);
  return found;
};

describe("writes do only what their roles allow", () => {
  const admin = () => fixture.keys.organization.text;
  const created = z.object({ id: z.string() });

  test("Learnings: create, again, update, delete", async () => {
    const batch = { data: [{ repository_id: "1", learning: "Prefer early returns." }] };
    const results = z.object({ results: z.array(created) });
    const { json } = await callAs(named("createLearnings"), admin(), { body: batch });
    const [learning] = results.parse(json).results;
    expect((await callAs(named("createLearnings"), admin(), { body: batch })).json).toMatchObject({
      duplicate_count: 1,
    });
    const target = { id: learning?.id ?? "" };
    const change = { ...target, body: { learning: "Return early." } };
    expect((await callAs(named("updateLearning"), admin(), change)).status).toBe(200);
    expect((await callAs(named("deleteLearning"), admin(), target)).status).toBe(204);
  });

  test("roles: create, change, delete", async () => {
    const { json } = await callAs(named("createRole"), admin(), { body: { name: "Auditor" } });
    const { id } = created.parse(json);
    expect((await callAs(named("updateRole"), admin(), { id, body: { is_default: true } })).status).toBe(200);
    expect((await callAs(named("deleteRole"), admin(), { id })).status).toBe(204);
  });

  test("people: seats given and taken, roles changed, the mode set", async () => {
    for (const action of ["assign", "unassign"])
      expect(
        (await callAs(named("assignSeats"), admin(), { body: { action, user_ids: ["u-member"] } })).json,
      ).toMatchObject({ succeeded: ["u-member"] });
    const promoted = { role: "cr_admin", user_ids: ["u-member"] };
    expect((await callAs(named("changeRoles"), admin(), { body: promoted })).json).toMatchObject({
      succeeded: ["u-member"],
    });
    const mode = { mode: "automatic" };
    const { instance } = fixture.keys;
    expect((await callAs(named("setSeatAssignment"), instance.text, { body: mode })).json).toEqual(mode);
  });

  test("every operation that writes was tried", () => {
    const writes = contract.filter(({ method }) => method !== "GET").map(({ id }) => id);
    expect(writes.toSorted()).toEqual([
      "assignSeats",
      "changeRoles",
      "createLearnings",
      "createRole",
      "deleteLearning",
      "deleteRole",
      "setSeatAssignment",
      "updateLearning",
      "updateRole",
    ]);
  });
});

test("refusals are written down within the role: revoked, of the wrong kind, unknown", async () => {
  const list = named("listOrganizations");
  const revoked = await world.key({
    kind: "organization",
    organization: fixture.organization,
    owner: "u-admin",
    role: "cr_admin",
  });
  await world.revoke(revoked);
  expect((await callAs(list, revoked.text)).status).toBe(401);
  expect(warden.asked.map(({ action }) => action)).toContain("PutItem");
  expect((await callAs(list, fixture.keys.agentic.text)).status).toBe(403);
  expect((await callAs(list, `${revoked.text.slice(0, -1)}x`)).status).toBe(401);
});

test("the warden is awake: without its grants the same call fails", async () => {
  warden.take([]);
  const { status } = await api.call("/v1/whoami", { key: fixture.keys.organization.text });
  expect(status).toBeGreaterThanOrEqual(500);
  expect(warden.denied).not.toEqual([]);
});

test("nothing is granted to the chain that no operation uses", () => {
  const used = (action: string, prefix: string) =>
    everything.some(
      (access) => access.action === action && access.partitions.some((each) => each.startsWith(prefix)),
    );
  for (const { actions, partitions = [] } of chainGrants) {
    for (const action of actions)
      expect(
        partitions.some((prefix) => used(action, prefix)),
        action,
      ).toBe(true);
    for (const prefix of partitions)
      expect(
        actions.some((action) => used(action, prefix)),
        `${actions} of ${prefix}`,
      ).toBe(true);
  }
});
