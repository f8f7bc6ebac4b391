import { dice } from "../../../lib/local/demo/dice.ts";

/** The orders of so many things: all of them, or at most `max` different ones, always with the reverse. */
export function ordersOf(count: number, max: number, seed: number): ReadonlyArray<readonly number[]> {
  const natural = Array.from({ length: count }, (_, index) => index);
  if (factorial(count) <= max) return permutations(natural);
  const random = dice(`orders ${seed}`);
  const orders = new Map([[natural.toReversed().join(), natural.toReversed()]]);
  while (orders.size < max) {
    const left = [...natural];
    const order = natural.flatMap(() => left.splice(random.below(left.length), 1));
    orders.set(order.join(), order);
  }
  return [...orders.values()];
}

const factorial = (count: number): number => (count <= 1 ? 1 : count * factorial(count - 1));

const permutations = (things: readonly number[]): number[][] =>
  things.length <= 1
    ? [[...things]]
    : things.flatMap((first) =>
        permutations(things.filter((each) => each !== first)).map((rest) => [first, ...rest]),
      );
