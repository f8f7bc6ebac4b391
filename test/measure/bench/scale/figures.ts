import {
  cursorLimits,
  eventLimits,
  indexLimits,
  learningLimits,
  pageLimits,
  peopleLimits,
  requestLimits,
  securityLimits,
  streamLimits,
  webhookLimits,
} from "../../../../lib/contract/limits.ts";
import { operations } from "../../../../lib/contract/operations.ts";
import { alarms, eventQueueSettings, lambdaLimits, throttle } from "../../../../lib/contract/platform.ts";
import { tableShape } from "../../../../lib/contract/table.ts";
import { reconcileIndex } from "../../../../lib/contract/workers.ts";
import { awsLogDollars, bytesPerGigabyte, dynamoDollars, lambdaDollars, prices } from "../cost/prices.ts";
import { assumed, awsQuotas } from "./assumptions.ts";
import { measured, rowsOf } from "./measured.ts";
import { monthlyPrices } from "./monthly-prices.ts";
import { tokensOfLearning } from "./requests.ts";
import { capacityOf, simulateStream, streamLoads, trips } from "./simulate.ts";

type Row = Readonly<Record<string, string | number>>;
const number = (value: number, digits = 0): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const mebibytes = (bytes: number) => `${number(bytes / 1024 / 1024)} MiB`;

/** The worker's own processor time for an event: what the engine computes is not in it, and no trip. */
const workMsOf = (event: string) => measured("ingest", "The worker's own time", [event], "ms of one CPU");
const workMsEach = workMsOf("a new pull request");
const changeMsEach = workMsOf("one that changes an older entry");
/** Events a second of one tenant on a slow day. */
export const slowStreamOf = (workMs: number, tripsPerBatch: number) =>
  capacityOf(streamLoads(workMs, assumed.slowTripMs, tripsPerBatch)["ten a batch"]);
/** The least of them. */
export const slowStreamMin = 100;
export const slowStream = slowStreamOf(workMsEach, trips.newBatch);
export const slowChangedStream = slowStreamOf(changeMsEach, trips.changedBatch);

/** Busy tenants of the simulation of all workers, and the share of the highest rate at which it keeps up. */
export const tenantsTogether = 200;
export const simulatedShare = 0.95;
export const allWorkers = {
  ...streamLoads(workMsEach, assumed.slowTripMs)["ten a batch"],
  tenants: tenantsTogether,
  workers: eventQueueSettings.workers,
};

export function streamTable(): readonly Row[] {
  const loads = [assumed.tripMs, assumed.slowTripMs].flatMap((tripMs) =>
    Object.entries(streamLoads(workMsEach, tripMs)).map(([name, load]) => ({ name, load })),
  );
  return loads.flatMap(({ name, load }) => {
    const most = capacityOf(load);
    return [0.5, 0.9, 1.2].map((share) => {
      const eventsPerSecond = Math.round(most * share);
      const { waitMsP50, waitMsP99, keepsUp } = simulateStream({ ...load, eventsPerSecond });
      return {
        "ms a trip": load.tripMs,
        batches: name,
        "events a second": eventsPerSecond,
        "of the most": `${share * 100} %`,
        "wait, median, ms": number(waitMsP50),
        "wait, p99, ms": number(waitMsP99),
        "keeps up": keepsUp ? "yes" : "no",
      };
    });
  });
}

/** A transaction takes two units for each kilobyte that it writes; an entry of typical size is one kilobyte. */
const unitsOfTransactedKilobyte = 2;
/** For one event on the busiest partition: the tenant's copy of this week's entries. */
const unitsOnWeek = unitsOfTransactedKilobyte;

/** The most organizations that the growth benchmark measured. */
const measuredOrganizations = Math.max(
  ...rowsOf("growth", "Metrics, by organizations of a workspace").map((row) => Number(row.organizations)),
);

/** A slot of the limiter: its name, the time and six random bytes, as text. */
const slotBytes = 20;
const keyBytes = 100;

