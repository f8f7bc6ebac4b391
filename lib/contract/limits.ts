/** Every limit of the service, defined once. Names include the unit. */

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const storeLimits = {
  batchGetItemsMax: 100,
  batchWriteItemsMax: 25,
  transactionActionsMax: 100,
  transactionReadsMax: 100,
  transactionBytesMax: 4 * mebibyte,
  /** Six attempts within about a second: a conflict ends within milliseconds, throttling within hundreds of them. */
  retry: { attemptsMax: 6, baseDelayMs: 20, delayMsMax: 500 },
  /** How long after its moment or first attempt a write may be sent: well before lists count as settled. */
  writeAgeMsMax: 60_000,
} as const;

/**
 * Calls to AWS's services. The store retries its own calls; all others may be repeated: a message, an object or an
 * embedding is the same when it comes twice.
 */
export const awsLimits = {
  connectMsMax: 1_000,
  storeAnswerMsMax: 3_000,
  /** A local engine may be slow when everything else runs at the same time. */
  localStoreAnswerMsMax: 10_000,
  queueAnswerMsMax: 5_000,
  /** An object of 64 MiB arrives in a few seconds. */
  objectAnswerMsMax: 15_000,
  attemptsMax: 3,
  retry: { baseDelayMs: 50, delayMsMax: 1_000 },
  /** Connections of one client at the same time; further calls wait. */
  connectionsMax: 50,
  /** Connections kept open between requests. */
  idleConnectionsMax: 16,
  /** After a freeze a function's connections are dead; connections that were idle for longer than this are not used. */
  idleConnectionMsMax: 20_000,
  /** Nothing was frozen within this time: a connection that was idle for less is as good as a new one. */
  trustedIdleMs: 1_000,
  /** On a connection that was idle for longer than `trustedIdleMs`. DynamoDB answers in a tenth of this time. */
  reusedAnswerMsMax: 700,
} as const;

export const requestLimits = {
  bodyBytesMax: mebibyte,
  learningsBodyBytesMax: 4 * mebibyte,
  responseBytesMax: 16 * mebibyte,
  compressAboveBytes: kibibyte,
  requestIdCharactersMax: 128,
  listValuesMax: 10,
  auditFilterValuesMax: 50,
  searchCharactersMax: 200,
  /** Problems listed in one response; further ones are counted. */
  problemsMax: 20,
  /** Shown characters of an unknown field's name. */
  shownNameCharactersMax: 64,
  /** Longest id that a Git provider can send; also the limit of a query value. */
  idBytesMax: 256,
  /** `provider:id`, which names one of two organizations with the same id. */
  orgIdBytesMax: 269,
  /** How long a browser may remember the answer to a preflight request. */
  preflightSecondsMax: 86_400,
  /** How long a request with the same `idempotency_key` returns what the first one made. */
  idempotencyMs: 900_000,
  /** When a caller may retry after an error of the service. */
  retryAfterSeconds: 1,
  metricsPreparingRetryAfterSeconds: 60,
} as const;

export const cursorLimits = {
  charactersMax: kibibyte,
  pageAgeDaysMax: 30,
  resumeAgeDaysMax: 400,
  /** How long one key encrypts; it decrypts until its cursors expire. */
  keyDaysMax: 30,
} as const;

/** How long a removal is remembered: a day longer than a cursor lives. */
const removalDays = cursorLimits.resumeAgeDaysMax + 1;

/** Longer than any request: what is older than this is visible to every read. */
const settledAfterMs = 120_000;

export const scopeLimits = {
  /** How long the departure of an organization is remembered. */
  leftDays: removalDays,
  settledAfterMs,
  /** Up to so many organizations are caught up from their own copies; more are filtered from the tenant's copy. */
  ownCopiesMax: 4,
  /** A repair skips this many epochs, so that no change of the scope gets the epoch of a lost change. */
  repairEpochsGap: 1_000_000,
} as const;

