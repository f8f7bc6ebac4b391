import { mcpSource } from "./mcp.ts";

/**
 * The platform of the service: AWS's own limits as numbers, our settings for them, and the names that the stack, the
 * functions and the operator's tool must spell the same way. Tests check the edges of these numbers.
 */

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const apiGatewayLimits = {
  /** A buffered integration must answer within this time, or the gateway answers instead. */
  integrationMsMax: 29_000,
  /** A streamed response may take this long from first to last byte, and may pause this long in between. */
  streamMsMax: 15 * 60_000,
  streamSilenceMsMax: 5 * 60_000,
  requestBytesMax: 10 * mebibyte,
  /** Limit of a buffered response; a streamed one has no limit here, but is slowed after `streamFullSpeedBytes`. */
  answerBytesMax: 10 * mebibyte,
  streamFullSpeedBytes: 10 * mebibyte,
  /** All headers of a request together. */
  headerBytesMax: 10 * kibibyte,
} as const;

export const lambdaLimits = {
  /** Of the event as JSON: the body inside it is base64 or escaped, so the body's own limit is well below this. */
  eventBytesMax: 6 * mebibyte,
  /** Limit of a buffered response, as JSON. The extra hundred bytes are Lambda's. */
  answerBytesMax: 6 * mebibyte + 100,
  streamBytesMax: 200 * mebibyte,
  /** A streamed response is sent at full speed up to this size, then at 2 MB per second. */
  streamFullSpeedBytes: 6 * mebibyte,
  streamBytesPerSecond: 2 * mebibyte,
  /** Status and headers of a streamed response, before its first byte. */
  preludeBytesMax: 16 * kibibyte,
  timeoutSecondsMax: 900,
  /** All functions of an account together, unless AWS has raised it; 100 must stay unreserved. */
  concurrencyMax: 1_000,
  /** The limit that AWS may set for an account that has never used Lambda. */
  concurrencyOfNewAccount: 10,
  concurrencyUnreservedMin: 100,
  /** All environment variables of a function. */
  environmentBytesMax: 4 * kibibyte,
} as const;

export const queueLimits = {
  /** Of an event. SQS allows four times as much, but redaction makes a message larger. */
  messageBytesMax: 256 * kibibyte,
  /** The maximum of SQS. A full message of the shortest credentials fits once it is redacted. */
  deadLetterBytesMax: 1024 * kibibyte,
  retentionDaysMax: 14,
  /** SQS hands out only from the first messages of a FIFO queue: behind so many of one group everybody waits. */
  lookAheadMax: 120_000,
  /** A sender waits while the queue is longer: six importers at once stay within what SQS looks at. */
  backlogMax: 20_000,
} as const;

/**
 * The gateway treats every body as binary. Otherwise it decodes a function's base64 response (a compressed one) only if
 * the caller's first `Accept` names a listed type, and curl's default would get base64 as text. Because of this,
 * request bodies always arrive as base64: 4 MiB become 5.4 MiB and fit Lambda's 6 MiB, whatever they contain, while
 * JSON escaping could double them.
 */
export const binaryMediaTypes = ["*/*"] as const;

/**
 * Our own settings of the functions, within the limits above. A request works for `totalMs` at most and gets a signal
 * `wrapUpMs` before; `answerMs` of Lambda's time are always reserved for rendering and sending.
 */
export const functionSettings = {
  /** Lambda's timer ends before the gateway's: a function that runs out of time is a separate, logged error. */
  operation: {
    timeoutSeconds: 28,
    memoryMegabytes: 1024,
    work: { totalMs: 26_000, wrapUpMs: 2_000, answerMs: 1_500 },
  },
  /**
   * One whole CPU: compressing 16 MiB is what needs time. Most of the timeout is for sending: 16 MiB take five seconds
   * at Lambda's own speed, and minutes to a caller with a slow connection.
   */
  streaming: {
    timeoutSeconds: 240,
    memoryMegabytes: 1769,
    work: { totalMs: 40_000, wrapUpMs: 5_000, answerMs: 15_000 },
  },
  fallback: { timeoutSeconds: 5, memoryMegabytes: 512 },
  /** As an operation, with a whole CPU: a report counts half a million findings. */
  mcp: { timeoutSeconds: 28, memoryMegabytes: 1769 },
  /** Its largest file is 1.5 MB, compressed at the first request. */
  reference: { timeoutSeconds: 10, memoryMegabytes: 1024 },
} as const;

/** Sizes of a minified bundle: what every cold start parses, and the same with what is loaded on first use. */
export type BundleBudget = { readonly bytesMax: number; readonly bytesWithLazyMax: number };

const bytesWithLazyMax = 660_000;

