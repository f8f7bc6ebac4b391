import type { ResponseOf } from "../../lib/client/client.ts";
import { wholeDays } from "../days.ts";

type SecurityFinding = ResponseOf<"listSecurityFindings">["data"][number];

/** Most severe first, as in the API. */
const shownSeverities = ["critical", "high", "medium", "low"] as const satisfies ReadonlyArray<
  SecurityFinding["severity"]
>;

/** How long a finding has been open, in whole days since the first scan that contained it. */
export const findingAges = [
  { name: "under 7 days", daysMin: 0 },
  { name: "7 to 29 days", daysMin: 7 },
  { name: "30 to 89 days", daysMin: 30 },
  { name: "90 days and more", daysMin: 90 },
] as const;

export type SecurityFigures = ReturnType<typeof securityFigures>;

const firstMax = 10;

/** `counts` has a row for every severity and a column for every age, `first` the most severe and oldest findings. */
export function securityFigures(findings: readonly SecurityFinding[], nowMs: number) {
  const open = findings.map((finding) => ({
    ...finding,
    days: wholeDays(Date.parse(finding.detected_at), nowMs),
  }));
  const counts = shownSeverities.map((severity) => {
    const ages = findingAges.map(
      (_, age) => open.filter((each) => each.severity === severity && ageOf(each.days) === age).length,
    );
    return { severity, ages, open: ages.reduce((sum, count) => sum + count, 0) };
  });
  const rank = (severity: SecurityFinding["severity"]) => shownSeverities.indexOf(severity);
  const first = open
    .toSorted((one, other) => rank(one.severity) - rank(other.severity) || other.days - one.days)
    .slice(0, firstMax)
    .map(({ id, title, severity, file_path, start_line, cwe, repository_name, days }) => ({
      id,
      title,
      severity,
      file_path,
      start_line,
      cwe,
      days,
      repository: repository_name,
    }));
  return { open: open.length, counts, first };
}

const ageOf = (days: number): number => findingAges.findLastIndex(({ daysMin }) => days >= daysMin);
