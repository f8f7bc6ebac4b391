import { describeOrganization } from "../access/describe.ts";
import { toAuditRecord } from "../audit/export.ts";
import type { SeatCaller } from "../client/caller.ts";
import type { AnswerOf, RequestOf } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import * as auditing from "../contract/operations/audit-logs.ts";
import * as users from "../contract/operations/users.ts";
import { isWorkspaceTenant, poolOf } from "../contract/tenants.ts";
import { auditPosition, exportAuditLog } from "../http/audit-walk.ts";
import { positionText } from "../http/cursors.ts";
import { readReviews } from "../metrics/read.ts";
import { writeReview } from "../metrics/review-formats.ts";
import { headPrefetch } from "../metrics/walk.ts";
import { findOrganizationByName, readAllOrganizations } from "../organizations/find.ts";
import { assignSeats } from "../people/assign-seats.ts";
import { listUsers } from "../people/list-users.ts";
import { ByteWriter } from "../runtime/byte-writer.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { ReadAhead } from "../store/read-ahead.ts";
import { pagesOf, pagingOf, parsed } from "./call.ts";
import type { Connection } from "./connection.ts";

type SeatStore = Pick<Connection, "table" | "audited">;

/** Every group of seats, a workspace's or an organization's own; or the group of the named organization. */
export async function seatGroups(
  connection: SeatStore,
  name: string | undefined,
): Promise<readonly SeatCaller[]> {
  const { table } = connection;
  const only = name === undefined ? undefined : poolOf(await findOrganizationByName(table, name));
  const groups = Map.groupBy(await readAllOrganizations(table), poolOf);
  return [...groups].flatMap(([pool, [first, ...more]]) =>
    first && (only === undefined || only === pool) ? groupCaller(connection, [first, ...more]) : [],
  );
}

/** The operator's calls about the organizations of one group, also inactive ones and those on other plans. */
function groupCaller(
  { table, audited }: SeatStore,
  organizations: readonly [OrganizationItem, ...OrganizationItem[]],
): SeatCaller {
  const [{ tenant, uuid }] = organizations;
  const isWorkspace = isWorkspaceTenant(tenant);
  const scope = { organizations, selector: isWorkspace ? "all" : `one:${uuid}` };
  const call = { ...audited, principal: { tenant, key: { authorized: null } }, scope };
  const ready = organizations.filter(({ metrics }) => metrics === "ready");
  const paged = {
    async listUsers({ query = {} }: RequestOf<"listUsers">): Promise<AnswerOf<"listUsers">> {
      const paging = pagingOf(query, pageLimits.users.default);
      const place = { after: positionText(paging), limit: paging.pageSize };
      const { next, ...page } = await listUsers(call, { seat: "all", role: "all" }, place);
      return { ...page, next_cursor: next && paging.next(next) };
    },
    async listAuditLogs({ query = {} }: RequestOf<"listAuditLogs">): Promise<AnswerOf<"listAuditLogs">> {
      const { cursor, limit, ...filters } = query;
      const paging = pagingOf({ cursor, limit }, pageLimits.auditLogs.default);
      const input = { query: parsed(auditing.listAuditLogs.query, filters) };
      const page = await exportAuditLog({ ...call, paging, input }, auditPosition(paging));
      return { data: page.entries.map(toAuditRecord), next_cursor: page.nextCursor };
    },
  };
  return {
    isOperator: true,
    pages: pagesOf(paged),
    whoami: async () => ({
      body: {
        key: { kind: isWorkspace ? "workspace" : "organization" },
        scope: { home: null, organizations: organizations.map(describeOrganization) },
      },
    }),
    listReviewMetrics: async ({ query: { start_date, end_date, user_ids, ...place } }) => {
      if (ready.length === 0) return { body: { data: [], next_cursor: null } };
      const { records, nextCursor } = await readReviews({
        ...{ ...call, scope: { organizations: ready } },
        // No format: no answer limits the size of a page.
        input: { query: { start_date, end_date, user_ids: user_ids?.split(","), status: "all", format: "" } },
        paging: pagingOf(place, pageLimits.metrics.default),
        prefetched: await new ReadAhead().read(table, headPrefetch(tenant)),
        signal: new AbortController().signal,
      });
      return { body: { data: records.map(asRecord), next_cursor: nextCursor } };
    },
    assignSeats: async ({ body }) => ({
      body: await assignSeats(call, parsed(users.assignSeats.body, body)),
    }),
  };
}

/** A record as the API answers it: it is only written, never an object. */
function asRecord(review: Parameters<typeof writeReview>[1]) {
  const out = new ByteWriter();
  writeReview(out, review);
  return JSON.parse(out.written().toString());
}
