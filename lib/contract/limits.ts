/** Every bound of the service, once. Names carry the unit. */

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const storeLimits = {
  batchGetItemsMax: 100,
  batchWriteItemsMax: 25,
  transactionActionsMax: 100,
  transactionReadsMax: 100,
  transactionBytesMax: 4 * mebibyte,
  /** Six tries within about a second: a conflict clears in milliseconds, a throttle in hundreds. */
  retry: { attemptsMax: 6, baseDelayMs: 20, delayMsMax: 500 },
  /** How long after its moment, or its first attempt, a write may be sent: well within the time after which lists count as settled. */
  writeAgeMsMax: 60_000,
} as const;

/** Calls to AWS's services. The store repeats its own calls; the others may all be repeated: a message, an object or an
 * embedding is the same when it comes twice. */
export const awsLimits = {
  connectMsMax: 1_000,
  storeAnswerMsMax: 3_000,
  /** An engine on this machine may be slow when everything else runs beside it. */
  localStoreAnswerMsMax: 10_000,
  queueAnswerMsMax: 5_000,
  /** An object of 64 MiB arrives in a few seconds. */
  objectAnswerMsMax: 15_000,
  attemptsMax: 3,
  retry: { baseDelayMs: 50, delayMsMax: 1_000 },
  /** Of one client at once; what is above waits in line. */
  connectionsMax: 50,
  /** Kept open between requests. */
  idleConnectionsMax: 16,
  /** A frozen function finds its connections dead; those that were idle for longer are not tried. */
  idleConnectionMsMax: 20_000,
  /** Within it nothing was frozen: a connection that was idle for less is as good as a new one. */
  trustedIdleMs: 1_000,
  /** On a connection that was idle for longer than that. DynamoDB answers in a tenth of it. */
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
  /** Named in one answer; more are counted. */
  problemsMax: 20,
  /** Of the name of a field that nobody knows. */
  shownNameCharactersMax: 64,
  /** Longest id a Git provider can give us; also what a query value may hold. */
  idBytesMax: 256,
  /** How long a browser may remember the answer to a preflight request. */
  preflightSecondsMax: 86_400,
  /** When a caller may retry what failed on our side. */
  retryAfterSeconds: 1,
  metricsPreparingRetryAfterSeconds: 60,
} as const;

export const cursorLimits = {
  charactersMax: kibibyte,
  pageAgeDaysMax: 30,
  resumeAgeDaysMax: 400,
  /** How long one key signs; it verifies for as long as its cursors live. */
  signingDaysMax: 30,
} as const;

/** How long it is remembered that something was removed: a day longer than a cursor lives. */
const removalDays = cursorLimits.resumeAgeDaysMax + 1;

export const scopeLimits = {
  /** How long it is known that an organization left. */
  leftDays: removalDays,
  /** Longer than any request lives: rows that a request reads show every change that is older. */
  settledAfterMs: 120_000,
  /** Organizations caught up from their own copies; more at once are picked out of the tenant's. */
  ownCopiesMax: 4,
  /** A repair skips this many epochs, so that no change of the scope gets one that a lost change had. */
  repairEpochsGap: 1_000_000,
} as const;

export const keyLimits = {
  secretBytes: 24,
  nameCharactersMax: 100,
  /** That one instance key names, in its item. One that may see more of its instance names none and sees all. */
  authorizedOrganizationsMax: 1_000,
  tokenExpiryDaysMin: 1,
  tokenExpiryDaysMax: 365,
  /** A century: longer ones are mistakes, and would leave what a date can hold. */
  expiryDaysMax: 36_500,
  lastUsedEveryMs: 60_000,
  /** Over HTTP; the operator's tool may give more. */
  graceSecondsMax: 86_400,
  graceSecondsDefault: 3_600,
  /** A rotated key works at least so long where it is open whether the caller has heard of the new one. */
  untoldGraceMs: 900_000,
  /** No request lasts so long: from then on nobody is told a value that was not told before. */
  untoldAfterMs: 60_000,
  /** Organizations whose keys are asked for side by side, and how many one page looks through at most. */
  organizationsAtOnce: 50,
  organizationsPerPageMax: 200,
  /** Rows of a list of keys that the operator's tool or the clock's worker holds at once. */
  rowsReadTogether: 100,
  /** How long a revoked key stands in the place of one whose transaction may still arrive. */
  fenceDays: 1,
} as const;

