import { msPerDay } from "../contract/days.ts";
import { streamLimits } from "../contract/limits.ts";

/**
 * The weeks that hold entries, with bounds for the numbers in each, as a few bytes of the head:
 *
 *   [shift] [bitset length, 2 bytes] [bitset, week 0 first] [lowest >> shift, highest >> shift] per used week
 *
 * One byte per bound is enough to read only the partitions that a page needs. `shift` grows with the history, so ten
 * years cost about 1.1 KB for any number of entries. Bounds are rounded outwards: never wrong, only wide.
 */
export type WeekSpan = { readonly week: number; readonly lowest: number; readonly highest: number };

const weekMs = 7 * msPerDay;
/** Weeks begin on Monday, as the windows of users do; week 0 contains 2000-01-01. */
const firstWeekMs = Date.UTC(1999, 11, 27);
const headerBytes = 3;

export function weekOf(atMs: number): number {
  const week = Math.floor((atMs - firstWeekMs) / weekMs);
  if (!(week >= 0 && week < streamLimits.weeksMax))
    throw new RangeError("The time lies outside the stream's weeks.");
  return week;
}

export const weekStartMs = (week: number): number => firstWeekMs + week * weekMs;

/** Whether the week contains an instant with start <= at < end. */
export const weekMeets = (week: number, startMs: number, endMs: number): boolean =>
  weekStartMs(week) < endMs && weekStartMs(week + 1) > startMs;

export function decodeWeeks(bytes: Uint8Array | undefined): WeekSpan[] {
  if (!bytes || bytes.length < headerBytes) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scale = 2 ** view.getUint8(0);
  const bitsetBytes = view.getUint16(1);
  const spans: WeekSpan[] = [];
  let bound = headerBytes + bitsetBytes;
  for (let week = 0; week < bitsetBytes * 8; week++) {
    if ((view.getUint8(headerBytes + (week >> 3)) & (1 << (week & 7))) === 0) continue;
    const lowest = view.getUint8(bound) * scale;
    const highest = (view.getUint8(bound + 1) + 1) * scale - 1;
    spans.push({ week, lowest, highest });
    bound += 2;
  }
  return spans;
}

export function encodeWeeks(spans: readonly WeekSpan[]): Uint8Array {
  const last = spans.at(-1);
  const bitsetBytes = last ? (last.week >> 3) + 1 : 0;
  const greatest = spans.reduce((most, span) => Math.max(most, span.highest), 0);
  let shift = 0;
  while (Math.floor(greatest / 2 ** shift) > 255) shift++;
  const bytes = new Uint8Array(headerBytes + bitsetBytes + spans.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, shift);
  view.setUint16(1, bitsetBytes);
  spans.forEach(({ week, lowest, highest }, index) => {
    const byte = headerBytes + (week >> 3);
    view.setUint8(byte, view.getUint8(byte) | (1 << (week & 7)));
    view.setUint8(headerBytes + bitsetBytes + index * 2, Math.floor(lowest / 2 ** shift));
    view.setUint8(headerBytes + bitsetBytes + index * 2 + 1, Math.floor(highest / 2 ** shift));
  });
  return bytes;
}

/** Returns the weeks with these (week, number) pairs added; weeks stay in order. */
export function noteWeeks(
  spans: readonly WeekSpan[],
  placed: ReadonlyArray<{ readonly week: number; readonly number: number }>,
): WeekSpan[] {
  const byWeek = new Map(spans.map((span) => [span.week, span]));
  for (const { week, number } of placed) {
    const known = byWeek.get(week) ?? { week, lowest: number, highest: number };
    byWeek.set(week, {
      week,
      lowest: Math.min(known.lowest, number),
      highest: Math.max(known.highest, number),
    });
  }
  return [...byWeek.values()].sort((a, b) => a.week - b.week);
}
