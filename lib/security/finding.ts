import { hash } from "node:crypto";
import type { FindingSeverity, FindingState } from "../contract/records-security.ts";
import { standing, standingVersion } from "../store/items/version.ts";

/** A finding as one scan tells it. */
export type ToldFinding = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly severity: FindingSeverity;
  readonly cwe: string | null;
  readonly file_path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly evidence: readonly string[];
  readonly state: FindingState;
};

/**
 * One telling of a scan. `version` is `completed_at#occurred_at#event id`: which of two scans is the newer one
 * is a matter of when they were complete, which of two tellings of one scan, of when those happened.
 */
export type ScanReference = {
  readonly version: string;
  readonly scanId: string;
  readonly commitSha: string;
  readonly completedAt: string;
};

/** What all scans of a repository say about one finding. A function of their set alone, never of their order. */
export type Row = {
  /** Its place among the repository's findings. */
  readonly place: string;
  /** As the newest scan that has it tells it. */
  readonly finding: ToldFinding;
  /** That scan; null where it is the repository's newest one, so that a scan that finds it again changes nothing. */
  readonly last: ScanReference | null;
  readonly detectedAt: string;
  /** Versions of the newest older scans that called it dismissed or fixed; null where `finding` itself does. */
  readonly dismissedIn: string | null;
  readonly fixedIn: string | null;
};

/** A scan on its way in. */
export type Telling = {
  readonly scan: ScanReference;
  /** The repository's newest scan so far; undefined before the first. */
  readonly newestBefore: ScanReference | undefined;
};

const placeCharacters = 16;

/** 96 bits of a digest: ids may be long and cursors may not, and no scan moves a finding to another place. */
export const placeOf = (id: string): string => hash("sha256", id, "base64url").slice(0, placeCharacters);

export const isNewest = ({ scan, newestBefore }: Telling): boolean =>
  newestBefore === undefined || scan.version > newestBefore.version;

/**
 * `fixed` is derived: nobody rewrites a finding's state because a scan no longer has it. Scanners call
 * everything they see open, so open does not undo a person's dismissal; only a scan that says `fixed` does.
 */
export function stateOf({ finding, last, dismissedIn, fixedIn }: Row): FindingState {
  if (finding.state !== "open") return finding.state;
  if (dismissedIn !== null && (fixedIn === null || dismissedIn > fixedIn)) return "dismissed";
  return last === null ? "open" : "fixed";
}

/** Release 1 took scans of any year: what one from too far ahead has said stands behind every valid scan. */
export const standingRow = (row: Row, nowMs: number): Row => ({
  ...row,
  last: row.last && standing(row.last, nowMs),
  dismissedIn: row.dismissedIn === null ? null : standingVersion(row.dismissedIn, nowMs),
  fixedIn: row.fixedIn === null ? null : standingVersion(row.fixedIn, nowMs),
});

/** The row after a scan that has the finding. */
export function found(row: Row | undefined, place: string, finding: ToldFinding, telling: Telling): Row {
  const { scan } = telling;
  const last = isNewest(telling) ? null : scan;
  if (!row) return { place, finding, last, detectedAt: scan.completedAt, dismissedIn: null, fixedIn: null };
  const shown = { finding: row.finding, version: shownVersion(row, telling) };
  const told = { finding, version: scan.version };
  const isNewer = told.version > shown.version;
  const [newer, older] = isNewer ? [told, shown] : [shown, told];
  return {
    place,
    finding: newer.finding,
    last: isNewer ? last : row.last,
    detectedAt: earlier(row.detectedAt, scan.completedAt),
    dismissedIn: remembered("dismissed", row.dismissedIn, newer, older),
    fixedIn: remembered("fixed", row.fixedIn, newer, older),
  };
}

const earlier = (one: string, other: string): string => (other < one ? other : one);

/** The row after a scan that does not have it: the first newer one ends its presence. */
export const missing = (row: Row, telling: Telling): Row =>
  row.last === null && telling.newestBefore && isNewest(telling)
    ? { ...row, last: telling.newestBefore }
    : row;

function shownVersion({ last }: Row, { newestBefore }: Telling): string {
  const shown = last ?? newestBefore;
  if (!shown) throw new TypeError("A stored finding was seen by some scan.");
  return shown.version;
}

type Told = { readonly finding: ToldFinding; readonly version: string };

function remembered(state: FindingState, before: string | null, newer: Told, older: Told): string | null {
  if (newer.finding.state === state) return null;
  if (older.finding.state !== state) return before;
  return before !== null && before > older.version ? before : older.version;
}