export const cacheLimits = {
  /** What a warm function remembers: buckets of the limiter, and refusals that it has audited. */
  bucketsMax: 1_000,
  refusalsMax: 1_000,
  /** How long a warm function signs with the cursor key it knows before it looks for a newer one. */
  cursorKeysMs: 60_000,
} as const;

export const pageLimits = {
  organizations: { min: 1, max: 100, default: 100 },
  repositories: { min: 1, max: 100, default: 100 },
  auditLogs: { min: 1, max: 100, default: 100 },
  users: { min: 1, max: 100, default: 100 },
  keys: { min: 1, max: 100, default: 100 },
  learnings: { min: 1, max: 1000, default: 1000 },
  metrics: { min: 1, max: 1000, default: 1000 },
  findings: { min: 1, max: 1000, default: 100 },
} as const;

/** Listings that leave out what their filters do not want. */
export const walkLimits = {
  /** Of one query: with fewer, a small page among many items that are left out would take a trip for each few. */
  pageItemsMin: 100,
  /** Items one request may pass over before it answers a short page with a cursor. */
  passedOverMax: 2_000,
} as const;

export const auditLimits = {
  retentionDaysDefault: 400,
  /** Entries one request may pass over before it answers a short page. */
  passedOverMax: 5_000,
  /** Months read side by side at first, as most pages end within them; all the others follow at once. */
  monthsAtFirst: 2,
  /** Longer than any request lives: no entry older than this can still become visible. */
  settledAfterMs: 120_000,
  refusedEveryMs: 60_000,
  /** Of a note of copies that are still to be written: an item holds 400 KB. */
  owedBytesMax: 300_000,
} as const;

export const peopleLimits = {
  batchUsersMax: 500,
  emailBytesMax: 254,
  roleNameCharactersMax: 255,
  roleDescriptionCharactersMax: 1_000,
  customRolesMax: 100,
  /** How long the same request by the same key answers with the role that it made before. */
  roleRepeatMsMax: 10 * 60_000,
  /** People changed by one transaction, beside the guard and the two copies of the audit entry. */
  changedTogetherMax: 97,
  /** People changed by one transaction and the organizations whose logs tell of it, beside guard and tenant's copy. */
  changedAndToldTogetherMax: 98,
  /** Of one person: at most 330 bytes each of an item's 400 KB. A membership beyond them stands alone. */
  membershipsMax: 1_000,
  /** Of all the people that one transaction changes: with the conditions on them well within its 4 MB. */
  membershipsTogetherMax: 5_000,
  /** Organizations that an audit entry about seats names; beyond them it says how many there are. */
  organizationsNamedMax: 50,
  /** Below DynamoDB's 4 MiB: our estimate of a write's size is not AWS's to the byte. */
  transactionBytesMax: 3 * mebibyte,
  /** Organizations of an instance whose members' roles are changed side by side; each has a guard of its own. */
  organizationsAtOnce: 10,
} as const;

export const eventLimits = {
  /** From here on an event travels as a reference into the events bucket; SQS itself stops at 256 KiB. */
  inlineBytesMax: 200_000,
  waitingDaysMax: 14,
  /** Of `occurred_at` before our own clock: hosts' clocks differ by less. */
  aheadMsMax: 10 * 60_000,
  approvalDelayDaysMax: 30,
  /** A referenced event is held in memory whole, beside what is made of it. */
  eventBytesMax: 64 * mebibyte,
  typeCharactersMax: 100,
  /** A date-time with a fraction as long as anybody's clock is fine. */
  occurredAtCharactersMax: 64,
  nameCharactersMax: 512,
  fullNameCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  seatsMax: 10_000_000,
  /** The admins stand in the workspace item, which every use of a workspace token reads. */
  workspaceAdminsBytesMax: 300_000,
  /** All parts of a member's repository list are written in the member's own transaction (4 MiB). */
  readableBytesMax: 3_000_000,
  readablePartBytesMax: 300_000,
  /** A reason travels as a message attribute, beside a body that may fill the message. */
  reasonCharactersMax: 500,
  /** Three items a member and the guards fit one transaction. */
  peopleMovedTogetherMax: 25,
  /** Persons seated by one transaction, beside the pool's guard. */
  peopleSeatedTogetherMax: 90,
  /** Waiting events of up to 200 KB are read a few at a time. */
  waitingPageItems: 10,
  sendBatchMessagesMax: 10,
  /** What id, group and reason add to a message at most. */
  messageOverheadBytesMax: 3_000,
  sendAttemptsMax: 5,
  /** Left to a worker to answer with, before Lambda cuts it off. */
  workerMarginMs: 2_000,
  /** An event whose fault is unclear is tried so often, three minutes apart, before it is a dead letter. */
  triesMax: 3,
  /**
   * An event that ends its worker is given up after so many tries whose end nobody told. A worker that lives on tells the
   * ends before its next batch; one that AWS took away meanwhile cannot, so that a few may be missing.
   */
  untoldMax: 5,
  /**
   * An event that takes longer than a delivery is given up after so many that it used up; with the first ones, which
   * are not counted, that is half an hour.
   */
  outlastedMax: 8,
  /** A store or bucket that takes longer for one answer is slow: then the time is no fault of the event. */
  quickAnswerMsMax: 5_000,
  /**
   * A message that met passing faults only is given up after 44 hours of receives, and so many tries of its own: the
   * receives alone may be those of the message before it. One that is applied itself waits as often for events that
   * waited for it, and then leaves them to the clock's worker.
   */
  passingTriesMin: 10,
  /** From so many receives on, a try is counted before it begins: the event may be what ends the worker. */
  suspectReceivesMin: 3,
  /** Tries are remembered as long as the queue keeps a message. */
  triesDays: 14,
  /** A tenant's move is worked on for so long by its event; then the clock's worker goes on with it. */
  moveMsMax: 15_000,
  /** How often a failed condition is decided anew before the event goes back to the queue. */
  decisionsMax: 12,
} as const;

