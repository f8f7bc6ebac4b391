import { randomBytes, randomInt, randomUUID } from "node:crypto";

/** Chance as an argument: ids, secrets and jitter come from here, so a simulation can seed them. */
export interface Chance {
  bytes(count: number): Uint8Array;
  uuid(): string;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
}

export const systemChance: Chance = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
  below: (below) => randomInt(below),
};
