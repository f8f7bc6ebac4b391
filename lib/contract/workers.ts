import type { KindName } from "./kind-names.ts";
import { webhookLimits } from "./limits.ts";
import { eventQueueSettings } from "./platform.ts";
import type { TableUse } from "./table-use.ts";

export type WorkerTrigger =
  | { readonly kind: "queue" }
  | {
      readonly kind: "schedule";
      readonly everyMinutes: number;
      /** Also runs in every deployment that makes the stack or changes its table; the deployment waits for it. */
      readonly inDeployment?: true;
    };

/** What a worker uses besides the table; each adds a grant and an environment variable. */
export type WorkerResource = "eventsQueue" | "deadLetterQueue" | "eventsBucket" | "embedder" | "publicApi";

/** A Lambda function that the queue or the clock starts. */
export type Worker = TableUse & {
  readonly id: string;
  /** functions/<source>.ts holds its handler. */
  readonly source: string;
  readonly summary: string;
  readonly trigger: WorkerTrigger;
  readonly uses: readonly WorkerResource[];
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
};

/** Pull requests: the streams, the pointers into them, and the parts of large entries. */
const streams = ["streamHead", "entry", "pointer", "spill", "spillPart"] as const;

/** The people of an organization, without its custom roles. */
const people = ["people", "member", "person"] as const;

const learnings = ["learning", "listedLearning", "pending", "organizationPending"] as const;

/** Reads and writes in every way, with audit entries in the same transactions. */
const everyUse = (of: readonly KindName[]) => ({
  reads: everyRead(of),
  writes: { put: [...of, "audit"], update: of, delete: of, many: of } satisfies TableUse["writes"],
  checks: of,
});
const everyRead = (of: readonly KindName[]) => ({ get: of, getMany: of, query: of });

const worker = <const Entry extends Worker>(entry: Entry): Entry => entry;

const ofEvents = everyUse([
  ...people,
  ...(["organization", "tenant", "tenantOrganization", "organizationDirectory"] as const),
  ...(["moving", "movingLog"] as const),
  ...(["waiting", "waitingByAge", "applied", "tries", "owed"] as const),
  ...streams,
  ...(["scans", "findings", "team", "news"] as const),
  ...learnings,
  ...(["text", "pullRequestLearnings", "stale", "relist"] as const),
]);
const changedByEvents = ["learning", "pullRequestLearnings"] as const;
/** What is needed to apply an event of any type. */
const applying = {
  ...ofEvents,
  reads: {
    ...ofEvents.reads,
    snapshot: ["streamHead", "tenantOrganization", "organization", "member", ...changedByEvents],
  },
  uses: ["deadLetterQueue", "eventsBucket"],
  /** One whole CPU: a batch of events is a third work, the rest waits for the table. */
  memoryMegabytes: 1769,
} as const;

export const ingest = worker({
  ...applying,
  id: "ingest",
  source: "workers/ingest",
  summary: "Applies platform events in the order of their group",
  trigger: { kind: "queue" },
  uses: ["eventsQueue", ...applying.uses],
  timeoutSeconds: eventQueueSettings.timeoutSeconds,
});

export const expireWaiting = worker({
  ...applying,
  id: "expireWaiting",
  source: "workers/expire-waiting",
  summary: "Applies waiting events that can be applied now, and gives up events that waited too long",
  trigger: { kind: "schedule", everyMinutes: 60 },
  timeoutSeconds: 300,
});

const approved = [...learnings, "stale", "relist"] as const;
const approveDue = worker({
  id: "approveDue",
  source: "workers/approve-due",
  summary:
    "Approves Learnings whose approval delay has passed, and lists Learnings of moved organizations again",
  trigger: { kind: "schedule", everyMinutes: 1 },
  reads: everyRead([...approved, "organization"]),
  writes: { put: [...approved, "audit"], delete: approved },
  uses: [],
  timeoutSeconds: 60,
  memoryMegabytes: 512,
});

const reconciled = ["organizationDirectory", "learning", "vector", "stale", "reconciler"] as const;
export const reconcileIndex = worker({
  id: "reconcileIndex",
  source: "workers/reconcile-index",
  summary: "Updates the review index where a writer did not, and checks the whole index in turns",
  trigger: { kind: "schedule", everyMinutes: 1 },
  reads: { get: reconciled, query: reconciled, snapshot: ["learning", "stale"] },
  writes: { put: reconciled, many: reconciled, alone: true },
  uses: ["embedder"],
  timeoutSeconds: 60,
  memoryMegabytes: 1024,
});

