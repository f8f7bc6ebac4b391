import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { isReadOnly } from "../../lib/contract/operation.ts";
import { type ListedOperation, operations } from "../../lib/contract/operations.ts";
import { parametersOf, requestOf, type Subject } from "../../lib/contract/requests.ts";
import { required } from "../../lib/runtime/required.ts";
import { useApi } from "../support/api.ts";
import { absent } from "../support/subject.ts";
import { gitlab, World } from "../support/world.ts";

/** Every change through the API is recorded in the audit log, with the request that made it. */
const api = useApi();
const world = new World(() => api.store().table);
const home = gitlab("audited", "home");
let admin: IssuedKey | undefined;
let key = "";

beforeAll(async () => {
  await world.instance("audited");
  const organization = await world.organization("home", home);
  await world.member(home, "ann", { role: "cr_admin" });
  await world.member(home, "bob");
  await world.repository(home, "r1");
  await world.repository(home, "delayed", { approval_delay_days: 3 });
  admin = await world.key({ kind: "organization", organization, owner: "ann", role: "cr_admin" });
  key = admin.text;
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

const makeKey = async () => {
  const organization = await world.organization("home", home);
  return await world.key({ kind: "organization", organization, owner: "ann", role: "cr_member" });
};

const makeWebhook = async (): Promise<string> => await world.webhook(await world.organization("home", home));

async function waitingLearning(): Promise<string> {
  await world.learning(home, "Ask first.", { repository_id: "delayed", author_id: "bob" });
  const { json } = await api.call("/v1/learnings?state=pending", { key });
  const [waiting] = z.object({ data: z.array(withId) }).parse(json).data;
  return waiting?.id ?? "";
}

/** New things, so that the operation's request makes a change. */
async function subjectOf(operation: ListedOperation): Promise<Subject> {
  const { id } = operation;
  const names = (parameter: string) => parametersOf(operation).includes(parameter);
  const newLearning = async () =>
    id === "decideLearning" ? await waitingLearning() : (await learn(`For ${id}.`))[0];
  return {
    ...absent,
    learning_id: (names("learning_id") && (await newLearning())) || "",
    role_id: names("role_id") ? await makeRole(`For ${id}`) : "",
    key_id: names("key_id") ? (await makeKey()).key.id : "",
    webhook_id: names("webhook_id") ? await makeWebhook() : "",
    repository_id: "r1",
    user_id: "bob",
    text: `By ${id}.`,
  };
}

const entrySchema = z.looseObject({ request_id: z.string().nullable(), action: z.string() });

async function entriesOf(requestId: string) {
  const { json } = await api.call("/v1/audit-logs", { key });
  const { data } = z.object({ data: z.array(entrySchema) }).parse(json);
  return data.filter(({ request_id }) => request_id === requestId);
}

/** A test of a webhook sends a ring and changes nothing. */
const changing = operations.filter((operation) => !isReadOnly(operation) && operation.id !== "testWebhook");
let recorded = 0;
afterAll(() =>
  console.info(`audit log: ${recorded} of ${changing.length} operations that change something are recorded`),
);

describe("a change through the API", () => {
  test.each(changing)(
    "a change by $id is recorded with the caller, the address and the request",
    async (operation: ListedOperation) => {
      const requestId = `audit-${operation.id}`;
      // A key rotates only itself.
      const isRotation = operation.id === "rotateKey";
      const caller = isRotation ? await makeKey() : required(admin, "key of the admin");
      const own = isRotation && { key_id: caller.key.id };
      const { target, ...request } = requestOf(operation, { ...(await subjectOf(operation)), ...own });
      const rawHeaders = ["x-request-id", requestId];
      const answer = await api.call(target, { ...request, key: caller.text, rawHeaders });
      expect([answer.status, answer.message]).toEqual([expect.any(Number), ""]);
      expect(await entriesOf(requestId)).toEqual([
        expect.objectContaining({
          actor: expect.objectContaining({ type: "key", key_id: caller.key.id, id: "ann" }),
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