/** Decision 0015 explains what the bytes are used for. */
export const bundleBudgets = {
  /** Functions without a budget of their own. */
  function: { bytesMax: 399_500, bytesWithLazyMax },
  /** With the review index. The redaction code is loaded by the first write that needs it (decision 18). */
  reviewIndex: { bytesMax: 412_500, bytesWithLazyMax },
  /** These functions include every event type; the redaction code is loaded by the first event that needs it. */
  events: { bytesMax: 473_500, bytesWithLazyMax: 800_000 },
  /** The protocol, the tools and the figures of reports; no client of AWS. */
  mcp: { bytesMax: 395_500, bytesWithLazyMax: 395_500 },
} as const satisfies Record<string, BundleBudget>;

const ofReviewIndex = ["learnings/create", "learnings/update", "learnings/search"];
const eventWorkers = ["workers/ingest", "workers/expire-waiting"];

export function bundleBudgetOf(source: string): keyof typeof bundleBudgets {
  if (eventWorkers.includes(source)) return "events";
  if (source === mcpSource) return "mcp";
  return ofReviewIndex.includes(source) ? "reviewIndex" : "function";
}

/** Of the whole API, before the exact limits of each key: protects the account from one caller's loop. */
export const throttle = { requestsPerSecond: 1_000, burstRequests: 500 } as const;

export const retention = {
  logDays: 90,
  /** Queue, waiting events and dead letters keep an event 14 days each, and an operator may send it again. */
  eventObjectDays: 90,
} as const;

/**
 * A message is delivered again after the visibility timeout; a temporary error makes its group wait that long. AWS
 * recommends six times the function's timeout: Lambda may be refused a free slot for its batch, and retries as long as
 * the message is hidden. So a throttled batch costs only one receive per visibility timeout.
 */
export const eventQueueSettings = {
  visibilitySeconds: 180,
  timeoutSeconds: 30,
  batchMessagesMax: 10,
  /**
   * The worker gives a message up itself, with a reason: after a few tries if the event may be to blame (failed or took
   * longer than a delivery), else shortly before the queue would do it without a reason (44 hours of receives, and
   * as many tries of its own). Receives also count if Lambda had no free slot, and behind another message that failed, so a
   * smaller number would make good events of a busy account dead letters.
   */
  workerReceivesMax: 880,
  /** The maximum of SQS: 50 hours, if no worker ever gets a free slot. */
  receivesMax: 1_000,
  /** By default. Organizations of one workspace share a stream's head: their workers would only wait for each other. */
  workers: 20,
  /** The bounds that Lambda sets for a queue. */
  workersMin: 2,
  workersMax: 1_000,
} as const;

/** Environment variables of the functions. */
export const environmentVariables = {
  tableName: "TABLE_NAME",
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
  eventsBucket: "EVENTS_BUCKET",
  keyHeaderNames: "KEY_HEADER_NAMES",
  corsOrigins: "CORS_ORIGINS",
  auditRetentionDays: "AUDIT_RETENTION_DAYS",
  bedrockModelId: "BEDROCK_MODEL_ID",
  /** Set only if it differs from the function's own region. */
  bedrockRegion: "BEDROCK_REGION",
  /** The public address of the API. */
  apiUrl: "API_URL",
  metricsNamespace: "METRICS_NAMESPACE",
  /** Set by the local service only: webhooks may ring programs on the same machine. */
  webhooksToLoopback: "WEBHOOKS_TO_LOOPBACK",
  /** A digest of the function's code; log lines include it, and source maps are kept under it. */
  release: "RELEASE",
} as const;

/** Outputs of the stack: the operator's tool finds resources with them by `--stack NAME`. */
export const stackOutputs = {
  apiUrl: "ApiUrl",
  tableName: "TableName",
  eventsQueueUrl: "EventsQueueUrl",
  deadLetterQueueUrl: "DeadLetterQueueUrl",
  eventsBucket: "EventsBucketName",
  /** How long audit entries of the operator's own changes are kept. */
  auditRetentionDays: "AuditRetentionDays",
  /** The region where Bedrock runs the model; the operator's tool also creates embeddings there. */
  bedrockRegion: "BedrockRegion",
  /** The deployed commit. */
  commit: "Commit",
  /** The function that the reviewer invokes. */
  searchFunctionName: "SearchForReviewFunctionName",
  /** ARNs of the alarms that roll a deployment back, comma-separated. */
  rollbackAlarms: "RollbackAlarms",
  /** Only with `disableExecuteApiEndpoint`: API Gateway's own address, which must refuse every call. */
  closedUrl: "ClosedApiUrl",
  /** Only with a custom domain: the target of its DNS record. */
  domainTarget: "DomainTarget",
} as const;

/** The value of the tag `service` on everything that the stack creates. */
export const serviceTag = "review-api";

/** The function that answers 404, 405 and preflight requests: functions/<source>.ts. */
export const fallbackSource = "fallback";

