import { type LearningItem, parseText } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { textKey } from "../store/layout.ts";
import type { Item, TransactionWrite } from "../store/table.ts";

/**
 * Who has a text. It is part of every transaction that gives or takes a text, so at most one Learning of a
 * repository has it, whoever races. It outlives its owner while ids made of the text are in use elsewhere.
 */
export type TextOwner = { readonly learningId: string | null; readonly generations: readonly number[] };

export function textOwner(stored: Item | undefined): TextOwner {
  if (!stored) return { learningId: null, generations: [] };
  const { learning_id, generations } = parseText(stored);
  return { learningId: learning_id, generations };
}

/** The smallest one that no living Learning holds. */
export function freeGeneration({ generations }: TextOwner): number {
  let generation = 1;
  while (generations.includes(generation)) generation++;
  return generation;
}

export type TextChange = {
  readonly learningId: string | null;
  /** A generation that is in use from now on, or no longer. */
  readonly takes?: number;
  readonly frees?: number;
};

export function textWrite(
  organization: string,
  digest: string,
  stored: Item | undefined,
  { learningId, takes, frees }: TextChange,
): TransactionWrite {
  const key = textKey(organization, digest);
  const kept = textOwner(stored).generations.filter((generation) => generation !== frees);
  const generations = [...kept, ...(takes === undefined ? [] : [takes])].toSorted(
    (one, other) => one - other,
  );
  const when = unchanged(stored, ["learning_id", "generations"]);
  if (learningId === null && generations.length === 0) return { delete: key, when };
  return { put: { ...key, learning_id: learningId, generations }, when };
}

/** A Learning that is gone gives back its text, and the generation of the text its id was made of. */
export function releaseWrites(
  { organization, digest, origin }: Pick<LearningItem, "organization" | "digest" | "origin">,
  stored: { readonly text: Item | undefined; readonly origin: Item | undefined },
): TransactionWrite[] {
  if (digest === origin.digest) {
    return [textWrite(organization, digest, stored.text, { learningId: null, frees: origin.generation })];
  }
  const { learningId } = textOwner(stored.origin);
  return [
    textWrite(organization, digest, stored.text, { learningId: null }),
    textWrite(organization, origin.digest, stored.origin, { learningId, frees: origin.generation }),
  ];
}