export const keyLimits = {
  secretBytes: 24,
  /** Of the key of the HMAC that derives a value. */
  saltBytes: 32,
  nameCharactersMax: 100,
  /** Organizations that one instance key names, in its item. A key that may see more names none and sees all. */
  authorizedOrganizationsMax: 1_000,
  tokenExpiryDaysMin: 1,
  tokenExpiryDaysMax: 365,
  /** A century: a longer expiry is a mistake, and would exceed the range of a date. */
  expiryDaysMax: 36_500,
  lastUsedEveryMs: 60_000,
  /** Over HTTP; the operator's tool allows more. */
  graceSecondsMax: 86_400,
  graceSecondsDefault: 3_600,
  /** How long, and for how many keys, a function remembers that it accepted a key. */
  acceptedForMs: 60_000,
  acceptedKeysMax: 1_000,
  /** Organizations whose keys are read in parallel. */
  organizationsAtOnce: 50,
  /** Rows of a key list that the operator's tool or the scheduled worker holds at the same time. */
  rowsReadTogether: 100,
  /** Live keys that one key made: they end in one transaction with it. */
  madeKeysMax: 50,
  /** Days until a made key expires, unless the request or its maker's end says otherwise. */
  madeKeyDaysDefault: 90,
  madeKeyDaysMax: 365,
} as const;

export const cacheLimits = {
  /** What a warm function keeps in memory: buckets of the limiter, refusals that it has audited, organizations' tenants. */
  bucketsMax: 1_000,
  refusalsMax: 1_000,
  tenantsMax: 1_000,
  /** How long a warm function signs with the cursor key that it has before it looks for a newer one. */
  cursorKeysMs: 60_000,
} as const;

export const pageLimits = {
  organizations: { min: 1, max: 100, default: 100 },
  repositories: { min: 1, max: 100, default: 100 },
  auditLogs: { min: 1, max: 100, default: 100 },
  users: { min: 1, max: 100, default: 100 },
  teams: { min: 1, max: 100, default: 20 },
  keys: { min: 1, max: 100, default: 100 },
  deliveries: { min: 1, max: 100, default: 20 },
  learnings: { min: 1, max: 1000, default: 1000 },
  metrics: { min: 1, max: 1000, default: 1000 },
  findings: { min: 1, max: 1000, default: 100 },
} as const;

/** Listings that skip items that do not match their filters. */
export const walkLimits = {
  /** Items of one query: with fewer, a small page among many skipped items needs many round trips. */
  pageItemsMin: 100,
  /** Items that one request may skip, and partitions that it may read, before it returns a short page with a cursor. */
  passedOverMax: 2_000,
  partitionsPerPageMax: 200,
} as const;

export const auditLimits = {
  retentionDaysDefault: 400,
  /** Entries that one request may skip before it returns a short page. */
  passedOverMax: 5_000,
  /** The same in bytes: an entry about a batch of 500 people is large. */
  passedOverBytesMax: 12 * mebibyte,
  /** Days in which a page probably ends; their months are read first. */
  daysOfPage: 7,
  settledAfterMs,
  refusedEveryMs: 60_000,
  /** Size of an item that lists copies to be written: an item holds 400 KB. */
  owedBytesMax: 300_000,
  /** People of a batch whose ids and e-mail addresses the entry gives. */
  peopleNamedMax: 20,
  /** Entries that are copied together when a log moves with its organization. */
  copiedTogether: 100,
} as const;