/** When an alarm wakes somebody. Each alarm has a section with its name in docs/operate/runbook.md. */
export const alarms = {
  /** Percentage of 5xx responses over five minutes, and the minimum number of calls for a meaningful rate. */
  serverErrors: { percentAbove: 1, callsMin: 50 },
  /** With fewer calls than `serverErrors.callsMin`, a rate says little: periods of the last hour with any 5xx. */
  rareServerErrors: { errorsAbove: 0, periodsMin: 3, periodsMax: 12 },
  /**
   * Lambda's lines about failed starts in five minutes. One failed start writes up to two, because Lambda tries again with
   * the first call, and heals by that; a bad release fails at every start, of the workers every minute.
   */
  failedStarts: { linesAbove: 2 },
  /** The synthetic check of the public address failed, or did not run, this many times in a row. */
  publicAddress: { failuresAbove: 0, periods: 2 },
  /** Percentage of calls that a function works on for longer than this; under `callsMin`, one call would be enough. */
  latencyP99: { millisecondsAbove: 5_000, percentAbove: 1, callsMin: 100 },
  deadLetters: { messagesAbove: 0 },
  /** Percentage of events that became dead letters: of a bad release many, of bad events of a sender few. */
  deadEvents: { percentAbove: 10, eventsMin: 20 },
  queueAge: { secondsAbove: 900 },
  /** Half of `queueLimits.lookAheadMax`: time to stop the sender before other tenants wait. */
  queueLength: { messagesAbove: 60_000 },
  /** It also fires if the index reports nothing while other parts of the service are active. */
  staleIndex: { secondsAbove: 900 },
  /** Rings in five minutes that waited for a later run: many more than one slow receiver causes. */
  postponedRings: { ringsAbove: 1_000 },
  /** Owners of webhooks, and parts of the list of webhooks, that a run had no time to read. */
  unreadWebhooks: { unreadAbove: 0 },
  /** Searches of the vector index in five minutes: the price of each depends on the bytes that it reads. */
  vectorSearches: { searchesAbove: 30_000 },
  /**
   * Bytes written to the vector index in five minutes, about 80,000 Learnings. DynamoDB publishes no metric for the
   * size of the index, which also costs money; the index grows by these bytes.
   */
  vectorWrites: { bytesAbove: 100_000_000 },
  /** Reads that were allowed without being counted, and writes that were refused, in five minutes. */
  limiterFailures: { callsAbove: 10 },
  /** Errors in five minutes; for a worker that runs less often, errors since its last run. */
  workerErrors: { errorsAbove: 3, slowErrorsAbove: 0 },
  functionThrottles: { throttlesAbove: 0 },
  workerThrottles: { throttlesAbove: 0 },
  /** Failed and throttled searches of the reviewer, and failed and throttled calls of the embedding model. */
  reviewSearch: { failuresAbove: 0 },
  embeddingModel: { failuresAbove: 10 },
  tableThrottles: { throttlesAbove: 50 },
} as const;

/**
 * The alarms that end a deployment and roll it back; CloudFormation takes five. Only what a bad release causes and a good
 * one does not: no slow export, no throttled model, no dead letter that was there before.
 */
export const rollback = {
  alarms: ["serverErrors", "failedStarts", "publicAddress", "workerErrors", "deadEvents"],
  /** After the last resource: twelve minutes until a failed event is a dead letter, and a period of `deadEvents`. */
  monitoringMinutes: 20,
} as const satisfies { alarms: ReadonlyArray<keyof typeof alarms>; monitoringMinutes: number };

export const firewall = {
  /** The optional firewall's limit for one IP address; an office behind one address stays far below it. */
  requestsPerAddressMax: 5_000,
  windowSeconds: 300,
  /** AWS's rules about attacks. */
  knownBadInputs: "AWSManagedRulesKnownBadInputsRuleSet",
  /**
   * The version of AWS's attack rules: a new version could refuse what we accept, so it is updated manually. See
   * docs/change/decisions/0017-what-a-first-deployment-must-survive.md. AWS has no version numbers for its list of addresses.
   */
  knownBadInputsVersion: "Version_1.24",
} as const;

/** The model that embeds Learnings and searches, unless the option `bedrockModelId` names another version. */
export const embeddingModelId = "amazon.titan-embed-text-v2:0";

/** Bedrock's quota of the model in Service Quotas. One request a second is enough for a small team. */
export const embeddingQuota = {
  name: /requests per minute for Amazon Titan Text Embeddings V2/i,
  requestsPerMinuteMin: 60,
} as const;

/**
 * Regions with Titan Text Embeddings v2: "Model support by AWS Region" in Bedrock's user guide, as of 2026-02-15. AWS
 * adds regions: in a region that is not listed, the synthesis only warns.
 */
export const embeddingRegions: readonly string[] = [
  ...["us-east-1", "us-east-2", "us-west-2", "us-gov-east-1", "us-gov-west-1", "ca-central-1", "sa-east-1"],
  ...[
    "eu-central-1",
    "eu-central-2",
    "eu-north-1",
    "eu-south-1",
    "eu-south-2",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
  ],
  ...["ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-2"],
];
