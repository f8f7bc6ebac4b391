import * as z from "zod";
import { msPerDay } from "../contract/days.ts";
import { type EventWords, eventList, line, organizationNameWords } from "../contract/event-fields.ts";
import { securityLimits } from "../contract/limits.ts";
import { identifier } from "../contract/parameters.ts";
import { findingSeverities, findingStates } from "../contract/records-security.ts";
import { toTimestamp } from "../runtime/clock.ts";

/** The data of `security_scan.completed`, without the organization's name. */

/** A weakness that is not named as a CWE is not an error: the finding then has no weakness. */
const cwe = z
  .string()
  .nullish()
  .transform((text) => /^CWE-0*([1-9]\d{0,5})$/i.exec(text?.trim() ?? "")?.[1])
  .transform((number) => (number === undefined ? null : `CWE-${number}`));

const lineNumber = z.int().min(1).max(securityLimits.lineMax);

const finding = z
  .object({
    id: identifier,
    title: line(securityLimits.titleCharactersMax),
    description: line(securityLimits.descriptionCharactersMax, 0),
    severity: z.enum(findingSeverities),
    cwe,
    file_path: line(securityLimits.filePathCharactersMax),
    start_line: lineNumber,
    end_line: lineNumber,
    evidence: eventList(line(securityLimits.evidenceCharactersMax, 0), (list) =>
      list.max(securityLimits.evidenceMax).nullish(),
    ).transform((evidence) => evidence ?? []),
    state: z
      .enum(findingStates)
      .nullish()
      .transform((state) => state ?? "open"),
  })
  .refine(({ start_line, end_line }) => start_line <= end_line, {
    error: "must not be before start_line",
    path: ["end_line"],
  })
  .refine(fitsChunk, { error: `must not take more than ${securityLimits.findingBytesMax} bytes` });

type Texts = { readonly title: string; readonly description: string; readonly evidence: readonly string[] };

/** The maximum size of a UTF-16 unit in JSON: a control character is written as `\u0001`. */
const unitBytesMax = 6;

/** Most findings are so short that their bytes need not be counted. */
function fitsChunk(finding: Texts): boolean {
  const { title, description, evidence } = finding;
  const units = evidence.reduce((sum, each) => sum + each.length, title.length + description.length);
  if (units * unitBytesMax < securityLimits.findingBytesMax / 2) return true;
  return Buffer.byteLength(JSON.stringify(finding)) <= securityLimits.findingBytesMax;
}

export const scanCompletedFields = {
  repository_id: identifier,
  scan_id: identifier,
  commit_sha: identifier,
  /** Any offset is accepted; stored in UTC with milliseconds, so that scans can be compared as text. */
  completed_at: z.iso
    .datetime({ offset: true, error: "must be a date-time with an offset" })
    .transform((text) => toTimestamp(Date.parse(text))),
  findings: eventList(finding, (list) =>
    list.refine((findings) => new Set(findings.map(({ id }) => id)).size === findings.length, {
      error: "must not have two findings of one id",
    }),
  ),
};
const scanCompleted = z.object(scanCompletedFields);

export const scanCompletedWords = (): EventWords => ({
  meaning:
    "A scan of a repository, with all its findings. An open finding that is missing from the newest scan counts as " +
    "fixed. Waits for its repository.",
  fields: {
    ...organizationNameWords,
    repository_id: "The Git provider's id of the repository.",
    scan_id: "Your id of the scan, unique within the repository.",
    commit_sha: "The commit that was scanned.",
    completed_at: "When the scan was complete, with an offset. From 2000-01-01 to tomorrow.",
    findings: "All findings of the scan, each id once; empty for a clean repository.",
    "findings[].id": "Your id of the finding, the same in every scan.",
    "findings[].title": "One line.",
    "findings[].description": "What is wrong; may be empty.",
    "findings[].severity": "How bad it is.",
    "findings[].cwe": "The weakness, such as `CWE-79`. null means none; any other form is stored as null.",
    "findings[].file_path": "The file, relative to the repository's root.",
    "findings[].start_line": "The first line, from 1.",
    "findings[].end_line": "The last line; not before the first.",
    "findings[].evidence": "Lines of code that show it; null means an empty list.",
    "findings[].state": "null means `open`. A dismissed finding stays dismissed when a scan repeats it.",
  },
});

export type ScanCompleted = z.output<typeof scanCompleted>;

/** Returns why the time cannot be correct, if so: a scan from far in the future would be the newest one until then. */
export function misdated({ completed_at }: ScanCompleted, nowMs: number): string | undefined {
  const day = completed_at.slice(0, 10);
  const tomorrow = toTimestamp(nowMs + msPerDay).slice(0, 10);
  if (day >= securityLimits.firstDay && day <= tomorrow) return undefined;
  return `completed_at: must lie between ${securityLimits.firstDay} and tomorrow`;
}
