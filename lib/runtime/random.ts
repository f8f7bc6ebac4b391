import { randomBytes, randomInt, randomUUID } from "node:crypto";

/** The source of randomness, passed as an argument: ids, secrets and jitter use it, so a simulation can seed it. */
export interface Random {
  bytes(count: number): Uint8Array;
  uuid(): string;
  /** A whole number from 0 to `below`, not including `below`. */
  below(below: number): number;
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
  below: (below) => randomInt(below),
};
