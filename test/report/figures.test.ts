import { describe, expect, test } from "vitest";
import { categories, severities } from "../../lib/contract/metrics-words.ts";
import { durationFigures, figuresOf, quantile } from "../../lib/report/figures.ts";
import { type PullRequest, unpackFinding } from "../../lib/report/pull-request.ts";
import { collected, comments, finding, review } from "./records.ts";

const findingsOf = ({ findings }: PullRequest) => Array.from(findings, unpackFinding);

describe("findings", () => {
  test("acceptance is the accepted share of the known outcomes; unknown outcomes are counted separately", () => {
    // 4 findings: 2 true, 1 false, 1 null. Known 3, so 2 / 3.
    const [figures] = [
      figuresOf(
        collected(
          [review(1), review(2)],
          [comments(1, [finding(true), finding(false), finding(null)]), comments(2, [finding(true)])],
        ),
      ),
    ];
    expect(figures?.findings).toEqual({
      posted: 4,
      accepted: 2,
      not_accepted: 1,
      unknown: 1,
      acceptance: 2 / 3,
    });
    expect(figures?.findings_per_pull_request).toBe(2);
  });

  test("without a known outcome acceptance is missing, not zero", () => {
    const { findings } = figuresOf(collected([review(1)], [comments(1, [finding(null)])]));
    expect(findings).toEqual({ posted: 1, accepted: 0, not_accepted: 0, unknown: 1, acceptance: null });
  });

  test("every severity, category and outcome survives being packed", () => {
    const all = [null, ...severities].flatMap((severity) =>
      [null, ...categories].flatMap((category) =>
        [null, false, true].map((accepted) => ({ severity, category, accepted })),
      ),
    );
    const [packed] = collected(
      [review(1)],
      [
        comments(
          1,
          all.map((each) => finding(each.accepted, each)),
        ),
      ],
    );
    expect(packed && findingsOf(packed)).toEqual(all);
    expect(all).toHaveLength(126);
  });
});

describe("durations", () => {
  test("durations start at ready for review, else at opening, of pull requests with a human review only", () => {
    const { time_to_first_human_review, time_to_merge } = figuresOf(
      collected([
        // Opened 08:00, reviewed 09:00, merged 10:00: 60 and 120 minutes.
        review(1, { first_human_review_at: "2026-03-02T09:00:00.000Z" }),
        // Ready 09:30, reviewed 09:50, merged 10:00: 20 and 30 minutes.
        review(2, {
          ready_for_review_at: "2026-03-02T09:30:00.000Z",
          first_human_review_at: "2026-03-02T09:50:00.000Z",
        }),
        // Never reviewed by a person, merged after 120 minutes.
        review(3),
      ]),
    );
    expect(time_to_first_human_review).toEqual({
      measured: 2,
      missing: 1,
      median_minutes: 40,
      p90_minutes: 56,
    });
    // 30, 120, 120: the median is 120; nine tenths of the way from first to third is 120.
    expect(time_to_merge).toEqual({ measured: 3, missing: 0, median_minutes: 120, p90_minutes: 120 });
  });

  test("a review of a draft has duration zero, not a negative one", () => {
    expect(durationFigures([-60_000, 120_000]).median_minutes).toBe(1);
  });

  test("quantiles interpolate: of 1, 2, 3, 10 the median is 2.5 and the 90th percentile 7.9", () => {
    expect(quantile([1, 2, 3, 10], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 10], 0.9)).toBeCloseTo(7.9, 10);
    expect(quantile([7], 0.9)).toBe(7);
    expect(quantile([], 0.5)).toBeNull();
  });
});

describe("the two datasets", () => {
  test("a pull request that was written again counts once, in its last state", () => {
    const [only, ...more] = collected(
      [review(1), review(1, { merged_at: "2026-03-09T10:00:00.000Z" })],
      [comments(1, [finding(null), finding(null)]), comments(1, [finding(true)])],
    );
    expect(more).toEqual([]);
    expect([only?.mergedAtMs, only && findingsOf(only).length]).toEqual([
      Date.parse("2026-03-09T10:00:00.000Z"),
      1,
    ]);
  });

  test("the same URL in two organizations is two pull requests", () => {
    expect(collected([review(1), review(1, { organization_id: "1002" })])).toHaveLength(2);
  });

  test("findings of a pull request that is not in the reviews yet are left for the next report", () => {
    expect(collected([], [comments(1, [finding(true)])])).toEqual([]);
  });

  test("a report without pull requests has zeros and no means", () => {
    const nothing = { measured: 0, missing: 0, median_minutes: null, p90_minutes: null };
    expect(figuresOf([])).toEqual({
      pull_requests: 0,
      findings: { posted: 0, accepted: 0, not_accepted: 0, unknown: 0, acceptance: null },
      findings_per_pull_request: null,
      time_to_first_human_review: nothing,
      time_to_merge: nothing,
    });
  });
});
