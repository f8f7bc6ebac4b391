import { learningLimits } from "../contract/limits.ts";
import { type LearningItem, parseText } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { textKey } from "../store/layout.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { removalPlace, timeOfPlace } from "./record.ts";

/**
 * Which Learning has a text. Every transaction that assigns or frees a text writes this item, so at most one Learning
 * of a repository has the text, even with concurrent writers. The item outlives its owner while ids derived from the
 * text are in use elsewhere, and for as long as the removal of its owner is reported: the next Learning with the same
 * id must be listed after that removal.
 */
export type TextOwner = {
  readonly learningId: string | null;
  readonly generations: readonly number[];
  /** Where the last Learning created from this text was removed from the export. */
  readonly removedPlace?: string | undefined;
};

export function textOwner(stored: Item | undefined): TextOwner {
  if (!stored) return { learningId: null, generations: [] };
  const { learning_id, generations, removed_place: removedPlace } = parseText(stored);
  return { learningId: learning_id, generations, removedPlace };
}

/** The smallest generation that no existing Learning holds. */
export function freeGeneration({ generations }: TextOwner): number {
  let generation = 1;
  while (generations.includes(generation)) generation++;
  return generation;
}

export type TextChange = {
  readonly learningId: string | null;
  /** A generation that is in use from now on (`takes`), or no longer (`frees`). */
  readonly takes?: number;
  readonly frees?: number;
  /** The place at which its Learning was removed from the export. */
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

/** A deleted Learning frees its text, and the generation of the text that its id was derived from. */
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
