import { createHash } from "node:crypto";

export type NonEmpty<Element> = readonly [Element, ...Element[]];

/** Random values derived from a name: the demo is the same for everybody, every time. */
export type Dice = {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** True with this probability in percent. */
  percent(percent: number): boolean;
  between(least: number, most: number): number;
  pick<Choice>(choices: NonEmpty<Choice>): Choice;
  /** By weight: `[["often", 9], ["seldom", 1]]`. */
  weigh<Choice>(choices: NonEmpty<readonly [Choice, number]>): Choice;
};

export function dice(name: string): Dice {
  let state = createHash("sha256").update(name).digest().readUInt32LE();
  const next = (): number => {
    // mulberry32: small, fast, and good enough for demo data.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    percent: (percent) => next() * 100 < percent,
    between: (least, most) => least + below(most - least + 1),
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    weigh: (choices) => {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices[0][0];
    },
  };
}
