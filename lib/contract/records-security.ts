import * as z from "zod";
import {
  organizationId,
  organizationName,
  provider,
  repositoryId,
  repositoryName,
  repositoryShortName,
  timestamp,
} from "./records.ts";

/** Records of the security operations. */

/** Worst first. Stored counts use the positions in these two lists: only append. */
export const findingSeverities = ["critical", "high", "medium", "low"] as const;
export const findingStates = ["open", "fixed", "dismissed"] as const;
export type FindingSeverity = (typeof findingSeverities)[number];
export type FindingState = (typeof findingStates)[number];

export const findingRecord = z.strictObject({
  id: z.string().describe("The finding's id, the same in every scan."),
  organization_id: organizationId,
  organization_name: organizationName,
  repository_id: repositoryId,
  repository_name: repositoryName,
  title: z.string().describe("What is wrong, in one line."),
  description: z.string().describe("What is wrong, in full."),
  severity: z.enum(findingSeverities).describe("How bad it is."),
  state: z.enum(findingStates).describe("`open`, `fixed`, or `dismissed` by somebody."),
  cwe: z.string().nullable().describe("The weakness, such as `CWE-79`; null for none."),
  file_path: z.string().describe("The file, relative to the repository's root."),
  start_line: z.int().describe("The first line, from 1."),
  end_line: z.int().describe("The last line."),
  evidence: z.array(z.string()).describe("Lines of code that show it."),
  scan_id: z.string().describe("The newest scan that has the finding."),
  commit_sha: z.string().describe("The commit of that scan."),
  detected_at: timestamp.describe("When the first scan that has the finding was complete, UTC."),
  updated_at: timestamp.describe("When the newest scan that has it was complete, UTC."),
  provider,
  repository_short_name: repositoryShortName,
});
export type FindingRecord = z.output<typeof findingRecord>;
