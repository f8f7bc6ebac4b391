import { indexLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { required } from "../runtime/required.ts";
import type { LearningItem } from "../store/items/learning.ts";
import { beginningOf, piecesOf } from "./pieces.ts";

/** Converts text to a vector, so that texts about the same subject are close together. */
export interface Embedder {
  /** Changes whenever its vectors would: then everything is indexed again. */
  readonly id: string;
  /** One vector of length 1. */
  embed(text: string, signal?: AbortSignal): Promise<readonly number[]>;
}

/** The same embedder, but nothing is embedded before the limiter has admitted the call. */
export const embedderAfter = (admitted: Promise<unknown>, embedder: Embedder): Embedder => ({
  id: embedder.id,
  async embed(text, signal) {
    await admitted;
    return await embedder.embed(text, signal);
  },
});

const { dimensions } = tableShape.vectorIndex;

/** A search stays within one organization and one embedder's space. */
export const spaceOf = (organization: string, embedder: Embedder): string => `${organization}#${embedder.id}`;

/** One vector for each piece of a text. */
export type Embedding = readonly (readonly number[])[];

export const embedAll = async (
  embedder: Embedder,
  pieces: readonly string[],
  signal?: AbortSignal,
): Promise<Embedding> => await Promise.all(pieces.map((piece) => embedder.embed(piece, signal)));

/** The texts that are embedded for a Learning, one for each piece. */
export const embeddedTexts = ({ text, file }: Pick<LearningItem, "text" | "file">): string[] =>
  piecesOf(text).map((piece) => embeddedText({ text: piece, file }));

/** The path is included because it describes the subject of a Learning as well as its text does. */
export const embeddedText = ({ text, file }: Pick<LearningItem, "text" | "file">): string =>
  file === null ? text : `${beginningOf(file, indexLimits.pathBytesMax)}\n${text}`;

/** Length 1, six decimals: further digits are noise, and every digit is stored and paid for. */
export function normalised(vector: readonly number[]): readonly number[] {
  if (vector.length !== dimensions || !vector.every(Number.isFinite))
    throw new TypeError(`An embedder answered something else than ${dimensions} numbers.`);
  const length = Math.hypot(...vector);
  // A text without any word gives a zero vector. A cosine index refuses that, so it gets a fixed direction.
  if (length === 0) return vector.map((_, index) => (index === 0 ? 1 : 0));
  return vector.map((value) => Math.round((value / length) * 1e6) / 1e6);
}

/** The cosine of two vectors of length 1: 1 is the same, 0 is unrelated. */
export const cosine = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, index) => sum + value * required(other[index], "dimension"), 0);
