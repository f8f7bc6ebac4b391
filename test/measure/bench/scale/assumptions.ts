import { ingest } from "../../../../lib/contract/workers.ts";
import { assumedTripMs } from "../cost/prices.ts";

/**
 * Values that were neither measured nor looked up. Both pages show this table, so that a reader can use other numbers.
 */
export const assumed = {
  tripMs: assumedTripMs,
  /** A slow day: what holds at this time holds. */
  slowTripMs: 10,
  /** SQS and Lambda, for one batch. */
  handoverMs: 20,
  /** Of Lambda's processor at the worker's memory, against the processor that measured the worker. */
  lambdaSpeed: 1,
  simulatedSeconds: 300,
  pullRequestsPerWorkspace: 10_000,
  exportsPerHour: 6,
  keptMonths: 13,
  /** The reviewer searches once for Learnings that fit a pull request, with the whole change. */
  searchesPerPullRequest: 1,
  bytesOfSearch: 20_000,
  tokensOfSearch: 6_000,
  learningsOfOrganization: 1_000,
  /** The reconciler's own time for a Learning that it compares with the index. */
  inspectionMsEach: 0.07,
  bytesBesideVector: 250,
  resultsOfSearch: 10,
  /** Bedrock's response time for a text of that length. */
  embeddingMs: 100,
  learningsPerPullRequest: 0.05,
  daysOfMonth: 30,
  /** An audit entry with its two copies' keys. */
  auditEntryKilobytes: 2,
  /** A call of the API, as a tool of an assistant waits for it. */
  callMs: 40,
  /** Lambda does not promise how long it keeps an environment without calls, or an environment at all. */
  idleMinutesOfEnvironment: 10,
  hoursOfEnvironment: 2,
  /** Node's own start on Lambda, before it loads the function. */
  runtimeStartMs: 100,
} as const;

const rows: ReadonlyArray<readonly [string, number]> = [
  ["milliseconds of a trip to DynamoDB", assumed.tripMs],
  ["milliseconds of a trip to DynamoDB on a slow day", assumed.slowTripMs],
  ["milliseconds in which SQS and Lambda hand a batch over", assumed.handoverMs],
  [
    `speed of Lambda's processor at ${ingest.memoryMegabytes.toLocaleString("en-US")} MB, against the processor of the benchmark's machine`,
    assumed.lambdaSpeed,
  ],
  ["seconds for which simulated events arrive, at random moments", assumed.simulatedSeconds],
  ["pull requests a month of each workspace in the bill", assumed.pullRequestsPerWorkspace],
  ["exports of each dataset an hour, by each workspace", assumed.exportsPerHour],
  ["months of pull requests that are kept", assumed.keptMonths],
  ["searches of the review index for each pull request", assumed.searchesPerPullRequest],
  ["bytes of the change that a search is about", assumed.bytesOfSearch],
  ["tokens of these bytes", assumed.tokensOfSearch],
  ["Learnings of an organization, all of which a search may examine", assumed.learningsOfOrganization],
  ["bytes of a vector besides its numbers", assumed.bytesBesideVector],
  ["milliseconds of the reconciler to compare a Learning with the index", assumed.inspectionMsEach],
  ["Learnings that a search asks for", assumed.resultsOfSearch],
  ["milliseconds of an embedding by Bedrock", assumed.embeddingMs],
  ["new Learnings for each pull request", assumed.learningsPerPullRequest],
  ["days of a month", assumed.daysOfMonth],
  ["kilobytes of an audit entry, at most", assumed.auditEntryKilobytes],
  ["milliseconds of a call that an assistant's tool makes", assumed.callMs],
  ["minutes for which Lambda keeps an environment without calls", assumed.idleMinutesOfEnvironment],
  ["hours after which Lambda replaces an environment", assumed.hoursOfEnvironment],
  ["milliseconds in which Node starts on Lambda, before it loads a function", assumed.runtimeStartMs],
];

export const assumptionTable = () =>
  rows.map(([what, value]) => ({ assumed: what, value: value.toLocaleString("en-US") }));

const megabyte = 1024 ** 2;

/** AWS's default quotas, per second. */
export const awsQuotas = {
  partitionReadUnits: 3_000,
  partitionWriteUnits: 1_000,
  /** Of one value of the vector index's partition key, which is an organization here. */
  vectorKeySearchedBytes: 1_024 * megabyte,
  vectorKeyWrittenBytes: 10 * megabyte,
  tableWriteUnits: 40_000,
  newTableWriteUnits: 4_000,
  gatewayRequests: 10_000,
  groupCalls: 300,
  /** Titan Text Embeddings v2: 6,000 a minute. Embedding models have no quota of tokens. */
  embeddings: 100,
} as const;

const dynamoGuide = '"Quotas in Amazon DynamoDB"';
const vectorGuide = '"Quotas in Amazon DynamoDB" (vector indexes), as public notes quote it';
const quotaRows: ReadonlyArray<readonly [string, number, string]> = [
  ["read units of one partition key", awsQuotas.partitionReadUnits, dynamoGuide],
  ["write units of one partition key", awsQuotas.partitionWriteUnits, dynamoGuide],
  [
    "MiB of vectors that searches examine for one key of the vector index, by default",
    awsQuotas.vectorKeySearchedBytes / megabyte,
    vectorGuide,
  ],
  [
    "MiB that are written to the vector index for one of its keys, by default",
    awsQuotas.vectorKeyWrittenBytes / megabyte,
    vectorGuide,
  ],
  ["write units of a table, by default", awsQuotas.tableWriteUnits, dynamoGuide],
  [
    "write units of a new table, before it grows with use",
    awsQuotas.newTableWriteUnits,
    '"DynamoDB on-demand capacity mode" (initial throughput), DynamoDB developer guide',
  ],
  [
    "calls of all APIs of an account, by default",
    awsQuotas.gatewayRequests,
    '"Quotas", API Gateway developer guide',
  ],
  ["calls for one message group of a FIFO queue", awsQuotas.groupCalls, '"Quotas", SQS developer guide'],
  [
    "embeddings by Titan Text Embeddings v2, by default",
    awsQuotas.embeddings,
    "Service Quotas, Amazon Bedrock (a minute there); `preflight` reads the account's own",
  ],
];

export const quotaTable = () =>
  quotaRows.map(([quota, value, page]) => ({
    "quota, a second": quota,
    value: value.toLocaleString("en-US"),
    "named in": page,
  }));
