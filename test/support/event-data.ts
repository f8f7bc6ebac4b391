import { categories, severities } from "../../lib/contract/records-metrics.ts";
import type { OrganizationId } from "./world.ts";

/** Default data of platform events. Names, ids and all relevant values are in the test. */

export const workspaceData = {
  admins: [{ user_id: "u-admin", email: "admin@example.com" }],
  seats_purchased: 100,
  active: true,
};

export const instanceData = { provider: "gitlab", base_url: "https://git.example.com", active: true };

export const organizationData = {
  workspace_id: null,
  plan: "enterprise",
  subscription_active: true,
  deployment: "cloud",
  active: true,
  metrics: "ready",
  seats_purchased: 100,
  seat_assignment_mode: "manual",
  approval_delay_days: 0,
};

export const repositoryData = {
  private: true,
  url: "https://git.example.com/group/repository",
  active: true,
  approval_delay_days: null,
};

export const memberData = {
  role: "cr_member",
  seat_assigned: false,
  readable_repository_ids: "*",
  active: true,
};

export type CommentData = {
  url: string;
  severity?: string | null;
  category?: string | null;
  accepted?: boolean | null;
};

export const urlOf = (number: number | string): string =>
  `https://github.com/acme-corp/billing-service/pull/${number}`;

/** A few review comments that differ in every field. */
export const comments = (prUrl: string, count: number): CommentData[] =>
  Array.from({ length: count }, (_, index) => ({
    url: `${prUrl}#discussion_r${2_100_000_000 + index * 104_729}`,
    severity: severities[index % severities.length] ?? null,
    category: categories[index % categories.length] ?? null,
    accepted: [true, false, null][index % 3] ?? null,
  }));

/** The data of a merged, reviewed pull request with two comments and no MCP. */
export function finalized(organization: OrganizationId, number: number | string, change: object = {}) {
  const pr_url = urlOf(number);
  return {
    ...organization,
    repository_id: "9001",
    pr_url,
    author_id: "4411",
    author_username: "ann",
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
    comments: comments(pr_url, 2),
    mcp_servers: [],
    ...change,
  };
}

/** A closed, unmerged pull request. */
export const closed = { status: "closed", merged_at: null, closed_at: "2026-11-03T10:00:00.000Z" };
export const mcp = { mcp_servers: [{ name: "tickets", tools: [{ name: "find", calls: 3, failures: 1 }] }] };

export type FindingData = {
  id: string;
  title: string;
  description: string;
  severity: string;
  cwe: string | null;
  file_path: string;
  start_line: number;
  end_line: number;
  evidence: string[];
  state: string;
};

export const finding = (id: string, change: Partial<FindingData> = {}): FindingData => ({
  id,
  title: `Finding ${id}`,
  description: `What is wrong with ${id}`,
  severity: "high",
  cwe: "CWE-89",
  file_path: `src/${id}.ts`,
  start_line: 10,
  end_line: 12,
  evidence: [`evidence of ${id}`],
  state: "open",
  ...change,
});

/** A completed scan of a repository, without findings. */
export const scanned = (organization: OrganizationId, change: object = {}) => ({
  ...organization,
  repository_id: "9001",
  scan_id: "s1",
  commit_sha: "c0ffee",
  completed_at: "2026-11-01T00:00:00Z",
  findings: [],
  ...change,
});

/** A Learning from a chat. */
export const captured = (organization: OrganizationId, learning: string, change: object = {}) => ({
  ...organization,
  repository_id: "9001",
  author_id: "u1",
  source: "chat",
  learning,
  ...change,
});