export const peopleLimits = {
  batchUsersMax: 500,
  emailBytesMax: 254,
  /** The name of a provider, an organization's id with every character escaped, a user's id, and two colons. */
  seatHolderIdBytesMax: 1_038,
  roleNameCharactersMax: 255,
  roleDescriptionCharactersMax: 1_000,
  customRolesMax: 100,
  /** How long the same request by the same key returns the role that it created before. */
  roleRepeatMsMax: 10 * 60_000,
  /** People changed by one transaction, in addition to the guard and the two copies of the audit entry. */
  changedTogetherMax: 97,
  /** The same plus the organizations whose logs record it, in addition to the guard and the tenant's copy. */
  changedAndRecordedTogetherMax: 98,
  /** Memberships of one person: at most 330 bytes each of an item's 400 KB. A further one becomes another person. */
  membershipsMax: 1_000,
  /** Memberships of all people that one transaction changes: with their conditions, well within its 4 MB. */
  membershipsTogetherMax: 5_000,
  /** Organizations that an audit entry about seats names; if there are more, it says how many. */
  organizationsNamedMax: 50,
  /** Below DynamoDB's 4 MiB: our estimate of a write's size is not exact to the byte. */
  transactionBytesMax: 3 * mebibyte,
  /** Organizations of an instance whose members' roles are changed in parallel; each has its own guard. */
  organizationsAtOnce: 10,
} as const;

export const teamLimits = {
  usersMax: 5_000,
  /** A team and its members are one item of 400 KB. */
  usersBytesMax: 350_000,
  /** Organizations whose first teams are read at the same time: at most 1 MiB each. */
  organizationsAtOnce: 10,
} as const;

const suspectFromReceives = 3;
const triesMax = 5;

export const eventLimits = {
  /** A larger event is sent as a reference into the events bucket; the limit of SQS itself is 256 KiB. */
  inlineBytesMax: 200_000,
  waitingDaysMax: 14,
  /** How far `occurred_at` may be ahead of our own clock: hosts' clocks differ by less. */
  aheadMsMax: 10 * 60_000,
  approvalDelayDaysMax: 30,
  /** A referenced event is held in memory completely, together with what is made of it. */
  eventBytesMax: 64 * mebibyte,
  typeCharactersMax: 100,
  /** Room for a date-time with the finest fraction that any clock has. */
  occurredAtCharactersMax: 64,
  nameCharactersMax: 512,
  fullNameCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  seatsMax: 10_000_000,
  /** The admins are stored in the workspace item, which every use of a workspace token reads. */
  workspaceAdminsBytesMax: 300_000,
  /** All parts of a member's repository list are written in the member's own transaction (4 MiB). */
  readableBytesMax: 3_000_000,
  readablePartBytesMax: 300_000,
  /** A reason is sent as a message attribute, with a body that may fill the message. */
  reasonCharactersMax: 500,
  /** Three items per member and the guards fit one transaction. */
  peopleMovedTogetherMax: 25,
  /** People who get a seat in one transaction, in addition to the pool's guard. */
  peopleSeatedTogetherMax: 90,
  /** Waiting events of up to 200 KB are read a few at a time. */
  waitingPageItems: 10,
  sendBatchMessagesMax: 10,
  /** Maximum size that id, group and reason add to a message. */
  messageOverheadBytesMax: 3_000,
  sendAttemptsMax: 5,
  /** Time that a worker keeps for its answer, before Lambda cuts it off. */
  workerMarginMs: 2_000,
  /**
   * A message is given up after this many counted tries, three minutes apart. Tries count that failed or ended the
   * worker, or took longer than a delivery; not while the store or a queue is away. A worker that AWS stopped cannot
   * take such a try back, so the number leaves room for a few.
   */
  triesMax,
  /** A store or bucket that needs longer for one answer is slow: then the event is not to blame for the time. */
  quickAnswerMsMax: 5_000,
  /** From this many receives on, a try is counted before it begins: the event may be what ends the worker. */
  suspectFromReceives,
  /** An applied event waits this long for the events that waited for it; then it leaves them to the scheduled worker. */
  receivesForWaiting: suspectFromReceives + triesMax,
  /** Tries are stored as long as the queue keeps a message. */
  triesDays: 14,
  /** How long the event of a tenant's move works on it, of the 28 s of its worker; then the scheduled worker continues. */
  moveMsMax: 24_000,
  /** How many moves the scheduled worker continues at the same time. */
  movesAtOnce: 4,
  /** How long the scheduled worker works on one move before it is the next move's turn. */
  moveTurnMs: 5_000,
  /** How often a decision is repeated after a failed condition before the event goes back to the queue. */
  decisionsMax: 12,
} as const;

