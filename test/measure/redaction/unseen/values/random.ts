import { createHash } from "node:crypto";

/** A source of chance that gives the same values for the same seed. */
export type Random = {
  readonly seed: string;
  bytes(count: number): Buffer;
  /** An integer from 0 to max - 1. */
  int(max: number): number;
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  chars(alphabet: string, count: number): string;
  shuffle<T>(list: readonly T[]): T[];
};

export function seededRandom(seed: string): Random {
  let counter = 0;
  let pool = Buffer.alloc(0);

  const bytes = (count: number): Buffer => {
    while (pool.length < count) {
      const block = createHash("sha512").update(`${seed}\u0000${counter++}`).digest();
      pool = Buffer.concat([pool, block]);
    }
    const taken = pool.subarray(0, count);
    pool = pool.subarray(count);
    return Buffer.from(taken);
  };
  const fraction = (): number => bytes(4).readUInt32BE() / 2 ** 32;
  const int = (max: number): number => Math.floor(fraction() * max);
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[int(list.length)];
    if (chosen === undefined) throw new Error("pick needs a list with at least one entry.");
    return chosen;
  };

  return {
    seed,
    bytes,
    int,
    pick,
    between: (min, max) => min + int(max - min + 1),
    chance: (probability) => fraction() < probability,
    chars: (alphabet, count) => {
      const letters = [...alphabet];
      return Array.from({ length: count }, () => pick(letters)).join("");
    },
    shuffle: <T>(list: readonly T[]): T[] => {
      const left = [...list];
      const result: T[] = [];
      while (left.length > 0) result.push(...left.splice(int(left.length), 1));
      return result;
    },
  };
}
