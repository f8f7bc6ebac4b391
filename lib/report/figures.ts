import { findingCodes, type Outcome, type PullRequest, unpackFinding } from "./pull-request.ts";

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

/** What every code stands for, unpacked once. */
const outcomesByCode: readonly Outcome[] = Array.from({ length: findingCodes }, (_, code) =>
  unpackFinding(code),
);

/** Of these pull requests, with those of their findings that pass. */
export function figuresOf(
  pullRequests: readonly PullRequest[],
  passes: FindingFilter = everyFinding,
): Figures {
  const findings = findingFigures(countFindings(pullRequests), passes);
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

/** How many findings there are of each code: half a million of them are counted without an object for any. */
export type FindingCounts = readonly number[];

export function countFindings(pullRequests: readonly PullRequest[]): FindingCounts {
  const counts = Array.from({ length: findingCodes }, () => 0);
  for (const { findings } of pullRequests)
    for (const code of findings) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** Whether a pull request has such a finding; asked of many, so the codes that pass are looked up once. */
export function findsAny(passes: FindingFilter): (pullRequest: PullRequest) => boolean {
  const passing = outcomesByCode.map(passes);
  return ({ findings }) => findings.some((code) => passing[code]);
}

export function findingFigures(counts: FindingCounts, passes: FindingFilter): FindingFigures {
  const count = (outcome: boolean | null) =>
    counts.reduce((sum, amount, code) => {
      const finding = outcomesByCode[code];
      return finding && amount > 0 && finding.accepted === outcome && passes(finding) ? sum + amount : sum;
    }, 0);
  const [accepted, notAccepted, unknown] = [count(true), count(false), count(null)];
  const known = accepted + notAccepted;
  return {
    posted: known + unknown,
    accepted,
    not_accepted: notAccepted,
    unknown,
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
