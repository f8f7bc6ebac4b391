import type { AnswerOf } from "../../lib/client/client.ts";
import { wholeDays } from "../days.ts";

type Finding = AnswerOf<"listSecurityFindings">["data"][number];

/** Most severe first, as in the API. */
export const findingSeverities = ["critical", "high", "medium", "low"] as const satisfies ReadonlyArray<
  Finding["severity"]
>;

/** How long a finding has been open, in whole days since the first scan that contained it. */
export const findingAges = [
  { name: "under 7 days", daysMin: 0 },
  { name: "7 to 29 days", daysMin: 7 },
  { name: "30 to 89 days", daysMin: 30 },
  { name: "90 days and more", daysMin: 90 },
] as const;

export type OpenFinding = Pick<Finding, "id" | "title" | "severity" | "file_path" | "start_line" | "cwe"> & {
  readonly repository: string;
  readonly days: number;
};

export type FindingFigures = {
  readonly open: number;
  /** A row for every severity, a column for every age. */
  readonly counts: ReadonlyArray<{
    readonly severity: Finding["severity"];
    readonly ages: readonly number[];
    readonly open: number;
  }>;
  /** The most severe findings, oldest first within a severity. */
  readonly first: readonly OpenFinding[];
};

const firstMax = 10;

export function findingFigures(findings: readonly Finding[], nowMs: number): FindingFigures {
  const open = findings.map((finding) => ({
    ...finding,
    days: wholeDays(Date.parse(finding.detected_at), nowMs),
  }));
  const counts = findingSeverities.map((severity) => {
    const ages = findingAges.map(
      (_, age) => open.filter((each) => each.severity === severity && ageOf(each.days) === age).length,
    );
    return { severity, ages, open: ages.reduce((sum, count) => sum + count, 0) };
  });
  const rank = (severity: Finding["severity"]) => findingSeverities.indexOf(severity);
  const first = open
    .toSorted((one, other) => rank(one.severity) - rank(other.severity) || other.days - one.days)
    .slice(0, firstMax)
    .map(({ id, title, severity, file_path, start_line, cwe, repository_name, days }) => ({
      ...{ id, title, severity, file_path, start_line, cwe, days },
      repository: repository_name,
    }));
  return { open: open.length, counts, first };
}

const ageOf = (days: number): number => findingAges.findLastIndex(({ daysMin }) => days >= daysMin);
