import { createKey } from "../../access/create-key.ts";
import type { IssuedKey } from "../../access/key-registry.ts";
import { revokeKey } from "../../access/revoke-key.ts";
import { createWorkspaceToken } from "../../access/workspace-tokens.ts";
import { operator } from "../../audit/entry.ts";
import { organizationUuid } from "../../contract/identity.ts";
import { requestLimits } from "../../contract/limits.ts";
import type { OutgoingEvent } from "../../events/send.ts";
import type { Connection } from "../../operator/connection.ts";
import { systemClock, toTimestamp } from "../../runtime/clock.ts";
import { systemRandom } from "../../runtime/random.ts";

/** Everything with this name belongs to `verify` alone: it is created, used and removed again. */
export const reservedName = "review-api-verify";

const cloudName = {
  provider: "github",
  instance_id: null,
  provider_organization_id: `${reservedName}-cloud`,
};
const homeName = {
  provider: "gitlab",
  instance_id: reservedName,
  provider_organization_id: `${reservedName}-home`,
};

export const stage = {
  workspace: reservedName,
  instance: reservedName,
  cloud: { ...cloudName, uuid: organizationUuid(cloudName) },
  home: { ...homeName, uuid: organizationUuid(homeName) },
  repositoryId: "1",
  teamId: `${reservedName}-team`,
  admin: `${reservedName}-admin`,
  member: `${reservedName}-member`,
} as const;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Later events are newer; no event is in the future. */
function eventMaker() {
  const startMs = systemClock.nowMs() - minuteMs;
  const ids: string[] = [];
  const make = (type: string, data: object): OutgoingEvent => {
    const id = systemRandom.uuid();
    const occurred_at = toTimestamp(startMs + ids.length);
    ids.push(id);
    return { id, type, occurred_at, data };
  };
  return { make, ids: () => ids };
}

export type StageEvents = {
  readonly all: readonly OutgoingEvent[];
  /** The day its pull requests were merged: the window of the metrics calls. */
  readonly day: string;
  used(learningId: string): OutgoingEvent;
  /** The ids of all events created so far. */
  ids(): readonly string[];
};

/** All events of the stage: at least one of each type. */
export function stageEvents(): StageEvents {
  const { make: event, ids } = eventMaker();
  const nowMs = systemClock.nowMs();
  const mergedAtMs = nowMs - hourMs;
  const people = [stage.admin, stage.member];
  const all = [
    event("workspace.saved", workspace),
    event("instance.saved", {
      id: stage.instance,
      name: stage.instance,
      provider: "gitlab",
      base_url: "https://git.example.com",
      active: true,
    }),
    event(
      "organization.saved",
      // The Learning that the event below captures waits for approval.
      organization(cloudName, {
        workspace_id: stage.workspace,
        deployment: "cloud",
        approval_delay_days: 1,
      }),
    ),
    event("organization.saved", organization(homeName, { workspace_id: null, deployment: "self_hosted" })),
    ...[cloudName, homeName].flatMap((name) => [
      event("repository.saved", repository(name)),
      ...people.map((userId) => event("member.saved", member(name, userId))),
    ]),
    event("team.saved", {
      ...cloudName,
      team_id: stage.teamId,
      name: "verify",
      user_ids: [stage.member],
      active: true,
    }),
    event("pull_request.finalized", pullRequest(cloudName, 1, mergedAtMs, commentsOf(1, 2))),
    // In the organization without a workspace, where an entry is stored only once.
    event("pull_request.finalized", pullRequest(homeName, 2, mergedAtMs, largeComments(2))),
    event("learning.captured", captured),
    event("security_scan.completed", scan(mergedAtMs)),
  ];
  return {
    all,
    day: toTimestamp(mergedAtMs).slice(0, 10),
    ids,
    used: (learning_id) =>
      event("learning.used", { ...cloudName, learning_id, used_at: toTimestamp(nowMs), count: 1 }),
  };
}

type Name = typeof cloudName | typeof homeName;

const workspace = {
  id: stage.workspace,
  name: stage.workspace,
  admins: [{ user_id: stage.admin, email: `${stage.admin}@example.com` }],
  seats_purchased: 10,
  active: true,
};

const captured = {
  ...cloudName,
  repository_id: stage.repositoryId,
  learning: "Log with the structured logger.",
  author_id: stage.member,
  source: "chat",
};