/** The calls that a workspace's tokens may make together: every window of the workspace, used up. */
const workspaceCallsPerSecond = [
  ...new Map(
    operations
      .filter(({ rateLimit }) => rateLimit.owner === "quota")
      .map(({ rateLimit }) => [rateLimit.bucket, rateLimit.requestsMax / rateLimit.windowSeconds]),
  ).values(),
].reduce((sum, each) => sum + each, 0);

/** A change is embedded and searched in pieces, each of which repeats the end of the one before. */
const piecesOfSearch = Math.ceil(
  assumed.bytesOfSearch / (indexLimits.pieceBytesMax - indexLimits.pieceOverlapBytes),
);
const embeddingsPerPullRequest =
  assumed.searchesPerPullRequest * piecesOfSearch + assumed.learningsPerPullRequest;
/** A piece's candidates, each a record and a vector, which lie in two partitions. */
const candidatesOfPiece = Math.min(
  indexLimits.nearestMax,
  assumed.resultsOfSearch * indexLimits.nearestPerResult,
);

/** Changes a second whose candidates' records one partition allows to read. */
const searchesOfPartition = awsQuotas.partitionReadUnits / (piecesOfSearch * candidatesOfPiece);

/** A piece has its own trips, and for each page of records one of vectors, one after the other. */
const inspectedPerPiece = indexLimits.inspectedPerPieceMax;
const tripsOfPiece = trips.piece + (2 * inspectedPerPiece) / indexLimits.inspectedPageItems;
const inspectedPerSecond =
  (1_000 * inspectedPerPiece) /
  (tripsOfPiece * assumed.slowTripMs + inspectedPerPiece * assumed.inspectionMsEach);
const inspectedPerDay =
  inspectedPerSecond *
  (indexLimits.reconcilerRunMs / 1_000) *
  ((24 * 60) / reconcileIndex.trigger.everyMinutes);

/** Reads of the worker, one after the other, for an owner whose webhook has all types: test/proofs/webhooks/cost.test.ts. */
const tripsOfNews = 8;
const webhookOwners =
  (webhookLimits.findMsMax / (tripsOfNews * assumed.slowTripMs)) * webhookLimits.ownersAtOnce;
const receiverSeconds = (webhookLimits.connectionsMax * webhookLimits.ringMsMax) / 1_000;
const quickAnswerSeconds = 0.2;
const slowAnswerSeconds = 10;

