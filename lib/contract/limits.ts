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
  /** Longest id a Git provider can give us; also what a query value may hold. */
  idCharactersMax: 256,
} as const;

export const cursorLimits = {
  charactersMax: kibibyte,
  pageAgeDaysMax: 30,
  resumeAgeDaysMax: 400,
} as const;

export const keyLimits = {
  secretBytes: 24,
  tokenNameCharactersMax: 100,
  tokenExpiryDaysMin: 1,
  tokenExpiryDaysMax: 365,
  lastUsedEveryMs: 60_000,
} as const;

export const cacheLimits = {
  /** How long a warm function signs with the cursor key it knows before it looks for a newer one. */
  cursorKeysMs: 60_000,
} as const;

export const pageLimits = {
  organizations: { min: 1, max: 100, default: 100 },
  repositories: { min: 1, max: 100, default: 100 },
  auditLogs: { min: 1, max: 100, default: 100 },
} as const;

export const auditLimits = {
  retentionDaysDefault: 400,
  /** Entries one request may pass over before it answers a short page. */
  passedOverMax: 5_000,
  /** Months read side by side: a year and a month of them cost few round trips. */
  monthsAtOnce: 4,
  /** Longer than any request lives: no entry older than this can still become visible. */
  settledAfterMs: 120_000,
  refusedEveryMs: 60_000,
} as const;

export const eventLimits = {
  /** From here on an event travels as a reference into the events bucket; SQS itself stops at 256 KiB. */
  inlineBytesMax: 200_000,
  waitingDaysMax: 14,
  approvalDelayDaysMax: 30,
  /** A referenced event is held in memory whole, beside what is made of it. */
  eventBytesMax: 64 * mebibyte,
  typeCharactersMax: 100,
  nameCharactersMax: 512,
  fullNameCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  /** RFC 5321; also what fits a sort key of 1,024 bytes in any script. */
  emailCharactersMax: 254,
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
  /** How often a failed condition is decided anew before the event goes back to the queue. */
  decisionsMax: 12,
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
  attemptsMax: 12,
  retryDelayMsMax: 40,
  /** Longer than any delayed request lives: what was dropped can then not come back unseen. */
  droppedSpillDays: 30,
  /** A repair skips this many numbers, so that cursors from before the restore meet only newer entries. */
  repairNumbersGap: 1_000_000,
  /** Entries passed over by one request: over 10,000 typical ones. */
  passedOverBytesMax: 12 * mebibyte,
} as const;
