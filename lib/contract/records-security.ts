import * as z from "zod";
import { providers } from "./access.ts";
import { type FieldWords, timestamp } from "./records.ts";

/** Records of the security operations. */

/** Worst first. Stored counts use the positions in these two lists: only append. */
export const findingSeverities = ["critical", "high", "medium", "low"] as const;
export const findingStates = ["open", "fixed", "dismissed"] as const;
export type FindingSeverity = (typeof findingSeverities)[number];
export type FindingState = (typeof findingStates)[number];

export const findingRecord = z.strictObject({
  id: z.string(),
  organization_id: z.string(),
  organization_name: z.string(),
  repository_id: z.string(),
  repository_name: z.string(),
  title: z.string(),
  description: z.string(),
  severity: z.enum(findingSeverities),
  state: z.enum(findingStates),
  cwe: z.string().nullable(),
  file_path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  evidence: z.array(z.string()),
  /** The newest scan with the finding, what it scanned, and when it was complete. */
  scan_id: z.string(),
  commit_sha: z.string(),
  /** When the first scan with the finding was complete. */
  detected_at: timestamp,
  updated_at: timestamp,
  provider: z.enum(providers),
  repository_short_name: z.string(),
});
export type FindingRecord = z.output<typeof findingRecord>;

export const findingWords: FieldWords = {
  id: "The finding's id, the same in every scan.",
  title: "What is wrong, in one line.",
  description: "What is wrong, in full.",
  severity: "How bad it is.",
  state: "`open`, `fixed`, or `dismissed` by somebody.",
  cwe: "The weakness, such as `CWE-79`; null for none.",
  file_path: "The file, relative to the repository's root.",
  start_line: "The first line, from 1.",
  end_line: "The last line.",
  evidence: "Lines of code that show it.",
  scan_id: "The newest scan that has the finding.",
  commit_sha: "The commit of that scan.",
  detected_at: "When the first scan that has the finding was complete, UTC.",
  updated_at: "When the newest scan that has it was complete, UTC.",
};
