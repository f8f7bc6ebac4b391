import type { TableAction } from "./operation.ts";
import { eventQueueSettings } from "./platform.ts";

/** What starts a worker. */
export type WorkerTrigger =
  | { readonly kind: "queue" }
  | { readonly kind: "schedule"; readonly everyMinutes: number };

/** What a worker uses besides the table; each adds a grant and an environment variable. */
export type WorkerResource = "eventsQueue" | "deadLetterQueue" | "eventsBucket" | "embedder" | "publicApi";

/** A Lambda function that the queue or the clock starts. */
export type Worker = {
  readonly id: string;
  /** functions/<source>.ts holds its handler. */
  readonly source: string;
  readonly summary: string;
  readonly trigger: WorkerTrigger;
  readonly tableActions: readonly TableAction[];
  /** The partitions of `tableActions`, as prefixes of partition keys: never a key, a limit or the audit log. */
  readonly tablePartitions: readonly string[];
  /** Partitions that it only reads. */
  readonly readPartitions?: readonly string[];
  /**
   * Partitions from which it reads several items, or the result of a transaction, in one snapshot (TransactGetItems).
   */
  readonly snapshotPartitions?: readonly string[];
  /** Writes that it never makes as part of a transaction. */
  readonly writesAlone?: readonly TableAction[];
  /** Its changes are recorded in the audit log, in the same transactions. */
  readonly writesAudit?: boolean;
  readonly uses: readonly WorkerResource[];
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
};

/** The partitions of pull requests: the streams, the pointers into them, and the parts of large entries. */
const streams = ["S#", "PR#", "SPILL#", "PART#"] as const;

/** The people of an organization, without its custom roles. */
const people = ["PEOPLE#", "MEMBERS#", "SEATS#"] as const;

const worker = <const Entry extends Worker>(entry: Entry): Entry => entry;

/** What is needed to apply an event of any type. */
const applying = {
  tableActions: [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "ConditionCheckItem",
  ],
  tablePartitions: [
    ...[...people, "ORG#", "TENANT#", "ORGS#"],
    ...["DIRECTORY#ORG", "MOVING", "WAITING", "APPLIED#", "TRIES#", "OWED"],
    ...streams,
    ...["SCANS#", "FINDINGS#", "TEAMS#", "NEWS#"],
    ...["LEARNING#", "TEXT#", "LEARNINGS#", "PENDING", "PRIVATE#", "STALE#", "RELIST"],
  ],
  snapshotPartitions: ["S#", "ORGS#", "ORG#", "MEMBERS#", "LEARNING#", "PRIVATE#"],
  writesAudit: true,
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

const approveDue = worker({
  id: "approveDue",
  source: "workers/approve-due",
  summary:
    "Approves Learnings whose approval delay has passed, and lists Learnings of moved organizations again",
  trigger: { kind: "schedule", everyMinutes: 1 },
  tableActions: ["GetItem", "BatchGetItem", "Query", "PutItem", "DeleteItem"],
  tablePartitions: ["LEARNING#", "LEARNINGS#", "PENDING", "STALE#", "RELIST"],
  readPartitions: ["ORG#"],
  writesAudit: true,
  uses: [],
  timeoutSeconds: 60,
  memoryMegabytes: 512,
});

export const reconcileIndex = worker({
  id: "reconcileIndex",
  source: "workers/reconcile-index",
  summary: "Updates the review index where a writer did not, and checks the whole index in turns",
  trigger: { kind: "schedule", everyMinutes: 1 },
  tableActions: ["GetItem", "Query", "PutItem", "BatchWriteItem"],
  tablePartitions: ["DIRECTORY#ORG", "LEARNING#", "VECTOR#", "STALE#", "RECONCILER"],
  snapshotPartitions: ["LEARNING#", "STALE#"],
  writesAlone: ["PutItem"],
  uses: ["embedder"],
  timeoutSeconds: 60,
  memoryMegabytes: 1024,
});

export const finishMoves = worker({
  id: "finishMoves",
  source: "workers/finish-moves",
  summary:
    "Continues the moves of organizations to another tenant, and writes missing copies of audit entries",
  trigger: { kind: "schedule", everyMinutes: 1 },
  tableActions: applying.tableActions,
  writesAudit: true,
  tablePartitions: [
    ...people,
    "ORG#",
    "ORGS#",
    "MOVING",
    "MOVING-LOG",
    "OWED",
    ...streams,
    "LEARNING#",
    "LEARNINGS#",
    "PENDING",
    "RELIST",
  ],
  readPartitions: ["AUDIT#"],
  snapshotPartitions: ["S#", "ORGS#"],
  uses: [],
  timeoutSeconds: 58,
  memoryMegabytes: 1024,
});

const housekeeping = worker({
  id: "housekeeping",
  source: "workers/housekeeping",
  summary: "Deletes parts of large entries that no entry refers to",
  trigger: { kind: "schedule", everyMinutes: 24 * 60 },
  tableActions: ["GetItem", "Query", "PutItem", "UpdateItem", "BatchWriteItem"],
  tablePartitions: ["DIRECTORY#ORG", "SWEEPER", ...streams],
  snapshotPartitions: ["PR#", "S#"],
  writesAlone: ["PutItem", "UpdateItem"],
  uses: [],
  timeoutSeconds: 300,
  memoryMegabytes: 512,
});

/**
 * The only role that may write a cursor key. A new stack waits a minute for its first key, and a failed run is
 * repeated.
 */
export const rotateCursorKeys = worker({
  id: "rotateCursorKeys",
  source: "workers/rotate-cursor-keys",
  summary: "Creates the first key that encrypts cursors, and a new one when the last key is old",
  trigger: { kind: "schedule", everyMinutes: 1 },
  tableActions: ["GetItem", "PutItem"],
  tablePartitions: ["CURSOR-KEYS"],
  writesAlone: ["PutItem"],
  uses: [],
  timeoutSeconds: 30,
  memoryMegabytes: 256,
});

const secretsAndNews = ["WEBHOOK-SECRETS#", "WEBHOOK-KEY", "NEWS#"] as const;
/** Published numbers, the ends of the lists, and keys that expire. */
const whatRingsAreAbout = [
  "S#",
  "LEARNINGS#",
  "AUDIT#",
  "ORG#",
  "ORGS#",
  "TENANT#",
  "KEY#",
  "KEYS#",
] as const;

const ringWebhooks = worker({
  id: "ringWebhooks",
  source: "workers/ring-webhooks",
  summary: "Sends rings to webhooks whose scope has something new, and repeats rings that failed",
  trigger: { kind: "schedule", everyMinutes: 1 },
  tableActions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
  tablePartitions: ["WEBHOOKS#", "DELIVERIES#"],
  readPartitions: [...secretsAndNews, ...whatRingsAreAbout],
  writesAudit: true,
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
  tableActions: [],
  tablePartitions: [],
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
  tableActions: ["BatchGetItem", "SearchVectors"],
  tablePartitions: ["LEARNING#", "VECTOR#"],
  uses: ["embedder"],
  timeoutSeconds: 15,
  memoryMegabytes: 1024,
} as const satisfies InternalFunction;

export const internalFunctions = [searchForReview] as const satisfies readonly InternalFunction[];

export type WorkerId = (typeof workers)[number]["id"];
