import { hash } from "node:crypto";
import type { FindingSeverity, FindingState } from "../contract/records-security.ts";
import { required } from "../runtime/required.ts";

/** A finding as one scan reports it. */
export type ReportedFinding = {
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
 * One report of a scan. `version` is `completed_at#occurred_at#event id`: the completion time decides which of two
 * scans is newer, and the event time decides which of two reports of one scan is newer.
 */
export type ScanReference = {
  readonly version: string;
  readonly scanId: string;
  readonly commitSha: string;
  readonly completedAt: string;
};

/** What all scans report about one finding. It depends only on the set of scans, never on their order. */
export type FindingRow = {
  /** Its place among the repository's findings. */
  readonly place: string;
  /** As reported by the newest scan that has it. */
  readonly finding: ReportedFinding;
  /** That scan; null if it is the repository's newest scan, so that a scan that finds it again changes nothing. */
  readonly last: ScanReference | null;
  readonly detectedAt: string;
  /** Versions of the newest older scans that reported it so; null if `finding` itself has that state. */
  readonly dismissedIn: string | null;
  readonly fixedIn: string | null;
};

/** A scan that is being applied. */
export type ScanInProgress = {
  readonly scan: ScanReference;
  /** The repository's newest scan so far; undefined before the first. */
  readonly newestBefore: ScanReference | undefined;
};

const placeCharacters = 16;

/** 96 bits of a digest: ids may be long but cursors must be short, and no scan changes the place of a finding. */
export const placeOf = (id: string): string => hash("sha256", id, "base64url").slice(0, placeCharacters);

export const isNewest = ({ scan, newestBefore }: ScanInProgress): boolean =>
  newestBefore === undefined || scan.version > newestBefore.version;

/**
 * `fixed` is derived: a finding's stored state is not rewritten when a scan no longer has it. Scanners report
 * everything they see as open, so `open` does not undo a person's dismissal; only a scan that reports `fixed` does.
 */
export function findingStateOf({ finding, last, dismissedIn, fixedIn }: FindingRow): FindingState {
  if (finding.state !== "open") return finding.state;
  if (dismissedIn !== null && (fixedIn === null || dismissedIn > fixedIn)) return "dismissed";
  return last === null ? "open" : "fixed";
}

/** The row after a scan that has the finding. */
export function rowWithFinding(
  row: FindingRow | undefined,
  place: string,
  finding: ReportedFinding,
  progress: ScanInProgress,
): FindingRow {
  const { scan } = progress;
  const last = isNewest(progress) ? null : scan;
  if (!row) return { place, finding, last, detectedAt: scan.completedAt, dismissedIn: null, fixedIn: null };
  const shown = { finding: row.finding, version: shownVersion(row, progress) };
  const reported = { finding, version: scan.version };
  const isNewer = reported.version > shown.version;
  const [newer, older] = isNewer ? [reported, shown] : [shown, reported];
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

/** The row after a scan that does not have the finding: the first newer scan without it ends its presence. */
export const rowWithoutFinding = (row: FindingRow, progress: ScanInProgress): FindingRow =>
  row.last === null && progress.newestBefore && isNewest(progress)
    ? { ...row, last: progress.newestBefore }
    : row;

const shownVersion = ({ last }: FindingRow, { newestBefore }: ScanInProgress): string =>
  required(last ?? newestBefore, "scan of a stored finding").version;

type ScanReport = { readonly finding: ReportedFinding; readonly version: string };

function remembered(
  state: FindingState,
  before: string | null,
  newer: ScanReport,
  older: ScanReport,
): string | null {
  if (newer.finding.state === state) return null;
  if (older.finding.state !== state) return before;
  return before !== null && before > older.version ? before : older.version;
}