const organization = (name: Name, change: object) => ({
  ...name,
  name: name.provider_organization_id,
  plan: "enterprise",
  subscription_active: true,
  active: true,
  metrics: "ready",
  seats_purchased: 10,
  seat_assignment_mode: "manual",
  approval_delay_days: 0,
  ...change,
});

const repository = (name: Name) => ({
  ...name,
  repository_id: stage.repositoryId,
  name: "verify",
  full_name: `${reservedName}/verify`,
  private: true,
  url: `https://git.example.com/${reservedName}/verify`,
  active: true,
  approval_delay_days: null,
});

const member = (name: Name, userId: string) => ({
  ...name,
  user_id: userId,
  username: userId,
  email: `${userId}@example.com`,
  role: userId === stage.admin ? "cr_admin" : "cr_member",
  seat_assigned: false,
  readable_repository_ids: "*",
  active: true,
});

const urlOf = (number: number): string => `https://git.example.com/${reservedName}/verify/pull/${number}`;

const commentsOf = (number: number, count: number, length = 0) =>
  Array.from({ length: count }, () => ({
    url: `${urlOf(number)}#`.padEnd(length, "x"),
    severity: null,
    category: null,
    accepted: null,
  }));

/** The approximate size of a record beside its comment's URL. */
const commentOverheadBytes = 70;
const longUrlBytes = 2_000;

/** Slightly less than the largest possible answer. Equal URLs are stored once, so the item stays small. */
function largeComments(number: number) {
  const bytes = requestLimits.responseBytesMax * 0.97;
  return commentsOf(number, Math.floor(bytes / (longUrlBytes + commentOverheadBytes)), longUrlBytes);
}

const pullRequest = (name: Name, number: number, mergedAtMs: number, comments: readonly object[]) => ({
  ...name,
  repository_id: stage.repositoryId,
  pr_url: urlOf(number),
  author_id: stage.member,
  author_username: stage.member,
  created_at: toTimestamp(mergedAtMs - hourMs),
  ready_for_review_at: toTimestamp(mergedAtMs - hourMs),
  first_human_review_at: null,
  last_commit_at: toTimestamp(mergedAtMs - minuteMs),
  merged_at: toTimestamp(mergedAtMs),
  closed_at: null,
  status: "merged",
  reviewed: true,
  review_iterations: 1,
  estimated_complexity: 1,
  estimated_review_minutes: 5,
  comments,
  mcp_servers: [{ name: "tickets", tools: [{ name: "find", calls: 1, failures: 0 }] }],
});

const scan = (completedAtMs: number) => ({
  ...cloudName,
  repository_id: stage.repositoryId,
  scan_id: `${reservedName}-scan`,
  commit_sha: "0123456789abcdef0123456789abcdef01234567",
  completed_at: toTimestamp(completedAtMs),
  findings: [
    {
      id: `${reservedName}-finding`,
      title: "A query is built from text",
      description: "The parameter reaches the query as it is.",
      severity: "high",
      cwe: "CWE-89",
      file_path: "src/query.ts",
      start_line: 10,
      end_line: 12,
      evidence: ["db.query(text)"],
      state: "open",
    },
  ],
});

export type StageKeys = Readonly<
  Record<"organization" | "user" | "workspace" | "instance" | "turned" | "doomed", IssuedKey>
>;

export async function createKeys({ audited }: Pick<Connection, "audited">): Promise<StageKeys> {
  const common = { actor: operator, name: reservedName, expiresInDays: 1, owner: stage.admin } as const;
  const ofCloud = { ...common, organization: stage.cloud.uuid };
  const admin = { ...ofCloud, kind: "organization", role: "cr_admin" } as const;
  return {
    organization: await createKey(audited, admin),
    turned: await createKey(audited, admin),
    doomed: await createKey(audited, { ...ofCloud, kind: "user", owner: stage.member }),
    user: await createKey(audited, { ...ofCloud, kind: "user", owner: stage.member }),
    workspace: await createWorkspaceToken(audited, {
      workspaceId: stage.workspace,
      as: stage.admin,
      name: reservedName,
      expiresInDays: 1,
    }),
    instance: await createKey(audited, {
      ...common,
      kind: "instance",
      instanceId: stage.instance,
      home: stage.home.uuid,
      role: "cr_admin",
    }),
  };
}

/** For the audit log; the key's item is deleted afterwards. */
export async function endKey({ audited }: Pick<Connection, "audited">, id: string): Promise<void> {
  await revokeKey(audited, id, operator).catch((error: unknown) => {
    // The key has already ended.
    if (!(error instanceof Error && error.name === "KeyRegistryError")) throw error;
  });
}