export const metricsLimits = {
  /** Merge and close times must be between this day and the end of tomorrow, or the event is invalid. */
  firstDay: "2000-01-01",
  /** Maximum of any count in one pull request; sums of many stay exact. */
  countMax: 1_000_000_000,
  /** A page ends after this reading time; sending 16 MiB then still fits the function's time. */
  readMsMax: 20_000,
} as const;

export const streamLimits = {
  /** More than a FIFO batch; seven actions per change and the checks fit one transaction. */
  changesPerTransactionMax: 14,
  /** What a move reads together: two transactions. Then it reads the head again, and other writers get their turn. */
  movedTogetherMax: 28,
  /** Below DynamoDB's 4 MiB: our estimate of an item's size is not exact to the byte. */
  transactionBytesMax: 3 * mebibyte,
  /** Larger entries spill, so that a page of typical ones stays one DynamoDB page. */
  inlineBytesMax: 32 * kibibyte,
  /** An item holds 400 KB, keys included. */
  partBytesMax: 350_000,
  /** The sort key has ten digits. */
  numberMax: 9_999_999_999,
  /** Weeks from 2000 to 2078: 512 bytes of bitset at most. */
  weeksMax: 4096,
  /** How often a writer decides again before the event goes back to the queue. */
  attemptsMax: 30,
  retryDelayMsBase: 20,
  retryDelayMsMax: 1_000,
  /** A move stores its position after so many pull requests: the next run begins there. */
  moveProgressEvery: 100,
  /** How long the mark of a dropped spill stays if no sweep removes it. */
  droppedSpillDays: 30,
  /** Longer than any delayed request: then its parts are deleted with the mark, and no more can arrive. */
  lateRequestHours: 24,
  /** Duration of one run of the sweep, well within the function's time; the next run continues where it stopped. */
  sweepMsMax: 200_000,
  /** A repair reads this many segments of the table at a time. */
  repairSegments: 8,
  /** A repair skips this many numbers, so that cursors from before the restore are followed only by newer entries. */
  repairNumbersGap: 1_000_000,
  /** Bytes of entries that one request may skip: more than 10,000 typical entries. */
  passedOverBytesMax: 12 * mebibyte,
  /** How long a removal is kept: longer than any cursor lives. */
  removalDays,
} as const;

export const learningLimits = {
  batchItemsMax: 100,
  /** Characters that are redacted or embedded before other work of the process runs: about 50 ms. */
  charactersPerTurn: 20_000,
  textCharactersMax: 10_000,
  /** Longer ids are refused before any data is read, and would not fit a key. */
  idCharactersMax: 64,
  /** Characters of a text, a file or a source that an audit entry shows, before and after. */
  auditTextCharactersMax: 200,
  /** Redaction marks do not count as text; this many characters of them fit the transactions of a full batch. */
  marksCharactersMax: 27_000,
  /** The same for `file` and `source_url`. */
  fieldMarksCharactersMax: 1_024,
  fileCharactersMax: 1_024,
  sourceUrlCharactersMax: 2_048,
  filesMax: 10,
  /** Six actions each at most, and two audit entries with two copies each, fit one transaction. */
  writtenTogetherMax: 16,
  /** Five actions each fit one transaction. */
  movedTogetherMax: 20,
  /** How often a write decides again after a lost race before it counts as failed. */
  attemptsMax: 8,
  settledAfterMs,
  /** How long the list keeps the former place of a Learning; it is needed for `settledAfterMs`. */
  movedDays: 1,
  /** How long the removal of a Learning is stored. */
  removalDays,
  activeDays: 30,
  newDays: 7,
  /** Bytes of Learnings that one request may skip: more than 10,000 typical Learnings. */
  passedOverBytesMax: 12 * mebibyte,
  /** How long one request reads; well within the time of a streaming function. */
  walkMsMax: 15_000,
  /** How long the service remembers that an event was applied; longer than any queue keeps it. */
  appliedEventDays: 400,
  /** How long a closed pull request is remembered, for Learnings that were captured in it and arrive late. */
  finalizedDays: 100,
  usesMax: 1_000_000,
  /** Private Learnings of one open pull request, all in one item; the end of the pull request decides about each. */
  perPullRequestMax: 1_000,
  /** Open pull requests that keep the same private Learning, listed in its item. */
  pullRequestsMax: 1_000,
  /** Learnings that were created with the same text, most of which have another text now; one item lists them. */
  generationsMax: 1_000,
} as const;