/** The bottlenecks, first of one tenant and then of the whole service. */
export function bottlenecks(): readonly Row[] {
  const eventUnits = measured(
    "ingest",
    "Units per pull request",
    ["workspace", "new", "the whole event"],
    "write units",
  );
  const authentication = measured(
    "growth",
    "Metrics, by organizations of a workspace",
    ["authentication alone", measuredOrganizations],
    "read units",
  );
  const perOrganization = authentication / measuredOrganizations;
  const auditUnits = unitsOfTransactedKilobyte * assumed.auditEntryKilobytes;
  const slots = Math.max(...operations.map(({ rateLimit }) => rateLimit.requestsMax));
  const slotUnits = Math.ceil((slots * slotBytes + keyBytes) / 1024);
  return [
    {
      what: "a workspace whose tokens use every rate limit to the full",
      "breaks at": `${number(awsQuotas.partitionReadUnits / (perOrganization * workspaceCallsPerSecond))} organizations`,
      because: `each of its ${number(workspaceCallsPerSecond, 1)} calls a second reads all rows of the workspace, ${perOrganization.toFixed(2)} read units a row; one partition allows ${number(awsQuotas.partitionReadUnits)} a second`,
      "an operator sees": "`tableThrottles`, 503",
      "what to change": "keys of single organizations, or larger pages",
    },
    {
      what: "one tenant's stream",
      "breaks at": `${number(slowStream)} events a second`,
      because: `one batch of ${eventQueueSettings.batchMessagesMax} events at a time, ${trips.newBatch} trips to DynamoDB of ${assumed.slowTripMs} ms for each batch, and ${number(workMsEach, 1)} ms of the worker for each event; ${number(slowChangedStream)} a second if every event changes an older entry (${trips.changedBatch} trips, ${number(changeMsEach, 1)} ms)`,
      "an operator sees": `\`queueAge\` above ${number(alarms.queueAge.secondsAbove)} s; nothing is lost`,
      "what to change": "send fewer events of unchanged pull requests; a second workspace",
    },
    {
      what: "one tenant's week of entries",
      "breaks at": `${number(awsQuotas.partitionWriteUnits / unitsOnWeek)} events a second`,
      because: `an event takes ${unitsOnWeek} write units of one partition, which allows ${number(awsQuotas.partitionWriteUnits)} a second`,
      "an operator sees": "`tableThrottles`, `events_returned`",
      "what to change": "nothing: the stream reaches its own limit first",
    },
    {
      what: "one bucket of the rate limiter",
      "breaks at": `${number(awsQuotas.partitionWriteUnits / slotUnits)} tries a second`,
      because: `a try on a full bucket of ${slots} slots takes ${slotUnits} write units; a warm function that saw the full bucket does not try`,
      "an operator sees": "`tableThrottles`; callers get 429, because a throttled bucket counts as full",
      "what to change":
        "nothing: only a caller far above its limit does this; the firewall (`waf`) bounds one address",
    },
    {
      what: "one tenant's audit log",
      "breaks at": `${number(awsQuotas.partitionWriteUnits / auditUnits)} changes a second`,
      because: `an entry of up to ${assumed.auditEntryKilobytes} KB, ${auditUnits} write units in a transaction, in the month's partition`,
      "an operator sees": "`tableThrottles`, 503 on writes",
      "what to change": `send batches: one entry covers up to ${peopleLimits.batchUsersMax} people`,
    },
    {
      what: "one organization's searches",
      "breaks at": `${number(searchesOfPartition)} changes of ${number(assumed.bytesOfSearch / 1000)} KB a second`,
      because: `each is searched in ${piecesOfSearch} pieces, and each piece reads ${candidatesOfPiece} records of one partition, which allows ${number(awsQuotas.partitionReadUnits)} read units a second`,
      "an operator sees": "`reviewSearch`, `tableThrottles`",
      "what to change": "send the part of a change that matters; ask for fewer results",
    },
    {
      what: "one organization's searches, in the vector index",
      "breaks at": `${number(awsQuotas.vectorKeySearchedBytes / examinedBytes)} changes of ${number(assumed.bytesOfSearch / 1000)} KB a second, with ${number(assumed.learningsOfOrganization)} Learnings`,
      because: `each piece may examine all vectors of the organization, ${number(vectorBytes)} bytes a Learning; the index allows ${mebibytes(awsQuotas.vectorKeySearchedBytes)} a second for one key; above ${number(learningsOfSlowIndex)} Learnings this limit comes before the one above`,
      "an operator sees": "`reviewSearch`",
      "what to change": "ask AWS for a higher quota before an organization has that many Learnings",
    },
    {
      what: "one organization's new vectors",
      "breaks at": `${number(awsQuotas.vectorKeyWrittenBytes / vectorBytes)} Learnings a second`,
      because: `a vector takes ${number(vectorBytes)} bytes in the index, which allows ${mebibytes(awsQuotas.vectorKeyWrittenBytes)} a second for one key`,
      "an operator sees": "`staleIndex`; Learnings are kept and indexed later",
      "what to change": `nothing: the table's partition of these vectors allows ${number(awsQuotas.partitionWriteUnits)} write units a second, and a vector takes at least one`,
    },
    {
      what: "all callers together",
      "breaks at": `${number(throttle.requestsPerSecond)} calls a second`,
      because: `the stage's own throttle, which protects the account; API Gateway's quota is ${number(awsQuotas.gatewayRequests)}`,
      "an operator sees": "429 from the gateway (`THROTTLED` in the access log)",
      "what to change": "`throttle` in lib/contract/platform.ts, after Lambda's quota",
    },
    {
      what: "all tenants' events together",
      "breaks at": `${number(slowStream * eventQueueSettings.workers)} events a second`,
      because: `${eventQueueSettings.workers} workers at once (\`eventWorkers\`), each as fast as one tenant's stream; simulated with ${tenantsTogether} busy tenants, ${simulatedShare * 100} % of it keeps up`,
      "an operator sees": "`queueAge`, a long queue",
      "what to change": "`eventWorkers`, after Lambda's quota",
    },
    {
      what: "all tenants' embeddings together",
      "breaks at": `${number(awsQuotas.embeddings / embeddingsPerPullRequest)} pull requests a second, ${number((awsQuotas.embeddings / embeddingsPerPullRequest) * 86_400)} a day`,
      because: `a pull request takes ${number(embeddingsPerPullRequest, 2)} embeddings (its change is searched in ${piecesOfSearch} pieces), and Bedrock's quota is ${number(awsQuotas.embeddings)} a second`,
      "an operator sees": "`embeddingModel`, `staleIndex`; Learnings are kept and indexed later",
      "what to change": "ask for a higher quota before the first large tenant",
    },
    {
      what: "all tenants' webhooks together",
      "breaks at": `${number(webhookOwners)} organizations or workspaces with webhooks of all types, or ${number(receiverSeconds)} seconds of receivers a minute`,
      because: `one worker reads the news of ${webhookLimits.ownersAtOnce} owners at a time for ${webhookLimits.findMsMax / 1_000} s of each minute, ${tripsOfNews} trips of ${assumed.slowTripMs} ms for each; then it has ${webhookLimits.connectionsMax} connections for ${webhookLimits.ringMsMax / 1_000} s: ${number(receiverSeconds / quickAnswerSeconds)} rings to receivers that answer in ${quickAnswerSeconds} s, ${number(receiverSeconds / slowAnswerSeconds)} to receivers that need ${slowAnswerSeconds} s`,
      "an operator sees": "`unreadWebhooks`, `postponedRings`; runs take turns, and nothing is lost",
      "what to change": "`ownersAtOnce`, `findMsMax` and `connectionsMax` in lib/contract/limits.ts",
    },
    {
      what: "the full check of the review index",
      "breaks at": `${number(inspectedPerDay / 1e6)} million Learnings a day`,
      because: `the reconciler works ${indexLimits.reconcilerRunMs / 1_000} s of each minute, ${number(inspectedPerSecond)} Learnings a second`,
      "an operator sees":
        "nothing: changes are indexed by their writers; only the pass that looks for lost ones takes longer than a day",
      "what to change": "`reconcilerRunMs` and the worker's timeout, or accept a longer pass",
    },
    {
      what: "a new table",
      "breaks at": `${number(awsQuotas.newTableWriteUnits / eventUnits)} events a second`,
      because: `a new table allows ${number(awsQuotas.newTableWriteUnits)} write units a second, later twice its last peak`,
      "an operator sees": "`tableThrottles`, `events_returned`; nothing is lost",
      "what to change":
        "send the first history more slowly, or raise the table's warm throughput before (`aws dynamodb update-table --warm-throughput`)",
    },
    {
      what: "the table",
      "breaks at": `${number(awsQuotas.tableWriteUnits / eventUnits)} events a second`,
      because: `an event takes ${eventUnits} write units; DynamoDB's default quota of a table is ${number(awsQuotas.tableWriteUnits)} a second`,
      "an operator sees": "`tableThrottles`",
      "what to change": "ask for a higher quota",
    },
    {
      what: "functions at once",
      "breaks at": `${number(lambdaLimits.concurrencyMax)}, ${lambdaLimits.concurrencyOfNewAccount} in a new account`,
      because: "Lambda's quota for the account; `preflight` reads it",
      "an operator sees": "`functionThrottles`, 503 from the gateway",
      "what to change": "ask for a higher quota; `eventWorkers`, `reservedConcurrency`",
    },
  ];
}

