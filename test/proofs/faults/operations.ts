import { parseKeyText } from "../../../lib/access/key-text.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { isReadOnly } from "../../../lib/contract/operation.ts";
import { type OperationId, operationOf, operations } from "../../../lib/contract/operations.ts";
import { requestOf, type SentRequest, type Subject, usualKind } from "../../../lib/contract/requests.ts";
import { seatHolderId } from "../../../lib/contract/seat-holder.ts";
import { createCursorKeys } from "../../../lib/http/cursor-keys.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { Answer } from "../../support/api.ts";
import { absent } from "../../support/subject.ts";
import { buildFixture, type FaultFixture, fillFixture, growEntries, texts } from "./fixture.ts";
import type { CallResult, FaultEnvironment, Scenario, ScenarioSet, Scenarios } from "./scenario.ts";
import { stable } from "./state.ts";

type Key = keyof FaultFixture["keys"];
/** Differences from the contract's request about the fixture. */
type Sent = {
  readonly subject?: Partial<Subject>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** A few months, each a partition and therefore one call. */
const since = new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10);

/** A concurrent writer was faster at the first write there. */
const rival = (file: string) => ({ at: `${file} TransactWriteItems`, fault: "condition", times: 1 }) as const;

const isWrite = ({ isRead = false }: Scenario): boolean => !isRead;

/** The answer without its random parts: ids, cursors, times. */
function saidOf({ status, codes, json, body }: Answer): string {
  if (status >= 400) return `${status} ${codes[0]}`;
  const failed = /"code":"(\w+_FAILED)"/.exec(body.toString())?.[1];
  if (failed) return `${status} ${failed}`;
  const text = json === undefined ? body.toString() : stable(json);
  return `${status} ${text
    .replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"an id"')
    .replaceAll(/"id":"k[a-z2-7]{16}"/g, '"id":"an id"')
    .replaceAll(/"key":"rk_\w+"/g, '"key":"a key"')
    .replaceAll(/"secret":"whsec_[^"]+"/g, '"secret":"a secret"')
    .replaceAll(/"ms":\d+/g, '"ms":1')
    .replaceAll(/"last_used_at":(?:null|"[^"]+")/g, '"last_used_at":"some time"')
    .replaceAll(/_cursor":"[\w.-]+"/g, '_cursor":"a cursor"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "a time")}`;
}

