import { operations } from "../../../lib/contract/operations.ts";
import type { Shot } from "./driver.ts";
import type { Limit } from "./verdict.ts";

type Request = { readonly path: string; readonly body?: object };
const metricsWindow = "start_date=2026-11-01&end_date=2026-11-30";

/** Valid requests of an admin's organization key, by operation. A request for a missing role counts like any other. */
const requests = (organizationUuid: string): Readonly<Record<string, Request>> => ({
  whoami: { path: "/v1/whoami" },
  listReviewMetrics: { path: `/v1/metrics/reviews?${metricsWindow}` },
  listReviewCommentMetrics: { path: `/v1/metrics/review-comments?${metricsWindow}` },
  listMcpMetrics: { path: `/v1/metrics/mcp?${metricsWindow}` },
  listLearnings: { path: "/v1/learnings" },
  createLearnings: {
    path: "/v1/learnings",
    body: { data: [{ repository_id: "9001", learning: "Say why, not what." }] },
  },
  listOrganizations: { path: "/v1/organizations" },
  listRepositories: { path: `/v1/organizations/${organizationUuid}/repositories` },
  listUsers: { path: "/v1/users" },
  assignSeats: { path: "/v1/users/seats", body: { action: "assign", user_ids: ["502"] } },
  getSeatAssignment: { path: "/v1/users/seats/assignment" },
  setSeatAssignment: { path: "/v1/users/seats/assignment", body: { mode: "manual" } },
  changeRoles: { path: "/v1/users/roles", body: { role: "cr_member", user_ids: ["502"] } },
  listRoles: { path: "/v1/roles" },
  deleteRole: { path: "/v1/roles/00000000-0000-4000-8000-000000000000" },
  listKeys: { path: "/v1/keys" },
  deleteKey: { path: "/v1/keys/kaaaaaaaaaaaaaaaa" },
  listAuditLogs: { path: "/v1/audit-logs" },
  listSecurityFindings: { path: "/v1/security/scans/code" },
});

export type Bucket = Limit & { readonly shots: ReadonlyArray<Omit<Shot, "atMs">> };

/** Every bucket of the contract with the requests that share it. */
export function bucketsOf(organizationUuid: string, key: string): ReadonlyMap<string, Bucket> {
  const byOperation = requests(organizationUuid);
  const buckets = new Map<string, Bucket>();
  for (const { id, method, rateLimit } of operations) {
    const { bucket, requestsMax, windowSeconds } = rateLimit;
    const request = byOperation[id];
    const known = buckets.get(bucket)?.shots ?? [];
    const shot = request && {
      bucket,
      method,
      path: request.path,
      key,
      ...(request.body && { body: JSON.stringify(request.body) }),
    };
    buckets.set(bucket, {
      requestsMax,
      windowMs: windowSeconds * 1000,
      shots: shot ? [...known, shot] : known,
    });
  }
  return buckets;
}