export const indexLimits = {
  /** Records of the largest size, well within the 4 MiB of one reading transaction. */
  recordsReadTogetherMax: 25,
  /** Titan takes 8,192 tokens, and a token is at least a byte. */
  embeddedBytesMax: 8_000,
  /** Longer texts are embedded in pieces; each has its file's path before it. */
  pieceBytesMax: 7_000,
  pathBytesMax: 900,
  /** How much a piece repeats of the piece before it: a sentence that is cut is complete in one of them. */
  pieceOverlapBytes: 700,
  /** Pieces of the longest Learning: characters of four bytes, and all redaction marks that it may have. */
  piecesMax: 11,
  embeddingsAtOnceMax: 20,
  embeddingTimeoutMs: 5_000,
  embeddingAttemptsMax: 3,
  /** Maximum number of results of one search of the vector index. */
  nearestMax: 100,
  /** Requested results per wanted result: some may have been deleted or changed since, or be pieces of one Learning. */
  nearestPerResult: 4,
  resultsMax: 50,
  resultsDefault: 10,
  /** A question or a change that a caller of the API sends. */
  queryCharactersMax: 20_000,
  /** Pieces of one search: 20,000 characters of four bytes. Each is one embedding. */
  searchPiecesMax: 12,
  organizationsMax: 20,
  /** Searches of the vector index in one request: 20,000 plain letters in 20 organizations. */
  searchesMax: 60,
  /** A change is searched in pieces too, each with its own embedding and search. */
  searchBytesMax: 200_000,
  searchFilesMax: 300,
  /** Characters of the paths before a change; paths are mostly plain letters. */
  searchedPathsCharactersMax: 900,
  /** Partitions for the stale markers: a single one would be the hottest of the table. */
  staleShards: 16,
  /** A writer indexes what it wrote itself; only older markers were left behind. */
  leftBehindAfterMs: 60_000,
  /** A marker and a record per Learning, in one snapshot. */
  refreshedTogetherMax: 50,
  /** The reconciler works in pieces, and begins none after this time; its function may take twice as long. */
  reconcilerRunMs: 30_000,
  staleMarkersPerPieceMax: 1_000,
  /** The full pass: Learnings checked in one piece, and how long the pass pauses after it is complete. */
  inspectedPerPieceMax: 2_000,
  /** Two reads per organization, whether or not it has Learnings. */
  organizationsPerPieceMax: 1_000,
  inspectedPageItems: 500,
  fullPassEveryMs: 24 * 3_600_000,
} as const;

