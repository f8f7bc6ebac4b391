import { learningLimits } from "../contract/limits.ts";
import { type LearningItem, parseText } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { textKey } from "../store/layout.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { removalPlace, timeOfPlace } from "./record.ts";

/**
 * Who has a text. It is part of every transaction that gives or takes a text, so at most one Learning of a
 * repository has it, whoever races. It outlives its owner while ids made of the text are in use elsewhere, and for
 * as long as the removal of its owner is told: the next Learning of the same id must stand behind it.
 */
export type TextOwner = {
  readonly learningId: string | null;
  readonly generations: readonly number[];
  /** Where the last Learning that began with this text was removed from the export. */
  readonly removedPlace?: string | undefined;
};

export function textOwner(stored: Item | undefined): TextOwner {
  if (!stored) return { learningId: null, generations: [] };
  const { learning_id, generations, removed_place: removedPlace } = parseText(stored);
  return { learningId: learning_id, generations, removedPlace };
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
  /** Where its Learning was removed from the export. */
  readonly removedPlace?: string | undefined;
};

export function textWrite(
  organization: string,
  digest: string,
  stored: Item | undefined,
  change: TextChange,
): TransactionWrite {
  const key = textKey(organization, digest);
  const { learningId, takes, frees } = change;
  const before = textOwner(stored);
  const kept = before.generations.filter((generation) => generation !== frees);
  const generations = [...kept, ...(takes === undefined ? [] : [takes])].toSorted(
    (one, other) => one - other,
  );
  const when = unchanged(stored, ["learning_id", "generations", "removed_place"]);
  const removedPlace = latest(before.removedPlace, change.removedPlace);
  const isUnused = learningId === null && generations.length === 0;
  if (removedPlace === undefined)
    return isUnused ? { delete: key, when } : { put: { ...key, learning_id: learningId, generations }, when };
  const item = { ...key, learning_id: learningId, generations, removed_place: removedPlace };
  return { put: isUnused ? { ...item, ttl: forgottenAtSeconds(removedPlace) } : item, when };
}

const forgottenAtSeconds = (removedPlace: string): number =>
  ttlAfter(Date.parse(timeOfPlace(removedPlace)), learningLimits.removalDays);

const latest = (one: string | undefined, other: string | undefined): string | undefined =>
  one !== undefined && (other === undefined || one > other) ? one : other;

/** A Learning that is gone gives back its text, and the generation of the text its id was made of. */
export function releaseWrites(
  learning: Pick<LearningItem, "id" | "organization" | "digest" | "origin" | "listed">,
  stored: { readonly text: Item | undefined; readonly origin: Item | undefined },
  nowMs: number,
): TransactionWrite[] {
  const { organization, digest, origin } = learning;
  const removedPlace = removalPlace(learning, nowMs);
  if (digest === origin.digest) {
    const change = { learningId: null, frees: origin.generation, removedPlace };
    return [textWrite(organization, digest, stored.text, change)];
  }
  const { learningId } = textOwner(stored.origin);
  return [
    textWrite(organization, digest, stored.text, { learningId: null }),
    textWrite(organization, origin.digest, stored.origin, {
      learningId,
      frees: origin.generation,
      removedPlace,
    }),
  ];
}
