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

export const pageLimits = {
  organizations: { min: 1, max: 100, default: 100 },
  repositories: { min: 1, max: 100, default: 100 },
} as const;

export const eventLimits = {
  /** From here on an event travels as a reference into the events bucket; SQS itself stops at 256 KiB. */
  inlineBytesMax: 200_000,
  waitingDaysMax: 14,
  approvalDelayDaysMax: 30,
} as const;
