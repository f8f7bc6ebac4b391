import * as z from "zod";
import { providers } from "./access.ts";
import { timestamp } from "./records.ts";

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
