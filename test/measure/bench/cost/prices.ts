import { functionSettings } from "../../../../lib/contract/platform.ts";

/**
 * AWS's list prices for us-east-1 in dollars, without free tiers and volume discounts, as public pages showed them on
 * the day below. DynamoDB's on-demand prices are those since 1 November 2024, when they were halved.
 */
export const pricesOf = "2026-11-15";

export const prices = {
  readUnitsMillion: 0.125,
  writeUnitsMillion: 0.625,
  storageGigabyteMonth: 0.25,
  pointInTimeRecoveryGigabyteMonth: 0.2,
  lambdaRequestsMillion: 0.2,
  /** arm64, the first 7.5 billion of a month. */
  lambdaGigabyteSecond: 0.0000133334,
  restApiRequestsMillion: 3.5,
  logsGigabyte: 0.5,
  dataOutGigabyte: 0.09,
  fifoRequestsMillion: 0.5,
} as const;

export const bytesPerGigabyte = 1024 ** 3;

/** Lines that AWS writes for each request beside the function's own: the access log's; Lambda's START, END and REPORT. */
export const awsLogBytes = { accessLog: 504, lambda: 266 } as const;

/** For a million requests. The benchmark counts only the function's own line. */
export const awsLogDollars =
  (((awsLogBytes.accessLog + awsLogBytes.lambda) * 1e6) / bytesPerGigabyte) * prices.logsGigabyte;

/** The bytes that DynamoDB adds to every item when it counts storage. */
export const storageBytesPerItem = 100;

/** A round trip to DynamoDB within its region, a conservative value; here it takes a fraction of that. */
export const assumedTripMs = 5;

export type Usage = {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly billedMs: number;
  readonly streaming: boolean;
  readonly answerBytes: number;
  readonly logBytes: number;
};

export type Dollars = {
  readonly dynamo: number;
  readonly lambda: number;
  readonly gateway: number;
  readonly logsAndData: number;
  readonly total: number;
};

/** For a million such requests. */
export const dynamoDollars = ({ readUnits, writeUnits }: Pick<Usage, "readUnits" | "writeUnits">): number =>
  readUnits * prices.readUnitsMillion + writeUnits * prices.writeUnitsMillion;

/** For a million such requests. */
export function lambdaDollars({ billedMs, streaming }: Pick<Usage, "billedMs" | "streaming">): number {
  const { memoryMegabytes } = functionSettings[streaming ? "streaming" : "operation"];
  const gigabyteSeconds = (memoryMegabytes / 1024) * Math.ceil(billedMs) * 1_000;
  return prices.lambdaRequestsMillion + gigabyteSeconds * prices.lambdaGigabyteSecond;
}

/** For a million such requests. */
export function dollarsPerMillion(usage: Usage): Dollars {
  const dynamo = dynamoDollars(usage);
  const lambda = lambdaDollars(usage);
  const gigabytes = (bytes: number) => (bytes * 1e6) / bytesPerGigabyte;
  const logsAndData =
    gigabytes(usage.logBytes) * prices.logsGigabyte + gigabytes(usage.answerBytes) * prices.dataOutGigabyte;
  const gateway = prices.restApiRequestsMillion;
  return { dynamo, lambda, gateway, logsAndData, total: dynamo + lambda + gateway + logsAndData };
}
