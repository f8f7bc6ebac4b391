/**
 * What the service stands on: AWS's own limits as numbers, our settings beside them, and the names that the
 * stack, the functions and the operator's tool must spell alike. Tests stand at the edges of these numbers.
 */

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const apiGatewayLimits = {
  /** A buffered integration must have answered by then, else the gateway answers for it. */
  integrationMsMax: 29_000,
  /** A streamed answer may take this long from first to last byte, and be silent this long in between. */
  streamMsMax: 15 * 60_000,
  streamSilenceMsMax: 5 * 60_000,
  requestBytesMax: 10 * mebibyte,
  /** A buffered answer; a streamed one has no bound here, but is slowed after `streamFullSpeedBytes`. */
  answerBytesMax: 10 * mebibyte,
  streamFullSpeedBytes: 10 * mebibyte,
  /** All headers of a request together. */
  headerBytesMax: 10 * kibibyte,
} as const;

export const lambdaLimits = {
  /** The event, as JSON: the body inside it is base64 or escaped, so it stops well below this. */
  eventBytesMax: 6 * mebibyte,
  /** A buffered answer, as JSON. The odd hundred bytes are Lambda's. */
  answerBytesMax: 6 * mebibyte + 100,
  streamBytesMax: 200 * mebibyte,
  /** A streamed answer leaves at full speed up to here, then at 2 MB a second. */
  streamFullSpeedBytes: 6 * mebibyte,
  streamBytesPerSecond: 2 * mebibyte,
  /** Status and headers of a streamed answer, before its first byte. */
  preludeBytesMax: 16 * kibibyte,
  timeoutSecondsMax: 900,
  /** An account's functions together, unless AWS has raised it; 100 must stay unreserved. */
  concurrencyMax: 1_000,
  /** What AWS may give an account that has never used Lambda. */
  concurrencyOfNewAccount: 10,
  concurrencyUnreservedMin: 100,
  /** All environment variables of a function. */
  environmentBytesMax: 4 * kibibyte,
} as const;

export const queueLimits = {
  messageBytesMax: 256 * kibibyte,
  retentionDaysMax: 14,
} as const;

/**
 * Every body is binary to the gateway. Otherwise it decodes a function's base64 answer (a compressed one)
 * only if the caller's first `Accept` names a listed type, and curl's default would get base64 as text. For
 * requests it means that bodies always arrive as base64: 4 MiB of them become 5.4 MiB and fit Lambda's 6,
 * whatever they hold, where JSON escaping could double them.
 */
export const binaryMediaTypes = ["*/*"] as const;

/**
 * Our own settings of the functions, within the limits above. A request works for `totalMs` at most and is told
 * `wrapUpMs` before; `answerMs` of Lambda's time are kept for rendering and sending, whatever happens.
 */
export const functionSettings = {
  /** Lambda's timer ends before the gateway's: a function out of time is a logged fault of its own. */
  operation: {
    timeoutSeconds: 28,
    memoryMegabytes: 1024,
    work: { totalMs: 26_000, wrapUpMs: 2_000, answerMs: 1_500 },
  },
  /**
   * One whole CPU: compressing 16 MiB is what takes the time. Most of the timeout is for sending: 16 MiB take five
   * seconds at Lambda's own pace, and minutes to a caller on a slow line.
   */
  streaming: {
    timeoutSeconds: 240,
    memoryMegabytes: 1769,
    work: { totalMs: 40_000, wrapUpMs: 5_000, answerMs: 15_000 },
  },
  fallback: { timeoutSeconds: 5, memoryMegabytes: 512 },
  /** Its largest file is 1.5 MB, compressed at the first request. */
  reference: { timeoutSeconds: 10, memoryMegabytes: 1024 },
} as const;

/** Sizes of a minified bundle: what every cold start parses, and that with what is loaded when it is first needed. */
export type BundleBudget = { readonly bytesMax: number; readonly bytesWithLazyMax: number };

const bytesWithLazyMax = 640_000;

/** Decision 0015 tells what the bytes are spent on. */
export const bundleBudgets = {
  /** Everything that has no budget of its own. */
  function: { bytesMax: 371_000, bytesWithLazyMax },
  /** What redacts is loaded by the first write that needs it (decision 18). */
  learningsWrite: { bytesMax: 386_000, bytesWithLazyMax },
  /** They know every event; what redacts is loaded by the first event that needs it. */
  events: { bytesMax: 445_000, bytesWithLazyMax: 732_000 },
} as const satisfies Record<string, BundleBudget>;

const learningsWrites = ["learnings/create", "learnings/update"];
const eventWorkers = ["workers/ingest", "workers/expire-waiting"];

export function bundleBudgetOf(source: string): keyof typeof bundleBudgets {
  if (eventWorkers.includes(source)) return "events";
  return learningsWrites.includes(source) ? "learningsWrite" : "function";
}