export function largestTable(): readonly Row[] {
  const perOrganization =
    measured(
      "growth",
      "Metrics, by organizations of a workspace",
      ["authentication alone", measuredOrganizations],
      "read units",
    ) / measuredOrganizations;
  const stored = rowsOf("growth", "Metrics, by stored pull requests");
  const storedMost = Math.max(...stored.map((row) => Number(row.stored)));
  const weekUnits = measured(
    "growth",
    "Metrics, by stored pull requests",
    ["a week of 200 pull requests", storedMost],
    "read units",
  );
  return [
    {
      what: "workspace",
      "the most": "no bound of its own; every call of its token reads all its organizations",
      "what it costs": `${perOrganization.toFixed(2)} read units a call for each organization`,
    },
    {
      what: "organization",
      "the most": `no bound; a page has ${pageLimits.users.max} users, ${pageLimits.repositories.max} repositories`,
      "what it costs": "a page costs the same, however many there are",
    },
    {
      what: "repository's findings",
      "the most": `${number(securityLimits.downloadFindingsMax)} in one download; pages have no limit`,
      "what it costs": "read in chunks",
    },
    {
      what: "Learnings of an organization",
      "the most": `no bound; ${learningLimits.batchItemsMax} in one request`,
      "what it costs": "a page costs the same; a search may examine all vectors of the organization",
    },
    {
      what: "pull request",
      "the most": `an event of ${mebibytes(eventLimits.eventBytesMax)}; readable up to ${mebibytes(requestLimits.responseBytesMax)}, above that 413`,
      "what it costs": `parts of ${number(streamLimits.partBytesMax / 1000)} KB beside its entry`,
    },
    {
      what: "history of pull requests",
      "the most": "no bound; a window touches only weeks that hold something",
      "what it costs": `${number(weekUnits)} read units for a week of 200, however much is stored (measured up to ${number(storedMost)})`,
    },
    {
      what: "audit log",
      "the most": "no bound; a partition for each tenant and month",
      "what it costs": "the newest page costs the same",
    },
    {
      what: "walk that is resumed",
      "the most": `${cursorLimits.resumeAgeDaysMax} days old`,
      "what it costs": "only what changed since",
    },
  ];
}

