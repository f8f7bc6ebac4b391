import * as z from "zod";
import { finalized, mcp } from "../metrics/support.ts";
import type { OrganizationId } from "../support/world.ts";

/** A merged, reviewed pull request with data for all three datasets. */
export const pullRequest = (organization: OrganizationId, number: number, change: object = {}) =>
  finalized(organization, number, {
    repository_id: "1",
    author_id: "u-member",
    author_username: "u-member",
    ...mcp,
    ...change,
  });

export const scan = (organization: OrganizationId, change: object = {}) => ({
  ...organization,
  repository_id: "1",
  scan_id: "scan-1",
  commit_sha: "0123456789abcdef0123456789abcdef01234567",
  completed_at: "2026-11-10T00:00:00.000Z",
  findings: ["finding-1", "finding-2"].map((id) => ({
    id,
    title: "A query is built from text",
    description: "The parameter reaches the query as it is.",
    severity: "high",
    cwe: "CWE-89",
    file_path: "src/query.ts",
    start_line: 10,
    end_line: 12,
    evidence: ["db.query(text)"],
    state: "open",
  })),
  ...change,
});

/** A Learning from a chat. */
export const captured = (organization: OrganizationId, change: object = {}) => ({
  ...organization,
  repository_id: "1",
  learning: "Log with the structured logger.",
  author_id: "u-member",
  source: "chat",
  pr_url: null,
  file: null,
  source_url: null,
  ...change,
});

const sarif = z.object({ runs: z.array(z.object({ results: z.array(z.unknown()) })) });

export const findingsOf = (log: unknown): number =>
  sarif.parse(log).runs.reduce((sum, { results }) => sum + results.length, 0);