/** All that a browser loads for the dashboard, compressed as it is sent. */
export const dashboardBytesMax = 250_000;

/** The API as a whole, before the exact limits of each key: protects the account from one caller's loop. */
export const throttle = { requestsPerSecond: 1_000, burstRequests: 500 } as const;

export const retention = {
  logDays: 90,
  /** Queue, waiting room and dead letters keep an event 14 days each, and an operator may send it again. */
  eventObjectDays: 90,
} as const;

/**
 * A message is seen again after the visibility; a passing fault keeps its group waiting that long. AWS asks for six times
 * the function's time: Lambda may be refused a free place for its batch, and tries again for as long as the message is
 * hidden. So a throttled batch costs one receive in each visibility, and no more.
 */
export const eventQueueSettings = {
  visibilitySeconds: 180,
  /** Of the worker. */
  timeoutSeconds: 30,
  batchMessagesMax: 10,
  /**
   * The worker gives a message up itself, with a reason: after a few tries where the event may be to blame (failed or
   * outlasted), else shortly before the queue would do it without one (44 hours of receives, and ten tries of its own).
   * Receives also count where Lambda had no free place and behind another message that failed, so a smaller number would
   * bury good events of a busy account.
   */
  workerReceivesMax: 880,
  /** The most that SQS takes: 50 hours, if no worker ever gets a free place. */
  receivesMax: 1_000,
  /** Organizations of one workspace share a stream's head: more workers at once would only wait for each other. */
  workersMax: 20,
  /** The fewest that Lambda lets a queue be bound to. */
  workersMin: 2,
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
  /** Only where it is another region than the function's own. */
  bedrockRegion: "BEDROCK_REGION",
  metricsNamespace: "METRICS_NAMESPACE",
  /** The commit that was deployed; log lines carry it. A variable, so that a commit leaves unchanged code unchanged. */
  release: "RELEASE",
} as const;

/** Outputs of the stack: how the operator's tool finds things by `--stack NAME`. */
export const stackOutputs = {
  apiUrl: "ApiUrl",
  tableName: "TableName",
  eventsQueueUrl: "EventsQueueUrl",
  deadLetterQueueUrl: "DeadLetterQueueUrl",
  eventsBucket: "EventsBucketName",
  /** What the operator's own changes write audit entries with. */
  auditRetentionDays: "AuditRetentionDays",
  /** Where Bedrock runs the model; the operator's tool embeds there too. */
  bedrockRegion: "BedrockRegion",
  /** What the reviewer invokes. */
  searchFunctionName: "SearchLearningsFunctionName",
  /** Only with a custom domain: what its DNS record points at. */
  domainTarget: "DomainTarget",
} as const;

/** The function that answers 404, 405 and preflight requests: functions/<source>.ts. */
export const fallbackSource = "fallback";

/** When somebody is woken. Each has a section of that name in docs/runbook.md. */
export const alarms = {
  /** Percent of answers that are a 5xx over five minutes, and how many calls make that a rate at all. */
  serverErrors: { percentAbove: 1, callsMin: 50 },
  latencyP99: { millisecondsAbove: 5_000 },
  deadLetters: { messagesAbove: 0 },
  queueAge: { secondsAbove: 900 },
  /** Also when nothing is heard of the index although other parts of the service are at work. */
  staleIndex: { secondsAbove: 900 },
  /** Searches of the vector index in five minutes: each is paid for by the bytes that it looks at. */
  vectorSearches: { searchesAbove: 30_000 },
  /**
   * Bytes written to the vector index in five minutes, about 80,000 Learnings. DynamoDB publishes no metric of the index's
   * size, which is paid for as well; it grows by these bytes.
   */
  vectorWrites: { bytesAbove: 100_000_000 },
  /** Reads that went through uncounted, writes that were refused, in five minutes. */
  limiterFailures: { callsAbove: 10 },
  /** In five minutes; of a worker that runs too seldom for that, since its last turn. */
  workerErrors: { errorsAbove: 3, slowErrorsAbove: 0 },
  functionThrottles: { throttlesAbove: 0 },
  tableThrottles: { throttlesAbove: 50 },
} as const;

export const firewall = {
  /** The optional firewall's bound for one address; an office behind one address stays far below. */
  requestsPerAddressMax: 5_000,
  windowSeconds: 300,
  /**
   * The rules about attacks, as AWS numbers them: a new version could refuse what we accept, so it is taken by hand. See
   * docs/decisions/0017-first-deployment.md. AWS does not number its list of addresses.
   */
  knownBadInputsVersion: "Version_1.24",
} as const;

/** What embeds Learnings and searches, unless the option `bedrockModelId` names another version. */
export const embeddingModelId = "amazon.titan-embed-text-v2:0";

/**
 * Regions with Titan Text Embeddings v2: "Model support by AWS Region" in Bedrock's user guide, as of 2026-02-15. AWS adds
 * regions: in another one the synthesis only warns.
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