const secondsPerMonth = assumed.daysOfMonth * 86_400;
const exportsPerMonth = assumed.daysOfMonth * 24 * assumed.exportsPerHour;
const datasets = 3;
const pullRequestsPerPage = 1_000;

/** Embeddings for a pull request: for the reviewer's search, and for new Learnings. */
const embeddingDollars =
  ((assumed.searchesPerPullRequest * assumed.tokensOfSearch +
    assumed.learningsPerPullRequest * tokensOfLearning) *
    monthlyPrices.embeddingTokensMillion.dollars) /
  1e6;

/** A search reads the vector and the record of every candidate again: one consistent read of less than 4 KB each. */
const searchReadUnits = piecesOfSearch * 2 * candidatesOfPiece;
/** The vector index, then all candidates in one batch. */
const searchTrips = 2;

/** The function's time and reads for a million searches, without the embedding. */
const functionDollars =
  dynamoDollars({ readUnits: searchReadUnits, writeUnits: 0 }) +
  lambdaDollars({ billedMs: assumed.embeddingMs + searchTrips * assumed.tripMs, streaming: false });

/** Numbers of 32 bits, and what the index keeps beside them. */
const vectorBytes = tableShape.vectorIndex.dimensions * 4 + assumed.bytesBesideVector;
const millionGigabytes = (bytes: number): number => (bytes * 1e6) / bytesPerGigabyte;
const examinedBytes = piecesOfSearch * assumed.learningsOfOrganization * vectorBytes;
/** With more Learnings than these, the index allows fewer searches of an organization than the table's partition. */
const learningsOfSlowIndex =
  awsQuotas.vectorKeySearchedBytes / (searchesOfPartition * piecesOfSearch * vectorBytes);

const searchDollars =
  functionDollars + millionGigabytes(examinedBytes) * monthlyPrices.vectorGigabyteSearched.dollars;

