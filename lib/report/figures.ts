import { type Outcome, type PullRequest, unpackFinding } from "./pull-request.ts";

/** What a report says of some pull requests. Field names are those of its JSON. */
export type Figures = {
  readonly pull_requests: number;
  readonly findings: FindingFigures;
  /** Null where there are no pull requests. */
  readonly findings_per_pull_request: number | null;
  readonly time_to_first_human_review: DurationFigures;
  readonly time_to_merge: DurationFigures;
};

export type FindingFigures = {
  readonly posted: number;
  /** Stored outcome `true`. */
  readonly accepted: number;
  /** Stored outcome `false`, which is no proof of rejection. */
  readonly not_accepted: number;
  /** Stored outcome `null`. */
  readonly unknown: number;
  /** Accepted of accepted and not accepted, 0 to 1; null where no outcome is known. */
  readonly acceptance: number | null;
};

export type DurationFigures = {
  /** Pull requests that have this duration. */
  readonly measured: number;
  readonly missing: number;
  readonly median_minutes: number | null;
  readonly p90_minutes: number | null;
};

export type FindingFilter = (finding: Outcome) => boolean;
const everyFinding: FindingFilter = () => true;

/** Of these pull requests, with those of their findings that pass. */
export function figuresOf(
  pullRequests: readonly PullRequest[],
  passes: FindingFilter = everyFinding,
): Figures {
  const findings = findingFigures(pullRequests.flatMap((each) => findingsOf(each).filter(passes)));
  const count = pullRequests.length;
  return {
    pull_requests: count,
    findings,
    findings_per_pull_request: count === 0 ? null : findings.posted / count,
    time_to_first_human_review: durationFigures(
      pullRequests.map(({ readyAtMs, firstHumanReviewAtMs: endMs }) =>
        endMs === null ? null : endMs - readyAtMs,
      ),
    ),
    time_to_merge: durationFigures(pullRequests.map(({ readyAtMs, mergedAtMs }) => mergedAtMs - readyAtMs)),
  };
}

export const findingsOf = ({ findings }: PullRequest): Outcome[] => Array.from(findings, unpackFinding);

export function findingFigures(findings: readonly Outcome[]): FindingFigures {
  const count = (outcome: boolean | null) => findings.filter(({ accepted }) => accepted === outcome).length;
  const accepted = count(true);
  const notAccepted = count(false);
  const known = accepted + notAccepted;
  return {
    posted: findings.length,
    accepted,
    not_accepted: notAccepted,
    unknown: count(null),
    acceptance: known === 0 ? null : accepted / known,
  };
}

const msPerMinute = 60_000;

/** A review before a pull request was ready took no time, not less than none. */
export function durationFigures(durationsMs: ReadonlyArray<number | null>): DurationFigures {
  const minutes = durationsMs
    .filter((duration) => duration !== null)
    .map((duration) => Math.max(0, duration) / msPerMinute)
    .toSorted((one, other) => one - other);
  return {
    measured: minutes.length,
    missing: durationsMs.length - minutes.length,
    median_minutes: quantile(minutes, 0.5),
    p90_minutes: quantile(minutes, 0.9),
  };
}

/** Between two values it interpolates, as spreadsheets do: the median of an even number is the mean of the two. */
export function quantile(sorted: readonly number[], part: number): number | null {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (place - Math.floor(place));
}