const documented = { says: /^20[014] /, maySay: ["503 SERVICE_UNAVAILABLE"] };
const full = { fixture: "a full fixture" };
const learnings = {
  maySay: [
    "503 SERVICE_UNAVAILABLE",
    "200 STORAGE_FAILED",
    "200 INDEXING_FAILED",
    "503 INDEX_REFRESH_FAILED",
  ],
  mayRecord: /"failed":\[\{"code":"(?:INDEXING|STORAGE)_FAILED"/,
};
const idempotency_key = "0d5e1c52-0000-4000-8000-00000000abcd";
const rotation = { body: { idempotency_key } };
const namelessHolder = seatHolderId({ provider: "github", organizationId: "cellar", userId: "nameless" });
const goneKeys = Array.from({ length: keyLimits.madeKeysMax }, (_, index) => `kgone${index}`);
/** What an operation's own scenario needs besides the contract's request. */
const special: Partial<Record<OperationId, Sent & Partial<Scenario>>> = {
  listAuditLogs: { query: { actions: "key.created", date_from: since } },
  createLearnings: { ...learnings, doneBefore: /^200 .*"failed_count":0/ },
  updateLearning: learnings,
  deleteLearning: learnings,
  deleteRole: { doneBefore: /^404 ROLE_NOT_FOUND$/ },
  createKey: { body: { idempotency_key } },
  rotateKey: rotation,
  // Encrypted differently every time.
  createWebhook: { body: { idempotency_key }, uncompared: /WEBHOOK-SECRETS#|ONCE#/ },
  rotateWebhook: { body: { idempotency_key }, uncompared: /WEBHOOK-SECRETS#|ONCE#/ },
  deleteWebhook: { doneBefore: /^404 WEBHOOK_NOT_FOUND$/ },
  // Each attempt is listed, at its own time.
  testWebhook: { uncompared: /DELIVERIES#/ },
};
const newRole = {
  name: "New",
  is_default: true,
  permissions: [{ resource_id: "security", access_type: "read" }],
};
const nowhere = { says: /^404 LEARNING_NOT_FOUND$/ };

/** Every operation, and further callers and parameters that make the rest of their calls. */
export const operationScenarios = (environment: FaultEnvironment): ScenarioSet =>
  new OperationScenarios(environment).set();

class OperationScenarios {
  readonly #environment: FaultEnvironment;
  #fixture: FaultFixture | undefined;

  constructor(environment: FaultEnvironment) {
    this.#environment = environment;
  }

  set(): ScenarioSet {
    return {
      fixtures: {
        fixture: {
          build: async () => {
            this.#fixture = await buildFixture(this.#environment);
          },
        },
        "a full fixture": { from: "fixture", build: () => fillFixture(this.#environment, this.#built()) },
        "a fixture with too large a pull request": {
          from: "a full fixture",
          build: () => growEntries(this.#environment),
        },
      },
      // Reads first: of several scenarios with the same call, the short run takes the last.
      scenarios: () => {
        const all = Object.entries({
          ...this.#ofEveryOperation(),
          ...this.#readsOfMetricsAndPeople(),
          ...this.#readsOfLearningsAndFindings(),
          ...this.#writesOfPeopleAndKeys(),
          ...this.#writesOfLearningsAndWebhooks(),
        });
        return Object.fromEntries(
          all.toSorted(([, one], [, next]) => Number(isWrite(one)) - Number(isWrite(next))),
        );
      },
    };
  }

  #built(): FaultFixture {
    if (!this.#fixture) throw new Error("The fixture is built first.");
    return this.#fixture;
  }

  #idOf(key: Key): string {
    return parseKeyText(this.#built().keys[key])?.id ?? "";
  }

  async #act(key: Key, { target, ...rest }: SentRequest): Promise<CallResult> {
    const answer = await this.#environment.api.call(target, { key: this.#built().keys[key], ...rest });
    if (answer.body.includes("hunter2")) throw new Error(`${target} says what the store said.`);
    const text = saidOf(answer);
    return {
      text,
      isAcknowledged: answer.status < 500 && !/ (?:\w+_FAILED|RATE_LIMIT_EXCEEDED)$/.test(text),
    };
  }

  #subjectOf(id: OperationId): Subject {
    return {
      ...absent,
      organization_id: this.#built().uuid,
      learning_id: id === "decideLearning" ? this.#built().pendingId : this.#built().learningId,
      role_id: id === "deleteRole" ? this.#built().unusedRoleId : this.#built().roleId,
      key_id: this.#built().spareKeyId,
      webhook_id: this.#built().webhookId,
      repository_id: "r1",
      user_id: "u1",
      text: "Mind it.",
    };
  }

  #send(id: OperationId, key: Key, sent: Sent = {}, more: Partial<Scenario> = {}): Scenario {
    const operation = operationOf(id);
    const kind = key === "workspace" ? key : "organization";
    // A key rotates only itself.
    const own = id === "rotateKey" && { key_id: this.#idOf(key) };
    const subject = { ...this.#subjectOf(id), ...own, ...sent.subject };
    const request = requestOf(operation, subject, { kind, ...sent });
    return {
      ...documented,
      fixture: "fixture",
      covers: id,
      ...(isReadOnly(operation) && { isRead: true }),
      act: () => this.#act(key, request),
      ...more,
    };
  }

  #ofEveryOperation(): Scenarios {
    return Object.fromEntries(
      operations.map(({ id }) => [id, this.#send(id, usualKind(operationOf(id)), special[id], special[id])]),
    );
  }

  #readsOfMetricsAndPeople(): Scenarios {
    return {
      "MCP metrics with a legacy key": this.#send("listMcpMetrics", "legacy"),
      "a key whose organization moved": this.#send("listMcpMetrics", "moved"),
      organizations: this.#send("listOrganizations", "workspace"),
      "people of a workspace": this.#send("listUsers", "workspace"),
      "audit log of a workspace": this.#send("listAuditLogs", "workspace", {
        query: { actions: "role.deleted", order: "asc", limit: "1", date_from: since },
      }),
      "keys of a workspace": this.#send("listKeys", "workspace", { query: { limit: "2" } }),
      "keys of an instance, with one for an organization that sleeps": this.#send("listKeys", "instance"),
      "review comment metrics": this.#send("listReviewCommentMetrics", "workspace", {
        query: { limit: "1" },
      }),
      "review comments that spill": this.#send("listReviewCommentMetrics", "organization", {}, full),
      "review comments that are too large": this.#send(
        "listReviewCommentMetrics",
        "organization",
        {},
        {
          fixture: "a fixture with too large a pull request",
          says: /^413 RESPONSE_TOO_LARGE$/,
        },
      ),
      "review metrics": this.#send("listReviewMetrics", "organization", { query: { format: "csv" } }),
      "MCP metrics": this.#send("listMcpMetrics", "workspace", { query: { org_id: "one" } }),
    };
  }

  #readsOfLearningsAndFindings(): Scenarios {
    return {
      Learnings: this.#send("listLearnings", "workspace"),
      "Learnings of a repository": this.#send(
        "listLearnings",
        "member",
        { query: { repository_name: "group/repository-r1" } },
        full,
      ),
      "a search of a workspace": this.#send("searchLearnings", "workspace", {
        body: { query: texts.indexed },
      }),
      "a search by a member, of a repository": this.#send("searchLearnings", "member", {
        body: { query: texts.indexed, repository_name: "group/repository-r1" },
      }),
      "a Learning that is nowhere": this.#send("getLearning", "instance", {}, nowhere),
      "a Learning, read by a member": this.#send("getLearning", "member"),
      "Learnings that wait": this.#send("listLearnings", "workspace", { query: { state: "pending" } }),
      "security findings of many repositories": this.#send(
        "listSecurityFindings",
        "organization",
        { query: { severity: "low" } },
        full,
      ),
      "security findings of a repository": this.#send("listSecurityFindings", "organization", {
        query: { repo_id: "r1", format: "sarif" },
      }),
      "a member who is no admin": this.#send(
        "listUsers",
        "member",
        {},
        { says: /^403 NOT_ADMIN$/, isRead: false },
      ),
      "a cursor of a newer key": this.#cursorOfNewerKey(),
      "metrics of a workspace that organizations left": this.#resumed(
        "listMcpMetrics",
        { include_removed: "true" },
        () => this.#leaveWorkspace(),
      ),
      "audit log of a workspace that organizations left": this.#resumed(
        "listAuditLogs",
        { order: "asc" },
        () => this.#leaveWorkspace(),
      ),
      "Learnings, some of them deleted": this.#resumed(
        "listLearnings",
        { include_removed: "true" },
        async () => {
          for (const id of [this.#built().learningId, this.#built().unindexedId])
            await this.#environment.api.call(`/v1/learnings/${id}`, {
              method: "DELETE",
              key: this.#built().keys.organization,
            });
        },
      ),
      "a revoked key of a member": this.#send(
        "whoami",
        "revoked",
        {},
        { says: /^401 UNAUTHORIZED$/, isRead: false },
      ),
    };
  }

  #writesOfPeopleAndKeys(): Scenarios {
    return {
      "seats for members": this.#send("assignSeats", "instance", {
        body: { user_ids: ["u2", "u3", "nobody"] },
      }),
      "seats taken from members": this.#send("assignSeats", "instance", {
        body: { action: "unassign", user_ids: ["u1", "u2"] },
      }),
      "seats by address": this.#send("assignSeats", "workspace", {
        body: { emails: ["u1@example.com", "U2@example.com", "nobody@example.com"] },
      }),
      "a seat taken from a holder without an address": this.#send("assignSeats", "workspace", {
        body: { action: "unassign", emails: undefined, user_ids: [namelessHolder] },
      }),
      "seats for members, while somebody else is at it": this.#send(
        "assignSeats",
        "instance",
        { body: { user_ids: ["u2", "u3"] } },
        { extraFault: rival("lib/people/assign-seats.ts") },
      ),
      "roles of members": this.#send("changeRoles", "organization", {
        body: { user_ids: ["u1", "u2", "nobody"] },
      }),
      "roles of members, while somebody else is at it": this.#send(
        "changeRoles",
        "organization",
        { body: { user_ids: ["u1", "u2"] } },
        { extraFault: rival("lib/people/change-roles.ts") },
      ),
      "the last admin": this.#send("changeRoles", "organization", {
        body: { role: "cr_member", user_ids: ["u-admin"] },
      }),
      "roles everywhere": this.#send("changeRoles", "instance", { body: { org_id: "ALL" } }),
      "a default role, created": this.#send("createRole", "organization", { body: newRole }),
      "a default role, created again": this.#send(
        "createRole",
        "organization",
        { body: newRole },
        {
          prepare: async () => {
            await this.#environment.api.call("/v1/roles", {
              key: this.#built().keys.organization,
              body: newRole,
            });
          },
        },
      ),
      "a role, made the default": this.#send("updateRole", "organization", { body: { is_default: true } }),
      "a rotation, repeated because its answer was lost": this.#send("rotateKey", "organization", rotation, {
        prepare: async () => void (await this.#ofEveryOperation().rotateKey?.act()),
      }),
      "a key of some organizations of an instance, rotated": this.#send("rotateKey", "limited", rotation),
      "a key of some organizations of an instance makes one": this.#send("createKey", "limited"),
      "a key, made again because its value never arrived": this.#send(
        "createKey",
        "organization",
        { body: { idempotency_key } },
        { prepare: async () => void (await this.#ofEveryOperation().createKey?.act()) },
      ),
      "a key, ended with what it made": this.#send(
        "deleteKey",
        "organization",
        {},
        { prepare: () => this.#saveMade(this.#built().spareKeyId, [this.#idOf("ending")]) },
      ),
      "a key that made as many keys as it may, of which none works": this.#send(
        "createKey",
        "organization",
        { body: { idempotency_key } },
        { prepare: () => this.#saveMade(this.#idOf("organization"), goneKeys) },
      ),
      "a key that ends before the key that it is to make": this.#send(
        "createKey",
        "ending",
        { body: { idempotency_key, expires_in_days: 9 } },
        { says: /^403 KEY_LIMITED$/ },
      ),
    };
  }

  #writesOfLearningsAndWebhooks(): Scenarios {
    return {
      "Learnings, some of them known": this.#send(
        "createLearnings",
        "organization",
        {
          body: {
            data: ["New.", texts.indexed, texts.unindexed, texts.pending, "New."].map((learning) => ({
              repository_id: "r1",
              learning,
            })),
          },
        },
        { ...learnings, doneBefore: /^200 .*"failed_count":0/ },
      ),
      "a Learning that is nowhere, changed": this.#send(
        "updateLearning",
        "instance",
        {},
        { ...learnings, ...nowhere },
      ),
      "a Learning's file, changed": this.#send(
        "updateLearning",
        "organization",
        { body: { learning: texts.indexed, file: "src/gap.ts", source_url: null } },
        learnings,
      ),
      "the first webhook of all": this.#send(
        "createWebhook",
        "organization",
        { body: { idempotency_key } },
        {
          prepare: async () =>
            void (await this.#environment.api.store().table.write({ delete: kinds.webhookKey.key() })),
          uncompared: /WEBHOOK-SECRETS#|ONCE#|WEBHOOK-KEY/,
        },
      ),
      "a webhook that the same request made before": this.#send(
        "createWebhook",
        "organization",
        { body: { idempotency_key } },
        {
          prepare: async () => void (await this.#ofEveryOperation().createWebhook?.act()),
          uncompared: /WEBHOOK-SECRETS#|ONCE#/,
        },
      ),
      "a Learning, disapproved": this.#send("decideLearning", "workspace", {
        body: { decision: "disapprove", org_id: "one" },
      }),
      "a Learning, deleted by half before": this.#send(
        "deleteLearning",
        "organization",
        { subject: { learning_id: this.#built().orphanId } },
        learnings,
      ),
    };
  }

  /** The spare key has made this one. */
  async #saveMade(keyId: string, ids: readonly string[]): Promise<void> {
    const made = ids.map((id) => ({ id, expires_at_ms: 32_503_680_000_000 }));
    const put = { ...kinds.madeKeys.key({ keyId }), version: 1, made };
    await this.#environment.api.store().table.write({ put });
  }

  async #leaveWorkspace(): Promise<void> {
    for (const name of ["two", "mover"])
      await this.#environment.world.organization(name, { workspace_id: "faults", active: false });
  }

  /** A walk that resumes after a thing was removed. */
  #resumed(id: OperationId, query: Record<string, string>, remove: () => Promise<void>): Scenario {
    const request = (more = {}) =>
      requestOf(operationOf(id), this.#subjectOf(id), { query: { ...query, ...more } });
    let cursor = "";
    return {
      ...documented,
      fixture: "fixture",
      covers: id,
      prepare: async () => {
        const { headers } = await this.#environment.api.call(request().target, {
          key: this.#built().keys.workspace,
        });
        cursor = headers["x-resume-cursor"] ?? "";
        await remove();
      },
      act: () => this.#act("workspace", request({ cursor })),
    };
  }

  /** A warm function gets a cursor that was signed with a newer key than it knows. */
  #cursorOfNewerKey(): Scenario {
    let cursor = "";
    return {
      ...documented,
      fixture: "fixture",
      covers: "listOrganizations",
      prepare: async () => {
        const { table } = this.#environment.api.store();
        const key = this.#built().keys.workspace;
        const first = await this.#environment.api.call("/v1/organizations?limit=1", { key });
        cursor = /"next_cursor":"([^"]+)"/.exec(first.body.toString())?.[1] ?? "";
        const kept = await table.get(kinds.cursorKeys.key());
        await table.write({ delete: kinds.cursorKeys.key() });
        await createCursorKeys({ table, clock: systemClock, random: systemRandom });
        this.#environment.wait(61_000);
        await this.#environment.api.call("/v1/organizations", { key });
        this.#environment.wait(1_000);
        if (kept) await table.write({ put: kept });
      },
      act: () =>
        this.#act("workspace", { method: "GET", target: `/v1/organizations?limit=1&cursor=${cursor}` }),
    };
  }
}
