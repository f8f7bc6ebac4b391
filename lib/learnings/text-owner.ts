import * as kinds from "../contract/items.ts";
import { learningLimits } from "../contract/limits.ts";
import { type DroppedLearning, type LearningItem, parseText } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import type { Item, Table, TransactionWrite } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { removalPlace, timeOfPlace } from "./record.ts";

/**
 * Which Learning has a text. Every transaction that assigns or frees a text writes this item, so at most one Learning
 * of a repository has the text, even with concurrent writers. The item outlives its owner while ids derived from the
 * text are in use elsewhere, and for as long as the removal of its owner is reported: the next Learning with the same
 * id must be listed after that removal. It also keeps a dropped Learning until somebody takes its text.
 */
export type TextOwner = {
  readonly learningId: string | null;
  readonly generations: readonly number[];
  /** Where the last Learning created from this text was removed from the export. */
  readonly removedPlace?: string | undefined;
  readonly dropped?: DroppedLearning | undefined;
  readonly droppedRevision?: string | undefined;
};

export function textOwner(stored: Item | undefined): TextOwner {
  if (!stored) return { learningId: null, generations: [] };
  const text = parseText(stored);
  return {
    learningId: text.learning_id,
    generations: text.generations,
    removedPlace: text.removed_place,
    dropped: text.dropped,
    droppedRevision: text.dropped_revision,
  };
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
  /** The Learning that is dropped now, and a revision for it. */
  readonly drops?: { readonly learning: DroppedLearning; readonly revision: string } | undefined;
};

export function textWrite(
  organization: string,
  digest: string,
  stored: Item | undefined,
  change: TextChange,
): TransactionWrite {
  const key = kinds.text.key({ organization, digest });
  const { learningId, takes, frees } = change;
  const before = textOwner(stored);
  const kept = before.generations.filter((generation) => generation !== frees);
  const generations = [...kept, ...(takes === undefined ? [] : [takes])].toSorted(
    (one, other) => one - other,
  );
  const when = unchanged(stored, ["learning_id", "generations", "removed_place", "dropped_revision"]);
  const removedPlace = latest(before.removedPlace, change.removedPlace);
  const dropped = learningId === null ? droppedAttributes(before, change) : {};
  const isUnused = learningId === null && generations.length === 0;
  const keptUntil = [
    ...(removedPlace === undefined ? [] : [forgottenAtSeconds(removedPlace)]),
    ...(dropped.dropped ? [dropped.dropped.forgotten_at] : []),
  ];
  if (isUnused && keptUntil.length === 0) return { delete: key, when };
  const put = {
    ...key,
    learning_id: learningId,
    generations,
    ...(removedPlace !== undefined && { removed_place: removedPlace }),
    ...dropped,
    ...(isUnused && { ttl: Math.max(...keptUntil) }),
  };
  return { put, when };
}

const droppedAttributes = (before: TextOwner, { drops }: TextChange) => {
  if (drops) return { dropped: drops.learning, dropped_revision: drops.revision };
  return before.dropped ? { dropped: before.dropped, dropped_revision: before.droppedRevision } : {};
};

const forgottenAtSeconds = (removedPlace: string): number =>
  ttlAfter(Date.parse(timeOfPlace(removedPlace)), learningLimits.removalDays);

const latest = (one: string | undefined, other: string | undefined): string | undefined =>
  one !== undefined && (other === undefined || one > other) ? one : other;

export async function releaseWrites(
  table: Table,
  learning: Pick<LearningItem, "id" | "organization" | "digest" | "origin" | "listed">,
  nowMs: number,
  drops?: TextChange["drops"],
): Promise<TransactionWrite[]> {
  const { organization, digest, origin } = learning;
  const [text, originText] = await table.getMany([
    kinds.text.key({ organization, digest }),
    kinds.text.key({ organization, digest: origin.digest }),
  ]);
  const removedPlace = removalPlace(learning, nowMs);
  if (digest === origin.digest) {
    const change = { learningId: null, frees: origin.generation, removedPlace, drops };
    return [textWrite(organization, digest, text, change)];
  }
  const { learningId } = textOwner(originText);
  return [
    textWrite(organization, digest, text, { learningId: null, drops }),
    textWrite(organization, origin.digest, originText, {
      learningId,
      frees: origin.generation,
      removedPlace,
    }),
  ];
}