export const securityLimits = {
  /** Findings of a CSV or SARIF download; above it the response says how to narrow the request. */
  downloadFindingsMax: 50_000,
  /** The limit of GitHub's code scanning for one run; a repository with more results gets several runs. */
  sarifResultsPerRunMax: 25_000,
  /** The limit of GitHub's code scanning for one file. */
  sarifRunsPerFileMax: 20,
  /** GitHub's limit for a file: 10 MB, compressed with gzip as it is uploaded. */
  sarifGzipBytesMax: 10_000_000,
  /** Scans must be complete between this day and the end of tomorrow: one in the far future would hide all others. */
  firstDay: "2000-01-01",
  titleCharactersMax: 1_024,
  descriptionCharactersMax: 20_000,
  filePathCharactersMax: 4_096,
  /** The maximum of a signed 32-bit integer, which is the limit of some SARIF readers. */
  lineMax: 2_147_483_647,
  evidenceMax: 100,
  evidenceCharactersMax: 10_000,
  findingBytesMax: 128 * kibibyte,
  /**
   * A chunk of findings grows to the maximum and is then split into equal chunks of about the target size, which have
   * room to grow. Even a chunk that cannot be compressed fits an item of 400 KB.
   */
  chunkBytesTarget: 96 * kibibyte,
  chunkBytesMax: 128 * kibibyte,
  /** The ledger that lists the chunks is one item: at most 104 bytes per chunk of its 400 KB. */
  chunksMax: 3_500,
  /** Four parallel batches of the store; some megabytes at most. */
  chunksWrittenTogether: 100,
  /** Chunks that a download holds at the same time, compressed and decompressed. */
  chunksAtOnce: 64,
  /** Organizations of an instance whose lists are read in parallel. */
  organizationsAtOnce: 8,
  ledgersPageItems: 100,
  /** A reader starts again when a scan replaces chunks meanwhile; scans are far rarer than this. */
  readAttemptsMax: 5,
} as const;

/** Without products: with one, esbuild keeps the object in every function that imports another limit. */
export const webhookLimits = {
  /** Webhooks of one organization, workspace or instance. */
  perScopeMax: 20,
  urlCharactersMax: 2_048,
  descriptionCharactersMax: 500,
  secretBytes: 32,
  /** After a rotation both secrets sign for this long. */
  rotationGraceMs: 86_400_000,
  /** Older secrets that still sign; a further rotation ends the oldest of them at once. */
  oldSecretsMax: 4,
  /** From resolving the name to the end of the answer. */
  attemptMsMax: 15_000,
  /** Of this, for one address of a name that has several: then the next one is tried. */
  connectMsMax: 3_000,
  /** Of this, until the name servers have answered; also when a webhook is created. */
  nameMsMax: 5_000,
  /** The service reads no more of an answer than this. */
  answerBytesMax: 65_536,
  /** Of an answer that deliveries show. */
  shownAnswerBytes: 500,
  deliveryDays: 7,
  /** Of one ring, the last ones. In five days the delays lead to 17, and each test that succeeds to one more. */
  attemptsShown: 30,
  /** Delays after the first, second, … failed attempt; the last delay repeats. */
  retryDelaysMs: [60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000],
  /** A webhook without a success for this long is disabled. */
  failingMsMax: 432_000_000,
  /** Partitions of the webhooks: a single one would be the hottest of the table. */
  shards: 16,
  /** The worker begins a run this often. */
  runEveryMs: 60_000,
  connectionsMax: 100,
  /** Of these, for one owner: slow receivers of one tenant leave connections to the others. */
  connectionsPerOwnerMax: 10,
  /** The worker begins no attempt after this time of its run. */
  ringMsMax: 40_000,
  /** The worker reads no further webhooks after this time of its run; it goes on with those that it has. */
  listMsMax: 5_000,
  /** The worker reads no further owner's news after this time of its run; it sends what it found. */
  findMsMax: 15_000,
  /** Owners whose news the worker reads at the same time. */
  ownersAtOnce: 10,
  /** Things that one ring names; the receiver finds the others in the list. */
  namedMax: 100,
  /** Of the notes of a tenant that one run reads for a type; the next run continues. */
  notesReadMax: 1_000,
  /** Up to this number of foreign notes, reading them again costs less than moving the mark. */
  notesReadAgainMax: 40,
  settledAfterMs,
} as const;

/** Of the notes for webhooks. By themselves, because the workers that write notes need nothing else of webhooks. */
export const newsLimits = {
  /** How long a note is kept after it is due: longer than a failing webhook lives. */
  days: 7,
  /** Days before the end of a key at which webhooks ring. */
  keyExpiryDays: [14, 3, 1],
} as const;
