import { required } from "../runtime/required.ts";
import { type FindingOutcome, findingCodes, type PullRequest, unpackFinding } from "./pull-request.ts";

/** What a report shows about some pull requests. The field names are those of its JSON. */
export type Figures = {
  readonly pull_requests: number;
  readonly findings: FindingFigures;
  /** Null if there are no pull requests. */
  readonly findings_per_pull_request: number | null;
  readonly time_to_first_human_review: DurationFigures;
  readonly time_to_merge: DurationFigures;
};

export type FindingFigures = {
  readonly posted: number;
  /** Stored outcome `true`. */
  readonly accepted: number;
  /** Stored outcome `false`, which does not prove rejection. */
  readonly not_accepted: number;
  /** Stored outcome `null`. */
  readonly unknown: number;
  /** Accepted divided by accepted plus not accepted, 0 to 1; null if no outcome is known. */
  readonly acceptance: number | null;
};

/** What acceptance is a share of. */
export const knownOutcomes = ({
  accepted,
  not_accepted,
}: Pick<FindingFigures, "accepted" | "not_accepted">): number => accepted + not_accepted;

export type DurationFigures = {
  /** Pull requests that have this duration. */
  readonly measured: number;
  readonly missing: number;
  readonly median_minutes: number | null;
  readonly p90_minutes: number | null;
};

export type FindingFilter = (finding: FindingOutcome) => boolean;
const everyFinding: FindingFilter = () => true;

/** The outcome of every code, unpacked once. */
const outcomesByCode: readonly FindingOutcome[] = Array.from({ length: findingCodes }, (_, code) =>
  unpackFinding(code),
);

/** The figures of these pull requests, counting only findings that pass the filter. */
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

/** The number of findings of each code: this counts half a million findings without creating an object for each. */
export type FindingCounts = readonly number[];

export function countFindings(pullRequests: readonly PullRequest[]): FindingCounts {
  const counts = Array.from({ length: findingCodes }, () => 0);
  for (const { findings } of pullRequests)
    for (const code of findings) counts[code] = required(counts[code], "count of a code") + 1;
  return counts;
}

/**
 * Whether a pull request has such a finding. It is called for many pull requests, so the codes that pass are computed
 * once.
 */
export function findsAny(passes: FindingFilter): (pullRequest: PullRequest) => boolean {
  const passing = outcomesByCode.map(passes);
  return ({ findings }) => findings.some((code) => passing[code]);
}

/** Pull requests that have such a finding, with only these findings. */
export function onlyFindings(passes: FindingFilter): (pullRequests: readonly PullRequest[]) => PullRequest[] {
  const passing = outcomesByCode.map(passes);
  return (pullRequests) =>
    pullRequests
      .map((each) => ({ ...each, findings: each.findings.filter((code) => passing[code]) }))
      .filter(({ findings }) => findings.length > 0);
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

/** A review before a pull request was ready counts as zero minutes, not as a negative time. */
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

/**
 * Interpolates between two values, as spreadsheets do: the median of an even number of values is the mean of the middle
 * two.
 */
export function quantile(sorted: readonly number[], part: number): number | null {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (place - Math.floor(place));
}
