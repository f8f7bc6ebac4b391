import * as z from "zod";
import type { OrganizationId } from "../support/world.ts";

/** A merged, reviewed pull request that feeds all three datasets. */
export const pullRequest = (organization: OrganizationId, number: number, change: object = {}) => ({
  ...organization,
  repository_id: "1",
  pr_url: `https://git.example.com/group/repository-1/pull/${number}`,
  author_id: "u-member",
  author_username: "u-member",
  created_at: "2026-11-01T08:00:00.000Z",
  ready_for_review_at: "2026-11-01T09:00:00.000Z",
  first_human_review_at: null,
  last_commit_at: "2026-11-02T09:00:00.000Z",
  merged_at: "2026-11-02T10:00:00.000Z",
  closed_at: null,
  status: "merged",
  reviewed: true,
  review_iterations: 2,
  estimated_complexity: 3,
  estimated_review_minutes: 25,
  comments: [
    {
      url: `https://git.example.com/group/repository-1/pull/${number}#discussion_r1`,
      severity: "major",
      category: "security_and_privacy",
      accepted: true,
    },
  ],
  mcp_servers: [{ name: "tickets", tools: [{ name: "find", calls: 3, failures: 1 }] }],
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

/** A Learning of a chat. */
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
