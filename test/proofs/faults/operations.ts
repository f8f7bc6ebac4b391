import { createRouter } from "../../../cli/local/routes.ts";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { createCursorKeys } from "../../../lib/http/cursor-keys.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { required } from "../../../lib/runtime/required.ts";
import { cursorKeysKey } from "../../../lib/store/layout.ts";
import type { Answer } from "../../support/api.ts";
import { buildFixture, type FaultFixture, fillFixture, growEntries, texts } from "./fixture.ts";
import type { CallResult, FaultEnvironment, Scenario, ScenarioSet, Scenarios } from "./scenario.ts";
import { stable } from "./state.ts";

type Asked = {
  readonly key: keyof FaultFixture["keys"];
  readonly method: string;
  readonly target: string;
  readonly body?: object;
  readonly rawHeaders?: readonly string[];
};

const window = "start_date=2026-11-01&end_date=2026-11-30";
/** A few months, each a partition and therefore one call. */
const since = new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10);

/** The id of the operation that answers. */
function operationAt(method: string, target: string): string {
  const { resource } = route(method, target.split("?", 1)[0] ?? "");
  const found = operations.find((each) => each.method === method && each.path === resource);
  return required(found, `operation ${method} ${target}`).id;
}
const route = createRouter(operations);

/** A concurrent writer was faster at the first write there. */
const rival = (file: string) => ({ at: `${file} TransactWriteItems`, fault: "condition", times: 1 }) as const;

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
    .replaceAll(/"last_used_at":(?:null|"[^"]+")/g, '"last_used_at":"some time"')
    .replaceAll(/_cursor":"[\w.-]+"/g, '_cursor":"a cursor"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "a time")}`;
}

/** Every operation, with callers and parameters that make all of its calls. */
export function operationScenarios(environment: FaultEnvironment): ScenarioSet {
  const { api } = environment;
  let fixture: FaultFixture | undefined;
  const built = (): FaultFixture => {
    if (!fixture) throw new Error("The fixture is built first.");
    return fixture;
  };
  const act = async ({ key, target, ...rest }: Asked): Promise<CallResult> => {
    const answer = await api.call(target, { key: built().keys[key], ...rest });
    if (answer.body.includes("hunter2")) throw new Error(`${target} says what the store said.`);
    const text = saidOf(answer);
    return {
      text,
      isAcknowledged: answer.status < 500 && !/ (?:\w+_FAILED|RATE_LIMIT_EXCEEDED)$/.test(text),
    };
  };
  const documented = { says: /^20[014] /, maySay: ["503 SERVICE_UNAVAILABLE"] };
  const get = (key: Asked["key"], target: string, more: Partial<Scenario> = {}): Scenario => ({
    ...documented,
    fixture: "fixture",
    isRead: true,
    covers: operationAt("GET", target),
    act: () => act({ key, method: "GET", target }),
    ...more,
  });
  const full = { fixture: "a full fixture" };
  const change = (
    key: Asked["key"],
    method: string,
    target: string,
    body?: object,
    more: Partial<Scenario> = {},
  ): Scenario => ({
    ...documented,
    fixture: "fixture",
    covers: operationAt(method, target),
    act: () => act({ key, method, target, ...(body && { body }) }),
    ...more,
  });
  const learnings = {
    maySay: [
      "503 SERVICE_UNAVAILABLE",
      "200 STORAGE_FAILED",
      "200 INDEXING_FAILED",
      "503 INDEX_REFRESH_FAILED",
    ],
    mayRecord: /"failed":\[\{"code":"(?:INDEXING|STORAGE)_FAILED"/,
  };
  const item = (learning: string) => ({ repository_id: "r1", learning });
  const newRole = {
    name: "New",
    is_default: true,
    permissions: [{ resource_id: "security", access_type: "read" }],
  };

  const reads = (): Scenarios => ({
    whoami: get("organization", "/v1/whoami"),
    "MCP metrics with a legacy key": get("legacy", `/v1/metrics/mcp?${window}`),
    "a key whose organization moved": get("moved", `/v1/metrics/mcp?${window}`),
    organizations: get("workspace", "/v1/organizations"),
    repositories: get("organization", `/v1/organizations/${built().uuid}/repositories`),
    "members of one organization": get("organization", "/v1/users"),
    "people of a workspace": get("workspace", "/v1/users"),
    "audit log of an organization": get(
      "organization",
      `/v1/audit-logs?actions=key.created&date_from=${since}`,
    ),
    "audit log of a workspace": get(
      "workspace",
      `/v1/audit-logs?actions=role.deleted&order=asc&limit=1&date_from=${since}`,
    ),
    "roles, listed": get("organization", "/v1/roles?include_permissions=true"),
    "a role, read": get("organization", `/v1/roles/${built().roleId}`),
    "keys of an organization": get("organization", "/v1/keys"),
    "keys of a workspace": get("workspace", "/v1/keys?limit=2"),
    "keys of an instance, with one for an organization that sleeps": get("instance", "/v1/keys"),
    permissions: get("organization", "/v1/roles/permissions"),
    "review comment metrics": get("workspace", `/v1/metrics/review-comments?${window}&limit=1`),
    "review comments that spill": get("organization", `/v1/metrics/review-comments?${window}`, full),
    "review comments that are too large": get("organization", `/v1/metrics/review-comments?${window}`, {
      fixture: "a fixture with too large a pull request",
      says: /^413 RESPONSE_TOO_LARGE$/,
    }),
    "review metrics": get("organization", `/v1/metrics/reviews?${window}&format=csv`),
    "MCP metrics": get("workspace", `/v1/metrics/mcp?${window}&org_id=one`),
    Learnings: get("workspace", "/v1/learnings"),
    "Learnings of a repository": get("member", "/v1/learnings?repository_name=group/repository-r1", full),
    "a Learning, read": get("instance", `/v1/learnings/${built().learningId}`, {
      says: /^404 LEARNING_NOT_FOUND$/,
    }),
    "a Learning of ours, read": get("member", `/v1/learnings/${built().learningId}`),
    "Learnings that wait": get("workspace", "/v1/learnings?state=pending"),
    "security findings": get("organization", "/v1/security/scans/code"),
    "security findings of many repositories": get(
      "organization",
      "/v1/security/scans/code?severity=low",
      full,
    ),
    "security findings of a repository": get(
      "organization",
      "/v1/security/scans/code?repo_id=r1&format=sarif",
    ),
    "seat assignment, read": get("instance", "/v1/users/seats/assignment"),
    "a member who is no admin": change("member", "GET", "/v1/users", undefined, { says: /^403 NOT_ADMIN$/ }),
    "a cursor of a newer key": cursorOfNewerKey(),
    "metrics of a workspace that organizations left": resumed(
      `/v1/metrics/mcp?${window}&include_removed=true`,
      leaveWorkspace,
    ),
    "audit log of a workspace that organizations left": resumed("/v1/audit-logs?order=asc", leaveWorkspace),
    "Learnings, some of them deleted": resumed("/v1/learnings?include_removed=true", async () => {
      for (const id of [built().learningId, built().unindexedId])
        await api.call(`/v1/learnings/${id}`, { method: "DELETE", key: built().keys.organization });
    }),
    "a revoked key of a member": change("revoked", "GET", "/v1/whoami", undefined, {
      says: /^401 UNAUTHORIZED$/,
    }),
  });

  const writes = (): Scenarios => ({
    "seat assignment, set": change("instance", "POST", "/v1/users/seats/assignment", { mode: "automatic" }),
    "seats for members": change("instance", "POST", "/v1/users/seats", {
      action: "assign",
      user_ids: ["u2", "u3", "nobody"],
    }),
    "seats taken from members": change("instance", "POST", "/v1/users/seats", {
      action: "unassign",
      user_ids: ["u1", "u2"],
    }),
    "seats by address": change("workspace", "POST", "/v1/users/seats", {
      action: "assign",
      emails: ["u1@example.com", "U2@example.com", "nobody@example.com"],
    }),
    "roles of members": change("organization", "POST", "/v1/users/roles", {
      role: "cr_admin",
      user_ids: ["u1", "u2", "nobody"],
    }),
    "roles of members, while somebody else is at it": change(
      "organization",
      "POST",
      "/v1/users/roles",
      { role: "cr_admin", user_ids: ["u1", "u2"] },
      { extraFault: rival("lib/people/change-roles.ts") },
    ),
    "seats for members, while somebody else is at it": change(
      "instance",
      "POST",
      "/v1/users/seats",
      { action: "assign", user_ids: ["u2", "u3"] },
      { extraFault: rival("lib/people/assign-seats.ts") },
    ),
    "the last admin": change("organization", "POST", "/v1/users/roles", {
      role: "cr_member",
      user_ids: ["u-admin"],
    }),
    "roles everywhere": change(
      "instance",
      "POST",
      "/v1/users/roles",
      { role: "cr_admin", user_ids: ["u1"], org_id: "ALL" },
      { recordsLater: true },
    ),
    "a role, created": change("organization", "POST", "/v1/roles", newRole),
    "a role, created again": change("organization", "POST", "/v1/roles", newRole, {
      prepare: async () => {
        await api.call("/v1/roles", { key: built().keys.organization, body: newRole });
      },
    }),
    "a role, changed": change("organization", "PATCH", `/v1/roles/${built().roleId}`, {
      name: "Renamed",
      is_default: true,
    }),
    "a role, given": change("organization", "POST", `/v1/roles/${built().roleId}/users`, {
      user_ids: ["u1", "u2", "nobody"],
    }),
    "a key, rotated": change(
      "organization",
      "POST",
      `/v1/keys/${built().spareKeyId}/rotate`,
      {},
      { doneBefore: /^409 KEY_ROTATED$/ },
    ),
    "a key, rotated once more because its new value never arrived": change(
      "organization",
      "POST",
      `/v1/keys/${built().spareKeyId}/rotate`,
      {},
      { prepare: rotateSpareKey, doneBefore: /^409 KEY_ROTATED$/ },
    ),
    "a key, ended with its successor": change(
      "organization",
      "DELETE",
      `/v1/keys/${built().spareKeyId}`,
      undefined,
      { prepare: rotateSpareKey },
    ),
    "a key, ended": change("organization", "DELETE", `/v1/keys/${built().spareKeyId}`),
    "a role, deleted": change("organization", "DELETE", `/v1/roles/${built().unusedRoleId}`, undefined, {
      doneBefore: /^404 ROLE_NOT_FOUND$/,
    }),
    "Learnings, created": change(
      "organization",
      "POST",
      "/v1/learnings",
      { data: ["New.", texts.indexed, texts.unindexed, texts.pending, "New."].map(item) },
      { ...learnings, doneBefore: /^200 .*"failed_count":0/ },
    ),
    "a Learning, changed": change(
      "instance",
      "PATCH",
      `/v1/learnings/${built().learningId}`,
      { learning: "Nowhere to be found." },
      { ...learnings, says: /^404 LEARNING_NOT_FOUND$/ },
    ),
    "a Learning of ours, changed": change(
      "organization",
      "PATCH",
      `/v1/learnings/${built().learningId}`,
      { learning: "Mind it." },
      learnings,
    ),
    "a Learning's file, changed": change(
      "organization",
      "PATCH",
      `/v1/learnings/${built().learningId}`,
      { learning: texts.indexed, file: "src/gap.ts", source_url: null },
      learnings,
    ),
    "a Learning, approved": change("organization", "POST", `/v1/learnings/${built().pendingId}/approval`, {
      decision: "approve",
    }),
    "a Learning, disapproved": change("workspace", "POST", `/v1/learnings/${built().pendingId}/approval`, {
      decision: "disapprove",
      org_id: "one",
    }),
    "a Learning, deleted": change(
      "organization",
      "DELETE",
      `/v1/learnings/${built().learningId}`,
      undefined,
      learnings,
    ),
    "a Learning, deleted by half before": change(
      "organization",
      "DELETE",
      `/v1/learnings/${built().orphanId}`,
      undefined,
      learnings,
    ),
  });

  async function rotateSpareKey(): Promise<void> {
    const { organization: key } = built().keys;
    await api.call(`/v1/keys/${built().spareKeyId}/rotate`, { key, body: {} });
    environment.wait(keyLimits.unreceivedAfterMs);
  }

  async function leaveWorkspace(): Promise<void> {
    for (const name of ["two", "mover"])
      await environment.world.organization(name, { workspace_id: "faults", active: false });
  }

  /** A walk that resumes after a thing was removed. */
  function resumed(target: string, remove: () => Promise<void>): Scenario {
    let cursor = "";
    return {
      ...documented,
      fixture: "fixture",
      prepare: async () => {
        const { headers } = await api.call(target, { key: built().keys.workspace });
        cursor = headers["x-resume-cursor"] ?? "";
        await remove();
      },
      act: () => act({ key: "workspace", method: "GET", target: `${target}&cursor=${cursor}` }),
    };
  }

  /** A warm function gets a cursor that was signed with a newer key than it knows. */
  function cursorOfNewerKey(): Scenario {
    let cursor = "";
    return {
      ...documented,
      fixture: "fixture",
      prepare: async () => {
        const { table } = api.store();
        const key = built().keys.workspace;
        const first = await api.call("/v1/organizations?limit=1", { key });
        cursor = /"next_cursor":"([^"]+)"/.exec(first.body.toString())?.[1] ?? "";
        const kept = await table.get(cursorKeysKey);
        await table.write({ delete: cursorKeysKey });
        await createCursorKeys({ table, clock: systemClock, random: systemRandom });
        environment.wait(61_000);
        await api.call("/v1/organizations", { key });
        environment.wait(1_000);
        if (kept) await table.write({ put: kept });
      },
      act: () =>
        act({ key: "workspace", method: "GET", target: `/v1/organizations?limit=1&cursor=${cursor}` }),
    };
  }

  return {
    fixtures: {
      fixture: {
        build: async () => {
          fixture = await buildFixture(environment);
        },
      },
      "a full fixture": { from: "fixture", build: () => fillFixture(environment, built()) },
      "a fixture with too large a pull request": {
        from: "a full fixture",
        build: () => growEntries(environment),
      },
    },
    scenarios: () => ({ ...reads(), ...writes() }),
  };
}
