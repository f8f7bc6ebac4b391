import { eventLimits } from "../../contract/limits.ts";
import { toTimestamp } from "../../runtime/clock.ts";

/**
 * A version orders the states of one thing: `occurred_at#event id`. The newer time wins, then the greater id. Versions
 * are compared as text, so digits below the millisecond come after the Z, without trailing zeros:
 *
 *   2026-11-15T10:00:00.123Z#…   <   2026-11-15T10:00:00.123Z456#…   <   2026-11-15T10:00:00.124Z#…
 *
 * Before the Z the order would be wrong: `.123Z` sorts after `.123456Z`.
 */
export const versionOf = ({
  occurred_at,
  id,
}: {
  readonly occurred_at: string;
  readonly id: string;
}): string => {
  const { ms, finer } = instantOf(occurred_at);
  return `${toTimestamp(ms)}${finer}#${id}`;
};

/** The instant of a date-time with any offset; `finer` holds the digits below the millisecond. */
function instantOf(dateTime: string): { readonly ms: number; readonly finer: string } {
  const [, before = dateTime, fraction = "", offset = ""] = /^([^.]*)\.(\d+)(.*)$/.exec(dateTime) ?? [];
  const ms = Date.parse(
    fraction === "" ? before : `${before}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`,
  );
  return { ms, finer: fraction.slice(3).replace(/0+$/, "") };
}

/** UTC, with every digit that was sent. */
export function canonicalInstant(dateTime: string): string {
  const { ms, finer } = instantOf(dateTime);
  return toTimestamp(ms).replace(/Z$/, `${finer}Z`);
}

/** The sortable instant of a version: the part before the event id. */
export const versionInstant = (version: string): string => version.slice(0, version.indexOf("#"));

/** The instant of a version as a record shows it. */
export const occurredAtOf = (version: string): string => versionInstant(version).replace(/Z\d+$/, "Z");

export const occurredAtMsOf = (version: string): number => Date.parse(occurredAtOf(version));
/** The digits below the millisecond. They compare as text. */
export const finerOf = (version: string): string => /Z(\d+)$/.exec(versionInstant(version))?.[1] ?? "";

/**
 * An incoming event from so far in the future is invalid: it would win over every later one. A stored version is always
 * valid: the host that accepted it may have a clock ahead of ours.
 */
export const isTooFarAhead = (occurredAtMs: number, nowMs: number): boolean =>
  occurredAtMs > nowMs + eventLimits.aheadMsMax;