const ofMoves = everyUse([
  ...people,
  ...(["organization", "tenantOrganization", "moving", "movingLog", "owed"] as const),
  ...streams,
  ...learnings,
  "relist",
]);
export const finishMoves = worker({
  id: "finishMoves",
  source: "workers/finish-moves",
  summary:
    "Continues the moves of organizations to another tenant, and writes missing copies of audit entries",
  trigger: { kind: "schedule", everyMinutes: 1 },
  ...ofMoves,
  reads: {
    ...everyRead([...ofMoves.checks, "audit"]),
    query: [...ofMoves.checks, "audit", "news"],
    snapshot: ["streamHead", "tenantOrganization"],
  },
  writes: {
    ...ofMoves.writes,
    put: [...ofMoves.checks, "audit", "news"],
    delete: [...ofMoves.checks, "news"],
  },
  uses: [],
  timeoutSeconds: 58,
  memoryMegabytes: 1024,
});

const swept = ["organizationDirectory", "sweeper", ...streams] as const;
const noted = ["apiKey", "keyList", "organization", "news"] as const;
const housekeeping = worker({
  id: "housekeeping",
  source: "workers/housekeeping",
  summary: "Deletes parts of large entries that no entry refers to, and notes when keys expire",
  trigger: { kind: "schedule", everyMinutes: 24 * 60 },
  reads: {
    get: swept,
    getMany: noted,
    query: [...swept, "keyDirectory"],
    snapshot: ["pointer", "streamHead"],
  },
  writes: { put: [...swept, "news"], update: swept, many: swept, alone: true },
  uses: [],
  timeoutSeconds: 300,
  memoryMegabytes: 512,
});

/** The only role that may write a cursor key. The first key is there when the first deployment ends. */
export const rotateCursorKeys = worker({
  id: "rotateCursorKeys",
  source: "workers/rotate-cursor-keys",
  summary: "Creates the first key that encrypts cursors, and a new one when the last key is old",
  trigger: { kind: "schedule", everyMinutes: 1, inDeployment: true },
  reads: { get: ["cursorKeys"] },
  writes: { put: ["cursorKeys"], alone: true },
  uses: [],
  timeoutSeconds: 30,
  memoryMegabytes: 256,
});

/** Published numbers, the ends of the lists, and notes. */
const rung = [
  ...(["webhook", "delivery", "webhookSecrets", "webhookKey", "news"] as const),
  ...(["streamHead", "listedLearning", "audit", "organization", "tenantOrganization", "tenant"] as const),
] as const;

const ringWebhooks = worker({
  id: "ringWebhooks",
  source: "workers/ring-webhooks",
  summary: "Sends rings to webhooks whose scope has something new, and repeats rings that failed",
  trigger: { kind: "schedule", everyMinutes: webhookLimits.runEveryMs / 60_000 },
  reads: { ...everyRead(rung), getMany: [...rung, "learning"] },
  writes: { put: ["webhook", "delivery", "audit", "news"], update: ["webhook"], delete: ["delivery"] },
  uses: [],
  timeoutSeconds: 58,
  memoryMegabytes: 512,
});

/** A synthetic check: it has no secret and no grant on the table. */
export const probeApi = worker({
  id: "probeApi",
  source: "workers/probe-api",
  summary: "Calls the API at its public address with a key that does not exist, and expects the 401",
  trigger: { kind: "schedule", everyMinutes: 5 },
  uses: ["publicApi"],
  timeoutSeconds: 30,
  memoryMegabytes: 256,
});

/** The only list of workers: bundles, functions, grants and triggers are derived from it. */
export const workers = [
  ingest,
  expireWaiting,
  approveDue,
  reconcileIndex,
  finishMoves,
  housekeeping,
  rotateCursorKeys,
  ringWebhooks,
  probeApi,
] as const satisfies readonly Worker[];

/** A Lambda function that only principals with permission in the account may invoke: not part of the public API. */
export type InternalFunction = Omit<Worker, "trigger">;

export const searchForReview = {
  id: "searchForReview",
  source: "internal/search-for-review",
  summary: "Finds the Learnings that match a change, for the reviewer",
  reads: { getMany: ["learning", "vector"], search: ["vector"] },
  uses: ["embedder"],
  timeoutSeconds: 15,
  memoryMegabytes: 1024,
} as const satisfies InternalFunction;

export const internalFunctions = [searchForReview] as const satisfies readonly InternalFunction[];

export type WorkerId = (typeof workers)[number]["id"];
