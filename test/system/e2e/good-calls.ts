import { expect } from "vitest";
import * as z from "zod";
import type { Operation } from "../../../lib/contract/operation.ts";
import { type OperationId, operations } from "../../../lib/contract/operations.ts";
import { learningKey, peopleKey } from "../../../lib/store/layout.ts";
import type { everyKindOfKey } from "../../support/world.ts";
import type { Deployment } from "./deployment.ts";
import type { QueuedWorld } from "./platform.ts";
import { captured, findingsOf } from "./samples.ts";

export type Stage = {
  readonly deployment: () => Deployment;
  readonly world: QueuedWorld;
  readonly fixture: () => Awaited<ReturnType<typeof everyKindOfKey>>;
};

export type Request = { readonly id?: string; readonly query?: string; readonly body?: object };

const contract: readonly Operation[] = operations;
const named = (id: OperationId): Operation => {
  const found = contract.find((each) => each.id === id);
  if (!found) throw new Error(`The contract has no ${id}.`);
  return found;
};

const created = z.object({ id: z.string() });
const results = z.object({ results: z.array(created) });

export const window = "start_date=2026-11-01&end_date=2026-11-30";

/** One call for every operation that does its work; a missing one does not compile. */
export function goodCallsOn({ deployment, world, fixture }: Stage) {
  /** Calls an operation and checks a successful answer against its schema. */
  async function callAs(operation: Operation, key: string, { id, query = "", body }: Request = {}) {
    const path = operation.path.replaceAll(/\{\w+\}/g, id ?? fixture().organization);
    const answer = await deployment().call(`${path}${query}`, {
      method: operation.method,
      key,
      ...(body && { body }),
    });
    expect(deployment().iamProxy.denied).toEqual([]);
    if (answer.status < 300) {
      expect(answer.status).toBe(operation.answer.status);
      if (answer.headers["content-type"] === "application/json") operation.answer.schema?.parse(answer.json);
    }
    return answer;
  }

  const admin = () => fixture().keys.organization.text;

  let learnings = 0;
  async function newLearningOf(key: string) {
    const text = `Name things, ${learnings++}.`;
    const body = { data: [{ repository_id: "1", learning: text }] };
    const { json } = await callAs(named("createLearnings"), key, { body });
    return { id: results.parse(json).results[0]?.id ?? "", text };
  }
  const newLearning = async (key: string) => (await newLearningOf(key)).id;
  /** Of another organization, which has its own ten writes a minute. */
  const hosted = () => fixture().keys.instance.text;

  const otherText = { learning: "Name things in words of your readers." };
  /** The state after an interrupted move. */
  async function listElsewhere(id: string): Promise<void> {
    const { table } = deployment().store;
    const item = await table.get(learningKey(fixture().organization, id));
    const { place } = z.object({ place: z.string() }).parse(item?.listed);
    await table.write({
      put: { ...learningKey(fixture().organization, id), ...item, listed: { tenant: "w#left", place } },
    });
  }

  const calls: Readonly<Record<OperationId, () => Promise<unknown>>> = {
    async listReviewCommentMetrics() {
      const { json } = await callAs(named("listReviewCommentMetrics"), admin(), { query: `?${window}` });
      expect(json).toMatchObject({ data: [{}, {}, {}], next_cursor: null });
    },
    async listReviewMetrics() {
      const { text } = await callAs(named("listReviewMetrics"), admin(), { query: `?${window}&format=csv` });
      expect(text.split("\r\n")).toHaveLength(5);
    },
    async listMcpMetrics() {
      const { json } = await callAs(named("listMcpMetrics"), admin(), { query: `?${window}` });
      expect(json).toMatchObject({ data: [{}, {}, {}] });
    },
    async createLearnings() {
      const batch = { data: [{ repository_id: "1", learning: "Prefer early returns." }] };
      const first = await callAs(named("createLearnings"), admin(), { body: batch });
      expect(first.json).toMatchObject({ status: "success", created_count: 1 });
      const again = await callAs(named("createLearnings"), admin(), { body: batch });
      expect(again.json).toMatchObject({ duplicate_count: 1 });
      const pending = { repository_id: "careful", learning: "Ask before you drop a table." };
      await world.sendEvent("learning.captured", captured(fixture().cloud, pending));
      const shared = await callAs(named("createLearnings"), admin(), { body: { data: [pending] } });
      expect(shared.json).toMatchObject({ results: [{ status: "duplicate", promoted: true }] });
    },
    async listLearnings() {
      const { json } = await callAs(named("listLearnings"), admin());
      expect(json).toMatchObject({ data: [{ learning: "Prefer early returns." }, {}] });
      const member = await callAs(named("listLearnings"), fixture().keys.user.text, {
        query: "?repository_name=group/repository-1",
      });
      expect(member.json).toMatchObject({ data: [{ learning: "Prefer early returns." }] });
    },
    async getLearning() {
      const id = await newLearning(hosted());
      const { json } = await callAs(named("getLearning"), hosted(), { id });
      expect(json).toMatchObject({ id, state: "approved" });
    },
    async decideLearning() {
      const waits = { repository_id: "slow", learning: "Ask before you rename a column." };
      await world.repository(fixture().hosted, "slow", { approval_delay_days: 3 });
      await world.sendEvent("learning.captured", captured(fixture().hosted, waits));
      const { json } = await callAs(named("listLearnings"), hosted(), { query: "?state=pending" });
      const [listed] = z.object({ data: z.array(created) }).parse(json).data;
      const decision = { id: listed?.id ?? "", body: { decision: "approve" } };
      expect((await callAs(named("decideLearning"), hosted(), decision)).json).toMatchObject({
        learning: waits.learning,
        state: "approved",
      });
    },
    async updateLearning() {
      const change = { id: await newLearning(admin()), body: { learning: "Name things in whole words." } };
      expect((await callAs(named("updateLearning"), admin(), change)).json).toMatchObject({ id: change.id });
      // A Learning that is still listed at its organization's earlier place: that entry is removed.
      const id = await newLearning(admin());
      await listElsewhere(id);
      expect((await callAs(named("updateLearning"), admin(), { id, body: otherText })).json).toMatchObject({
        id,
      });
      // A Learning that could not be indexed at once: the same request again indexes it.
      const { iamProxy } = deployment();
      const late = { id: await newLearning(hosted()), body: { learning: "Say it again." } };
      iamProxy.interfere(({ service }) => (service === "bedrock" ? { status: 400, body: "{}" } : undefined));
      expect((await callAs(named("updateLearning"), hosted(), late)).status).toBe(503);
      iamProxy.interfere();
      expect((await callAs(named("updateLearning"), hosted(), late)).status).toBe(200);
    },
    async deleteLearning() {
      const id = await newLearning(admin());
      expect((await callAs(named("deleteLearning"), admin(), { id })).status).toBe(204);
      // A Learning whose first text now belongs to another one: the other's claim stays, and is written again.
      const { id: patched, text } = await newLearningOf(hosted());
      await callAs(named("updateLearning"), hosted(), {
        id: patched,
        body: { learning: "Not that any more." },
      });
      const again = { data: [{ repository_id: "1", learning: text }] };
      await callAs(named("createLearnings"), hosted(), { body: again });
      expect((await callAs(named("deleteLearning"), hosted(), { id: patched })).status).toBe(204);
    },
    async listOrganizations() {
      const { json } = await callAs(named("listOrganizations"), admin());
      expect(json).toMatchObject({ organizations: [{ id: fixture().organization }] });
    },
    async listRepositories() {
      const { json } = await callAs(named("listRepositories"), admin());
      expect(json).toMatchObject({ repositories: [{ provider_repository_id: "1" }, {}] });
    },
    async listUsers() {
      expect((await callAs(named("listUsers"), admin())).json).toMatchObject({ users: [{}, {}] });
      const everybody = await callAs(named("listUsers"), fixture().keys.workspace.text);
      expect(everybody.json).toMatchObject({ users: [{}, {}] });
    },
    async assignSeats() {
      for (const action of ["assign", "unassign"]) {
        const body = { action, user_ids: ["u-member"] };
        expect((await callAs(named("assignSeats"), admin(), { body })).json).toMatchObject({
          succeeded: ["u-member"],
        });
      }
    },
    async getSeatAssignment() {
      const { json } = await callAs(named("getSeatAssignment"), fixture().keys.instance.text);
      expect(json).toEqual({ mode: "manual" });
    },
    async setSeatAssignment() {
      const body = { mode: "automatic" };
      expect((await callAs(named("setSeatAssignment"), fixture().keys.instance.text, { body })).json).toEqual(
        body,
      );
    },
    async changeRoles() {
      const body = { role: "cr_admin", user_ids: ["u-member"] };
      expect((await callAs(named("changeRoles"), admin(), { body })).json).toMatchObject({
        succeeded: ["u-member"],
      });
    },
    async createRole() {
      const { json } = await callAs(named("createRole"), admin(), { body: { name: "Auditor" } });
      expect(json).toMatchObject({ name: "Auditor" });
    },
    async listRoles() {
      const { json } = await callAs(named("listRoles"), admin());
      expect(json).toMatchObject({
        roles: expect.arrayContaining([expect.objectContaining({ name: "Auditor" })]),
      });
    },
    async listPermissions() {
      expect((await callAs(named("listPermissions"), admin())).status).toBe(200);
    },
    async getRole() {
      expect((await callAs(named("getRole"), admin(), { id: "cr_admin" })).json).toMatchObject({
        id: "cr_admin",
      });
    },
    async updateRole() {
      const { json } = await callAs(named("createRole"), admin(), { body: { name: "Reader" } });
      const { id } = created.parse(json);
      const body = { name: "Readers", is_default: true };
      for (const change of [body, { description: "May look at all of it." }])
        expect((await callAs(named("updateRole"), admin(), { id, body: change })).json).toMatchObject({
          id,
          ...change,
        });
    },
    async giveRole() {
      const { json } = await callAs(named("createRole"), admin(), { body: { name: "Given" } });
      const { id } = created.parse(json);
      const body = { user_ids: ["u-member"] };
      expect((await callAs(named("giveRole"), admin(), { id, body })).json).toMatchObject({
        succeeded: ["u-member"],
      });
    },
    async listKeys() {
      const { json } = await callAs(named("listKeys"), fixture().keys.workspace.text);
      expect(json).toMatchObject({
        keys: expect.arrayContaining([expect.objectContaining({ kind: "user" })]),
      });
      const ofInstance = await callAs(named("listKeys"), hosted());
      expect(ofInstance.json).toMatchObject({ keys: [{ kind: "instance" }] });
    },
    async rotateKey() {
      const role = created.parse(
        (await callAs(named("createRole"), admin(), { body: { name: "Robot" } })).json,
      ).id;
      const { organization } = fixture();
      const { key } = await world.key({ kind: "organization", organization, owner: "u-member", role });
      const answer = await callAs(named("rotateKey"), admin(), { id: key.id, body: { grace_seconds: 0 } });
      expect([answer.status, answer.json]).toMatchObject([201, { kind: "organization" }]);
      const token = await world.token(fixture().keys.workspace.key.workspace_id ?? "");
      const own = await callAs(named("rotateKey"), token.text, { id: token.key.id, body: {} });
      expect(own.status).toBe(201);
    },
    async deleteKey() {
      const { organization } = fixture();
      const { key } = await world.key({ kind: "user", organization, owner: "u-member" });
      expect((await callAs(named("deleteKey"), admin(), { id: key.id })).status).toBe(204);
    },
    async deleteRole() {
      const { json } = await callAs(named("createRole"), admin(), { body: { name: "Nobody" } });
      const { id } = created.parse(json);
      // As in the first release: keys with the role may be listed only in the directory.
      const { table } = deployment().store;
      await table.write({ update: peopleKey(fixture().organization), change: { remove: ["keys_given"] } });
      expect((await callAs(named("deleteRole"), admin(), { id })).status).toBe(204);
    },
    async listAuditLogs() {
      const { json } = await callAs(named("listAuditLogs"), admin());
      expect(json).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ summary: expect.any(String) })]),
      });
    },
    async listSecurityFindings() {
      const { json } = await callAs(named("listSecurityFindings"), fixture().keys.instance.text);
      expect(json).toMatchObject({ data: [] });
      const own = await callAs(named("listSecurityFindings"), admin(), { query: "?format=sarif" });
      expect(findingsOf(own.json)).toBe(2);
    },
    async whoami() {
      expect((await callAs(named("whoami"), admin())).json).toMatchObject({ key: { kind: "organization" } });
    },
  };

  return { callAs, admin, calls };
}
