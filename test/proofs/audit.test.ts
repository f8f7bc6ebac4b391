import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { learningLimits } from "../../lib/contract/limits.ts";
import { operations } from "../../lib/contract/operations.ts";
import { useApi } from "../support/api.ts";
import { gitlab, World } from "../support/world.ts";

/** Every change through the API is recorded in the audit log, with the request that made it. */
const api = useApi();
const world = new World(() => api.store().table);
const home = gitlab("audited", "home");
let key = "";
let keyId = "";

beforeAll(async () => {
  await world.instance("audited");
  const organization = await world.organization("home", home);
  await world.member(home, "ann", { role: "cr_admin" });
  await world.member(home, "bob");
  await world.repository(home, "r1");
  await world.repository(home, "delayed", { approval_delay_days: 3 });
  const issued = await world.key({ kind: "organization", organization, owner: "ann", role: "cr_admin" });
  key = issued.text;
  keyId = issued.key.id;
});

const withId = z.looseObject({ id: z.string() });

async function learn(...texts: string[]): Promise<string[]> {
  const data = texts.map((learning) => ({ repository_id: "r1", learning }));
  const { json } = await api.call("/v1/learnings", { key, body: { data } });
  return z
    .object({ results: z.array(withId) })
    .parse(json)
    .results.map(({ id }) => id);
}
const makeRole = async (name: string): Promise<string> =>
  withId.parse((await api.call("/v1/roles", { key, body: { name } })).json).id;

const makeKey = async (): Promise<string> => {
  const organization = await world.organization("home", home);
  return (await world.key({ kind: "organization", organization, owner: "bob", role: "cr_member" })).key.id;
};

type Change = { readonly target: string; readonly body?: object };

/** For every operation that changes something, a call that makes a change. */
const changes: Readonly<Record<string, () => Promise<Change>>> = {
  createLearnings: async () => ({
    target: "/v1/learnings",
    body: { data: [{ repository_id: "r1", learning: "Mind the gap." }] },
  }),
  updateLearning: async () => ({
    target: `/v1/learnings/${(await learn("Mind it."))[0]}`,
    body: { learning: "Mind it all." },
  }),
  deleteLearning: async () => ({ target: `/v1/learnings/${(await learn("Never mind."))[0]}` }),
  decideLearning: async () => {
    await world.learning(home, "Ask first.", { repository_id: "delayed", author_id: "bob" });
    const { json } = await api.call("/v1/learnings?state=pending", { key });
    const [waiting] = z.object({ data: z.array(withId) }).parse(json).data;
    return { target: `/v1/learnings/${waiting?.id}/approval`, body: { decision: "approve" } };
  },
  assignSeats: async () => ({
    target: "/v1/users/seats",
    body: { action: "assign", user_ids: ["bob"] },
  }),
  setSeatAssignment: async () => ({ target: "/v1/users/seats/assignment", body: { mode: "automatic" } }),
  changeRoles: async () => ({ target: "/v1/users/roles", body: { role: "cr_admin", user_ids: ["bob"] } }),
  createRole: async () => ({ target: "/v1/roles", body: { name: "New" } }),
  updateRole: async () => ({ target: `/v1/roles/${await makeRole("Old")}`, body: { name: "Renamed" } }),
  giveRole: async () => ({
    target: `/v1/roles/${await makeRole("Given")}/users`,
    body: { user_ids: ["bob"] },
  }),
  rotateKey: async () => ({ target: `/v1/keys/${await makeKey()}/rotate`, body: {} }),
  deleteKey: async () => ({ target: `/v1/keys/${await makeKey()}` }),
  deleteRole: async () => ({ target: `/v1/roles/${await makeRole("Gone")}` }),
};

const entrySchema = z.looseObject({ request_id: z.string().nullable(), action: z.string() });

async function entriesOf(requestId: string) {
  const { json } = await api.call("/v1/audit-logs", { key });
  const { data } = z.object({ data: z.array(entrySchema) }).parse(json);
  return data.filter(({ request_id }) => request_id === requestId);
}

const changing = operations.filter(({ method }) => method !== "GET");
let recorded = 0;
afterAll(() =>
  console.info(`audit log: ${recorded} of ${changing.length} operations that change something are recorded`),
);

describe("a change through the API", () => {
  test.each(changing.map(({ id, method }) => [id, method] as const))(
    "a change by %s is recorded with the caller, the address and the request",
    async (id, method) => {
      const make = changes[id];
      if (!make) throw new Error(`${id} changes something: say here how, so that its entry is looked for.`);
      const requestId = `audit-${id}`;
      const { target, ...rest } = await make();
      const answer = await api.call(target, {
        key,
        method,
        ...rest,
        rawHeaders: ["x-request-id", requestId],
      });
      expect([answer.status, answer.message]).toEqual([expect.any(Number), ""]);
      expect(await entriesOf(requestId)).toEqual([
        expect.objectContaining({
          actor: expect.objectContaining({ type: "key", key_id: keyId, id: "ann" }),
          ip_address: "203.0.113.7",
          organization_id: "home",
        }),
      ]);
      recorded++;
    },
  );

  test("a refused change is not recorded as done", async () => {
    const rawHeaders = ["x-request-id", "audit-refused"];
    const answer = await api.call("/v1/roles/cr_admin", { key, method: "DELETE", rawHeaders });
    expect(answer.codes).toEqual(["SYSTEM_ROLE"]);
    expect(await entriesOf("audit-refused")).toEqual([]);
  });
});

test("a batch of several transactions is recorded in each, under one request and with all of its ids", async () => {
  const { uuid } = { uuid: await world.organization("large", { ...gitlab("audited", "large") }) };
  await world.member(gitlab("audited", "large"), "ann", { role: "cr_admin" });
  await world.repository(gitlab("audited", "large"), "r1");
  const issued = await world.key({
    kind: "organization",
    organization: uuid,
    owner: "ann",
    role: "cr_admin",
  });
  const count = 2 * learningLimits.writtenTogetherMax + 1;
  const data = Array.from({ length: count }, (_, index) => ({
    repository_id: "r1",
    learning: `Number ${index}.`,
  }));
  const rawHeaders = ["x-request-id", "audit-batch"];
  const answer = await api.call("/v1/learnings", { key: issued.text, body: { data }, rawHeaders });
  const made = z
    .object({ results: z.array(withId) })
    .parse(answer.json)
    .results.map(({ id }) => id);
  const log = await api.call("/v1/audit-logs", { key: issued.text });
  const { data: entries } = z.object({ data: z.array(entrySchema) }).parse(log.json);
  const ofBatch = entries.filter(({ request_id }) => request_id === "audit-batch");
  expect(ofBatch).toHaveLength(3);
  const text = JSON.stringify(ofBatch);
  expect(made.filter((id) => !text.includes(id))).toEqual([]);
});