export const metricsLimits = {
  /** Merge and close times lie from here to the end of tomorrow, or the event is bad. */
  firstDay: "2000-01-01",
  /** Of anything counted in one pull request; sums of many stay exact. */
  countMax: 1_000_000_000,
  /** A page that has read this long ends where it is; sending 16 MiB then still fits the function's time. */
  readMsMax: 20_000,
} as const;

export const streamLimits = {
  /** A FIFO batch; seven actions each and the checks fit one transaction. */
  changesPerTransactionMax: 10,
  /** Below DynamoDB's 4 MiB: our estimate of an item's size is not AWS's to the byte. */
  transactionBytesMax: 3 * mebibyte,
  /** Larger entries spill, so that a page of typical ones stays one DynamoDB page. */
  inlineBytesMax: 32 * kibibyte,
  /** An item holds 400 KB, keys included. */
  partBytesMax: 350_000,
  /** Ten digits in the sort key. */
  numberMax: 9_999_999_999,
  /** Weeks from 2000 to 2078: 512 bytes of bitset at most. */
  weeksMax: 4096,
  /** How often a writer decides anew before the event goes back to the queue. */
  attemptsMax: 30,
  retryDelayMsBase: 20,
  retryDelayMsMax: 1_000,
  /** How long the mark of a dropped spill stays where no sweep takes it away. */
  droppedSpillDays: 30,
  /** Longer than any delayed request lives: the parts it brought are dropped then, with the mark, and no more can come. */
  lateRequestHours: 24,
  /** One run of the sweep, well within the function's time; the next run goes on where it stopped. */
  sweepMsMax: 200_000,
  /** A repair skips this many numbers, so that cursors from before the restore meet only newer entries. */
  repairNumbersGap: 1_000_000,
  /** Entries passed over by one request: over 10,000 typical ones. */
  passedOverBytesMax: 12 * mebibyte,
  /** How long a removal is kept: longer than any cursor lives. */
  removalDays,
} as const;

