import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "vitest";
import * as z from "zod";
import type { KeyKind } from "../../../lib/contract/access.ts";
import * as kinds from "../../../lib/contract/items.ts";
import {
  type ListedOperation,
  type OperationId,
  operationOf,
  operations,
} from "../../../lib/contract/operations.ts";
import { requestOf, type Subject, usualKind } from "../../../lib/contract/requests.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { absent } from "../../support/subject.ts";
import type { everyKindOfKey } from "../../support/world.ts";
import type { Deployment } from "./deployment.ts";
import type { QueuedWorld } from "./platform.ts";
import { captured, findingsOf } from "./samples.ts";

export type Stage = {
  readonly deployment: () => Deployment;
  readonly world: QueuedWorld;
  readonly fixture: () => Awaited<ReturnType<typeof everyKindOfKey>>;
};

/** Differences from the contract's request. */
export type Sent = {
  readonly subject?: Partial<Subject>;
  readonly kind?: KeyKind;
  readonly org_id?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

const created = z.object({ id: z.string() });
const results = z.object({ results: z.array(created) });

/** One call for every operation that does its work. */
export function goodCallsOn({ deployment, world, fixture }: Stage) {
  /** Calls an operation and checks a successful answer against its schema. */
  async function callAs(operation: ListedOperation, key: string, { subject, ...options }: Sent = {}) {
    const things = { ...absent, organization_id: fixture().organization, role_id: "cr_admin", ...subject };
    const { target, ...request } = requestOf(operation, things, options);
    const answer = await deployment().call(target, { ...request, key });
    // Taken out: the next call reports its own.
    expect(deployment().iamProxy.denied.splice(0)).toEqual([]);
    if (answer.status < 300) {
      expect(answer.status).toBe(operation.answer.status);
      if (answer.headers["content-type"] === "application/json") operation.answer.schema?.parse(answer.json);
    }
    return answer;
  }

  type Kind = "organization" | "user" | "workspace" | "instance";
  const send = (id: OperationId, sent: Sent = {}, kind: Kind = usualKind(operationOf(id))) =>
    callAs(operationOf(id), fixture().keys[kind].text, { kind, ...sent });
  const admin = () => fixture().keys.organization.text;

  /** The contract's request does the work: no list of the answer is empty. */
  async function usualCall(id: OperationId): Promise<void> {
    const { status, json } = await send(id);
    expect(status).toBe(operationOf(id).answer.status);
    const empty = Object.entries(Object(json)).filter(
      ([, value]) => Array.isArray(value) && value.length === 0,
    );
    expect(
      empty.map(([name]) => name).filter((name) => name !== "failed"),
      `Lists of ${id} are empty: give it an entry in \`special\`, which makes a record before the call.`,
    ).toEqual([]);
  }

  let learnings = 0;
  async function newLearning(kind: Kind) {
    const text = `Name things, ${learnings++}.`;
    const { json } = await send("createLearnings", { subject: { text } }, kind);
    return { learning_id: results.parse(json).results[0]?.id ?? "", text };
  }
  const newRole = async (text: string) => {
    const { json } = await send("createRole", { subject: { text } });
    return { role_id: created.parse(json).id };
  };

  const newWebhook = async () => ({ webhook_id: await world.webhook(fixture().organization) });

  /** The state after an interrupted move. */
  async function listElsewhere(id: string): Promise<void> {
    const { table } = deployment().store;
    const item = await table.get(
      kinds.learning.key({ organization: fixture().organization, learningId: id }),
    );
    const { place } = z.object({ place: z.string() }).parse(item?.listed);
    await table.write({
      put: {
        ...kinds.learning.key({ organization: fixture().organization, learningId: id }),
        ...item,
        listed: { tenant: "w#left", place },
      },
    });
  }

  /** Where more than the contract's request is needed to use every grant, or to see that the work is done. */
  const special: Partial<Record<OperationId, () => Promise<unknown>>> = {
    async listReviewMetrics() {
      const { text } = await send("listReviewMetrics", { query: { format: "csv" } });
      expect(text.split("\r\n")).toHaveLength(5);
    },
    async createLearnings() {
      const subject = { text: "Prefer early returns." };
      const first = await send("createLearnings", { subject });
      expect(first.json).toMatchObject({ status: "success", created_count: 1 });
      const again = await send("createLearnings", { subject });
      expect(again.json).toMatchObject({ duplicate_count: 1 });
      const pending = { repository_id: "careful", learning: "Ask before you drop a table." };
      await world.sendEvent("learning.captured", captured(fixture().cloud, pending));
      const shared = await send("createLearnings", { body: { data: [pending] } });
      expect(shared.json).toMatchObject({ results: [{ status: "duplicate", promoted: true }] });
    },
    async listLearnings() {
      const { json } = await send("listLearnings");
      expect(json).toMatchObject({ data: [{ learning: "Prefer early returns." }, {}] });
      const query = { repository_name: "group/repository-1" };
      const member = await send("listLearnings", { query }, "user");
      expect(member.json).toMatchObject({ data: [{ learning: "Prefer early returns." }] });
    },
    async getLearning() {
      const subject = await newLearning("instance");
      const { json } = await send("getLearning", { subject }, "instance");
      expect(json).toMatchObject({ id: subject.learning_id, state: "approved" });
    },
    async decideLearning() {
      const waits = { repository_id: "slow", learning: "Ask before you rename a column." };
      await world.repository(fixture().hosted, "slow", { approval_delay_days: 3 });
      await world.sendEvent("learning.captured", captured(fixture().hosted, waits));
      const { json } = await send("listLearnings", { query: { state: "pending" } }, "instance");
      const [listed] = z.object({ data: z.array(created) }).parse(json).data;
      const subject = { learning_id: listed?.id ?? "" };
      expect((await send("decideLearning", { subject }, "instance")).json).toMatchObject({
        learning: waits.learning,
        state: "approved",
      });
    },
    async updateLearning() {
      const { learning_id } = await newLearning("organization");
      const subject = { learning_id, text: "Name things in whole words." };
      expect((await send("updateLearning", { subject })).json).toMatchObject({ id: learning_id });
      // A Learning that is still listed at its organization's earlier place: that entry is removed.
      const other = await newLearning("organization");
      await listElsewhere(other.learning_id);
      const otherText = { ...other, text: "Name things in words of your readers." };
      expect((await send("updateLearning", { subject: otherText })).json).toMatchObject({
        id: other.learning_id,
      });
      // A Learning that could not be indexed at once: the same request again indexes it.
      const { iamProxy } = deployment();
      const late = { subject: { ...(await newLearning("instance")), text: "Say it again." } };
      iamProxy.interfere(({ service }) => (service === "bedrock" ? { status: 400, body: "{}" } : undefined));
      expect((await send("updateLearning", late, "instance")).status).toBe(503);
      iamProxy.interfere();
      expect((await send("updateLearning", late, "instance")).status).toBe(200);
    },
    async deleteLearning() {
      const subject = await newLearning("organization");
      expect((await send("deleteLearning", { subject })).status).toBe(204);
      // A Learning whose first text now belongs to another one: the other's claim stays, and is written again.
      const patched = await newLearning("instance");
      await send("updateLearning", { subject: { ...patched, text: "Not that any more." } }, "instance");
      await send("createLearnings", { subject: patched }, "instance");
      expect((await send("deleteLearning", { subject: patched }, "instance")).status).toBe(204);
    },
    async listUsers() {
      for (const kind of ["organization", "workspace"] as const)
        expect((await send("listUsers", {}, kind)).json).toMatchObject({ users: [{}, {}] });
    },
    async assignSeats() {
      for (const action of ["assign", "unassign"])
        expect((await send("assignSeats", { body: { action } })).json).toMatchObject({
          succeeded: ["u-member"],
        });
    },
    async updateRole() {
      const subject = await newRole("Reader");
      for (const change of [
        { name: "Readers", is_default: true },
        { name: "Readers", description: "May look at all of it." },
      ])
        expect((await send("updateRole", { subject, body: change })).json).toMatchObject({
          id: subject.role_id,
          ...change,
        });
    },
    async giveRole() {
      const subject = await newRole("Given");
      expect((await send("giveRole", { subject })).json).toMatchObject({ succeeded: ["u-member"] });
    },
    async listKeys() {
      const { json } = await send("listKeys", {}, "workspace");
      expect(json).toMatchObject({
        keys: expect.arrayContaining([expect.objectContaining({ kind: "user" })]),
      });
      const ofInstance = await send("listKeys", {}, "instance");
      expect(ofInstance.json).toMatchObject({ keys: [{ kind: "instance" }] });
    },
    async createKey() {
      const { role_id: role } = await newRole("Maker");
      const { organization } = fixture();
      const own = await world.key({ kind: "organization", organization, owner: "u-member", role });
      const made = z.object({ key: z.string(), id: z.string() });
      const call = async (id: OperationId, key: string, options = {}) =>
        await callAs(operationOf(id), key, options);
      const body = { idempotency_key: "6f1c2b7e-3333-4000-8000-000000000003" };
      const first = made.parse((await call("createKey", own.text, { body })).json);
      expect(made.parse((await call("createKey", own.text, { body })).json)).toEqual(first);
      expect((await call("rotateKey", first.key, { subject: { key_id: first.id } })).status).toBe(201);
      expect((await call("deleteKey", own.text, { subject: { key_id: first.id } })).status).toBe(204);
      expect((await call("createKey", own.text)).status).toBe(201);
      expect((await call("deleteKey", own.text, { subject: { key_id: own.key.id } })).status).toBe(204);
      expect((await send("createKey", {}, "workspace")).status).toBe(201);
    },
    async rotateKey() {
      const { organization } = fixture();
      const member = { kind: "organization", organization, owner: "u-member", role: "cr_member" } as const;
      const token = await world.token(fixture().keys.workspace.key.workspace_id ?? "");
      for (const own of [await world.key(member), token]) {
        const request = { subject: { key_id: own.key.id }, body: { grace_seconds: 0 } };
        const rotate = async () => await callAs(operationOf("rotateKey"), own.text, request);
        const { status, json } = await rotate();
        expect([status, json]).toMatchObject([201, { id: own.key.id }]);
        const { key } = z.object({ key: z.string() }).parse(json);
        expect((await rotate()).json).toMatchObject({ id: own.key.id, key });
      }
    },
    async deleteKey() {
      const { organization } = fixture();
      const { key } = await world.key({ kind: "user", organization, owner: "u-member" });
      expect((await send("deleteKey", { subject: { key_id: key.id } })).status).toBe(204);
    },
    async createWebhook() {
      // The first webhook of all: it also creates the key of the secrets.
      expect((await send("createWebhook")).status).toBe(201);
      const whole = await send("createWebhook", {}, "workspace");
      expect([whole.status, whole.json]).toMatchObject([201, { secret: expect.stringMatching(/^whsec_/) }]);
      const repeated = { body: { idempotency_key: systemRandom.uuid() } };
      const first = await send("createWebhook", repeated);
      expect((await send("createWebhook", repeated)).json).toEqual(first.json);
    },
    async listWebhooks() {
      await newWebhook();
      expect((await send("listWebhooks")).json).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ active: true })]),
      });
    },
    async getWebhook() {
      const subject = await newWebhook();
      expect((await send("getWebhook", { subject })).json).toMatchObject({ id: subject.webhook_id });
    },
    async updateWebhook() {
      const answer = await send("updateWebhook", { subject: await newWebhook(), body: { active: false } });
      expect(answer.json).toMatchObject({ active: false });
    },
    async deleteWebhook() {
      expect((await send("deleteWebhook", { subject: await newWebhook() })).status).toBe(204);
    },
    async rotateWebhook() {
      expect((await send("rotateWebhook", { subject: await newWebhook() })).status).toBe(201);
    },
    async testWebhook() {
      const { json } = await send("testWebhook", { subject: await newWebhook() });
      expect(json).toMatchObject({ status: null, answer: "the connection failed (ECONNREFUSED)" });
      const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, "127.0.0.1");
      await once(receiver, "listening");
      const { port } = z.object({ port: z.number() }).parse(receiver.address());
      const { id } = created.parse(
        (await send("createWebhook", { body: { url: `http://127.0.0.1:${port}/` } })).json,
      );
      const delivered = await send("testWebhook", { subject: { webhook_id: id } });
      receiver.close();
      expect(delivered.json).toMatchObject({ status: 204 });
    },
    async listWebhookDeliveries() {
      const { json } = await send("listWebhookDeliveries", { subject: await newWebhook() });
      expect(json).toMatchObject({ data: [] });
    },
    async deleteRole() {
      const subject = await newRole("Nobody");
      expect((await send("deleteRole", { subject })).status).toBe(204);
    },
    async listSecurityFindings() {
      const { json } = await send("listSecurityFindings", {}, "instance");
      expect(json).toMatchObject({ data: [] });
      const own = await send("listSecurityFindings", { query: { format: "sarif" } });
      expect(findingsOf(own.json)).toBe(2);
    },
  };
  const isUsual = ({ id }: ListedOperation) => special[id] === undefined;
  const usual = operations.filter(isUsual).map(({ id }) => [id, () => usualCall(id)] as const);

  return { callAs, admin, calls: [...Object.entries(special), ...usual] };
}