export function billTable({ idle, metrics }: { idle: number; metrics: number }): readonly Row[] {
  const written = measured("cost", "Dollars per million pull requests", ["workspace"], "written once");
  const stored = measured("cost", "Dollars per million pull requests", ["workspace"], "stored, a month");
  const priceOf = (request: string) =>
    (measured("cost", "Dollars per million requests", ["listReviewCommentMetrics", request], "total") +
      awsLogDollars) /
    1e6;
  const poll = priceOf("3 pull requests");
  const page = priceOf(`${pullRequestsPerPage} pull requests`);
  return [1_000, 100_000, 10_000_000].map((pullRequests) => {
    const workspaces = Math.max(1, pullRequests / assumed.pullRequestsPerWorkspace);
    const writing = (pullRequests / 1e6) * written;
    const storing = ((pullRequests * assumed.keptMonths) / 1e6) * stored;
    const reading =
      datasets * (workspaces * exportsPerMonth * poll + (pullRequests / pullRequestsPerPage) * page);
    const embedding = pullRequests * embeddingDollars;
    const searching = ((pullRequests * assumed.searchesPerPullRequest) / 1e6) * searchDollars;
    return {
      "pull requests a month": number(pullRequests),
      workspaces: number(workspaces),
      "events a second, on average": number(pullRequests / secondsPerMonth, 4),
      "idle $": number(idle, 2),
      "metrics in use $": number(metrics, 2),
      "written $": number(writing, 2),
      "stored $": number(storing, 2),
      "read $": number(reading, 2),
      "embeddings $": number(embedding, 2),
      "searches $": number(searching, 2),
      "in all $": number(idle + metrics + writing + storing + reading + embedding + searching, 2),
    };
  });
}

/** What the review index costs, by vector and by search. */
export function vectorTable(): readonly Row[] {
  return [
    {
      what: "a Learning's vector, stored",
      quantity: `${number(vectorBytes)} bytes`,
      "$ a million": number(
        millionGigabytes(vectorBytes) *
          (prices.storageGigabyteMonth + monthlyPrices.vectorGigabyteMonth.dollars),
        2,
      ),
      note: "in the table and in the index, a month",
    },
    {
      what: "a Learning's vector, written to the index",
      quantity: `${number(vectorBytes)} bytes`,
      "$ a million": number(millionGigabytes(vectorBytes) * monthlyPrices.vectorGigabyteWritten.dollars, 2),
      note: `the alarm \`vectorWrites\` rings above ${number(alarms.vectorWrites.bytesAbove)} bytes in five minutes`,
    },
    {
      what: "a search, by the index",
      quantity: `${piecesOfSearch} pieces, at most ${number(examinedBytes / 1e6, 1)} MB examined`,
      "$ a million": number(
        millionGigabytes(examinedBytes) * monthlyPrices.vectorGigabyteSearched.dollars,
        2,
      ),
      note: `if each piece examines all vectors of the organization; the alarm \`vectorSearches\` rings above ${number(alarms.vectorSearches.searchesAbove)} searches in five minutes`,
    },
    {
      what: "a search, by the function `searchForReview`",
      quantity: `${searchReadUnits} read units at most, and its time`,
      "$ a million": number(functionDollars, 2),
      note: `${piecesOfSearch} pieces, each with its own embedding, search and reads; pieces of one request are searched together`,
    },
    {
      what: "an embedding of a Learning by Titan v2",
      quantity: `${tokensOfLearning} tokens`,
      "$ a million": number(tokensOfLearning * monthlyPrices.embeddingTokensMillion.dollars, 2),
      note: "one for each Learning that is new or changed; included in the requests above",
    },
    {
      what: "an embedding of a search by Titan v2",
      quantity: `${number(assumed.tokensOfSearch)} tokens`,
      "$ a million": number(assumed.tokensOfSearch * monthlyPrices.embeddingTokensMillion.dollars, 2),
      note: `for each search of the reviewer, in ${piecesOfSearch} calls`,
    },
  ];
}