export const learningLimits = {
  batchItemsMax: 100,
  textCharactersMax: 10_000,
  /** Longer ids are refused before the service looks at what was read, and would not fit a key. */
  idCharactersMax: 64,
  /** What an audit entry tells of a text, a file or a source, before and after. */
  auditTextCharactersMax: 200,
  /** Redaction marks do not count as text; so many characters of them fit the transactions of a full batch. */
  marksCharactersMax: 27_000,
  /** The same of `file` and of `source_url`. */
  fieldMarksCharactersMax: 1_024,
  fileCharactersMax: 1_024,
  sourceUrlCharactersMax: 2_048,
  filesMax: 10,
  /** Six actions each at most, and two audit entries in two copies, fit one transaction. */
  writtenTogetherMax: 16,
  /** Five actions each fit one transaction. */
  movedTogetherMax: 20,
  /** How often a write that lost a race decides anew before it counts as failed. */
  attemptsMax: 8,
  /** Longer than any request lives: nothing written before it can still become visible. */
  settledAfterMs: 120_000,
  /** How long the list remembers where a Learning stood; it is needed for `settledAfterMs`. */
  movedDays: 1,
  /** How long a deleted Learning is known to have been there. */
  removalDays,
  activeDays: 30,
  newDays: 7,
  /** Learnings passed over by one request: over 10,000 typical ones. */
  passedOverBytesMax: 12 * mebibyte,
  /** How long one request reads on; well within what a streaming function has. */
  walkMsMax: 15_000,
  /** How long an event is known to have been applied; longer than any queue keeps it. */
  appliedEventDays: 400,
  /** How long a closed pull request is remembered for a Learning that was captured in it and comes late. */
  finalizedDays: 100,
  usesMax: 1_000_000,
  /** Private Learnings of one open pull request, all named in one item; its end decides about each of them. */
  perPullRequestMax: 1_000,
  /** Open pull requests that keep the same private Learning, named in its item. */
  pullRequestsMax: 1_000,
  /** Living Learnings that began with the same text and mostly have another now; the text's item lists them. */
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
  /** What one piece has of the one before it: a sentence that is cut is whole in one of them. */
  pieceOverlapBytes: 700,
  /** Of the longest Learning: characters of four bytes, and all the redaction marks it may have. */
  piecesMax: 11,
  embeddingsAtOnceMax: 20,
  embeddingTimeoutMs: 5_000,
  embeddingAttemptsMax: 3,
  /** Most that one search of the vector index answers. */
  nearestMax: 100,
  /** Asked for per result wanted: some may be deleted or changed meanwhile, or be pieces of one Learning. */
  nearestPerResult: 4,
  resultsMax: 50,
  /** A change is searched in pieces too, each with an embedding and a search of its own. */
  searchBytesMax: 200_000,
  searchFilesMax: 300,
  /** Before a change; paths are mostly plain letters. */
  searchedPathsCharactersMax: 900,
  /** Partitions that the stale markers are spread over: one would be the hottest of the table. */
  staleShards: 16,
  /** A writer indexes what it wrote by itself; only what is older was left behind. */
  leftBehindAfterMs: 60_000,
  /** A marker and a record each, in one snapshot. */
  refreshedTogetherMax: 50,
  staleMarkersPerRunMax: 1_000,
  /** The slow full pass: Learnings looked at by one run, and how long it rests when it is through. */
  inspectedPerRunMax: 2_000,
  /** Two reads each, whether or not they have any. */
  organizationsPerRunMax: 1_000,
  inspectedPageItems: 500,
  fullPassEveryMs: 24 * 3_600_000,
} as const;

export const securityLimits = {
  /** A CSV or SARIF download; beyond it the answer says how to narrow. */
  downloadFindingsMax: 50_000,
  /** What GitHub's code scanning takes in one run; a repository with more gets several. */
  sarifResultsPerRunMax: 25_000,
  /** What GitHub's code scanning takes in one file. */
  sarifRunsPerFileMax: 20,
  /** GitHub's 10 MB of a file, compressed with gzip as it is uploaded. */
  sarifGzipBytesMax: 10_000_000,
  /** Scans are complete from here to the end of tomorrow, or the event is bad: one far ahead would hide all others. */
  firstDay: "2000-01-01",
  titleCharactersMax: 1_024,
  descriptionCharactersMax: 20_000,
  filePathCharactersMax: 4_096,
  /** What fits a signed 32-bit integer, which is all that some SARIF readers hold. */
  lineMax: 2_147_483_647,
  evidenceMax: 100,
  evidenceCharactersMax: 10_000,
  findingBytesMax: 128 * kibibyte,
  /**
   * A chunk of findings grows to the maximum and is then cut into equal ones of about the target, which have
   * room to grow. Even one that cannot be compressed fits an item of 400 KB.
   */
  chunkBytesTarget: 96 * kibibyte,
  chunkBytesMax: 128 * kibibyte,
  /** The ledger that lists them is one item: at most 104 bytes each of its 400 KB. */
  chunksMax: 3_500,
  /** Four batches of the store, side by side; some megabytes at most. */
  chunksWrittenTogether: 100,
  /** Chunks that a download holds compressed and opened at once. */
  chunksAtOnce: 64,
  /** Organizations of an instance whose lists are asked for side by side. */
  organizationsAtOnce: 8,
  ledgersPageItems: 100,
  /** A reader starts over when a scan replaces chunks under it; a repository is scanned far less often than this. */
  readAttemptsMax: 5,
} as const;
