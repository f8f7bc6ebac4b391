import { plural } from "../contract/plural.ts";
import { dayIn, utc } from "./period.ts";
import type { FiguresBefore } from "./report.ts";
import { formatCount, formatMinutes, formatShare, longDays } from "./words.ts";

/** How a figure differs from the period before: an arrow, the size of the difference, and the same in words. */
export type Change = {
  readonly arrow: "↑" | "↓" | "→";
  /** `5 points`; empty if it is about the same, or if it has no size. */
  readonly size: string;
  readonly words: string;
};

type Unit = {
  /** The words for a greater and for a smaller figure. */
  readonly more: string;
  readonly less: string;
  readonly format: (value: number) => string;
  /** The size of a difference, as text; null if it rounds to nothing. */
  readonly size: (now: number, before: number) => string | null;
};

/** A multiple of zero has no size. */
const percent = (now: number, before: number): string | null => {
  if (before === 0) return now === 0 ? null : "";
  const share = Math.round((Math.abs(now - before) / before) * 100);
  return share === 0 ? null : `${formatCount(share)} % `;
};
const points = (now: number, before: number): string | null => {
  const difference = Math.abs(Math.round(now * 100) - Math.round(before * 100));
  return difference === 0 ? null : `${plural(difference, "point")} `;
};

export const units = {
  count: { more: "more", less: "fewer", format: formatCount, size: percent },
  share: { more: "higher", less: "lower", format: formatShare, size: points },
  minutes: { more: "longer", less: "shorter", format: formatMinutes, size: percent },
} as const satisfies Readonly<Record<string, Unit>>;

/** Null if one of the two is unknown. */
export function changeOf(
  now: number | null,
  before: number | null,
  { more, less, format, size }: Unit,
): Change | null {
  if (now === null || before === null) return null;
  const difference = size(now, before);
  const was = `(before: ${format(before)})`;
  if (difference === null) return { arrow: "→", size: "", words: `about the same ${was}` };
  const about = { size: difference.trim() };
  return now > before
    ? { ...about, arrow: "↑", words: `${difference}${more} ${was}` }
    : { ...about, arrow: "↓", words: `${difference}${less} ${was}` };
}

export const changeText = ({ arrow, words }: Change): string => `${arrow} ${words}`;

/** Before the first pull request there is nothing to compare with: everything would be “more”. */
export const isComparable = ({ total }: FiguresBefore): boolean => total.pull_requests > 0;

/** Which days the changes compare with. Days and times are those of the report's time zone. */
export function comparedWith(before: FiguresBefore, timeZone = utc): string {
  const { ends_at, period } = before;
  const end_date = ends_at === null ? period.end_date : dayIn(timeZone)(Date.parse(ends_at));
  const days = longDays({ ...period, end_date });
  if (!isComparable(before)) return `Nothing to compare with: ${days} has no pull request.`;
  return `Compared with ${days}${ends_at === null ? "." : "; today counts up to now."}`;
}
