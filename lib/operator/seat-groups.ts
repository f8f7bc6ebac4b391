import { describeOrganization } from "../access/describe.ts";
import { toAuditRecord } from "../audit/export.ts";
import type { SeatCaller } from "../client/caller.ts";
import type { RequestOf, ResponseOf } from "../client/client.ts";
import { pageLimits } from "../contract/limits.ts";
import * as auditing from "../contract/operations/audit-logs.ts";
import { listTeams } from "../contract/operations/teams.ts";
import * as users from "../contract/operations/users.ts";
import { isWorkspaceTenant, poolOf, unescapeKeyPart } from "../contract/tenants.ts";
import { auditPosition, exportAuditLog } from "../http/audit-walk.ts";
import { positionInPartition, positionText } from "../http/cursors.ts";
import { type MetricsPage, readReviewComments, readReviews } from "../metrics/read-metrics.ts";
import { writeReviewComments } from "../metrics/review-comments.ts";
import { writeReview } from "../metrics/review-formats.ts";
import { headPrefetch, type MetricsContext, type PlacedEntry } from "../metrics/walk.ts";
import { findOrganizationByName, readAllOrganizations } from "../organizations/find.ts";
import { assignSeats } from "../people/assign-seats.ts";
import { listTeams as readTeams } from "../people/list-teams.ts";
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
  /** One page of metrics, of all organizations that have them or of the one that is named. */
  const metricsOf = async <Body>(query: MetricsQuery, read: (walk: MetricsContext) => Promise<Body>) => {
    const { start_date, end_date, user_ids, repository_ids, org_id, ...place } = query;
    const named = ready.filter((each) => org_id === undefined || namesOf(each).includes(org_id));
    if (named.length === 0) return { body: { data: [], next_cursor: null } };
    const lists = { user_ids: user_ids?.split(","), repository_ids: repository_ids?.split(",") };
    const body = await read({
      ...call,
      scope: { organizations: named },
      input: { query: { start_date, end_date, ...lists } },
      paging: pagingOf(place, pageLimits.metrics.default),
      prefetched: await new ReadAhead().read(table, headPrefetch(tenant)),
      signal: new AbortController().signal,
    });
    return { body };
  };
  const paged = {
    async listUsers({ query = {} }: RequestOf<"listUsers">): Promise<ResponseOf<"listUsers">> {
      const paging = pagingOf(query, pageLimits.users.default);
      const place = { after: positionText(paging), limit: paging.pageSize };
      const { next, ...page } = await listUsers(call, { seat: "all", role: "all" }, place);
      return { ...page, next_cursor: next && paging.next(next) };
    },
    async listAuditLogs({ query = {} }: RequestOf<"listAuditLogs">): Promise<ResponseOf<"listAuditLogs">> {
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
        key: { kind: isWorkspace ? "workspace" : "organization", only: null },
        scope: {
          tenant: isWorkspace ? "workspace" : "organization",
          tenant_id: unescapeKeyPart(tenant.slice(2)),
          home: null,
          organizations: organizations.map(describeOrganization),
        },
        permissions: [listTeams.needs],
      },
    }),
    // No format: no answer limits the size of a page.
    listReviewMetrics: ({ query: { status = "merged", ...query } }) =>
      metricsOf(query, async (walk) => {
        const input = { query: { ...walk.input.query, status, format: "" } };
        return asBody(await readReviews({ ...walk, input }), writeReview);
      }),
    listReviewCommentMetrics: ({ query }) =>
      metricsOf(query, async (walk) => asBody(await readReviewComments(walk), writeReviewComments)),
    listTeams: async ({ query = {} }) => {
      const paging = pagingOf(query, pageLimits.teams.default);
      const place = { after: positionInPartition(paging), limit: paging.pageSize };
      const { found, next } = await readTeams(table, organizations, place);
      return { body: { teams: found.map(({ record }) => record), next_cursor: next && paging.next(next) } };
    },
    assignSeats: async ({ body }) => ({
      body: await assignSeats(call, parsed(users.assignSeats.body, body)),
    }),
  };
}

type MetricsQuery = Omit<RequestOf<"listReviewMetrics">["query"], "status" | "format">;

const namesOf = ({ uuid, provider, provider_organization_id: id }: OrganizationItem): readonly string[] => [
  ...[uuid, id, `${provider}:${id}`],
];

/** The records as the API answers them: they are only written, never objects. */
function asBody<Record extends PlacedEntry>(
  { records, nextCursor }: MetricsPage<Record>,
  write: (out: ByteWriter, record: Record) => void,
) {
  const parsedRecord = (record: Record) => {
    const out = new ByteWriter();
    write(out, record);
    return JSON.parse(out.written().toString());
  };
  return { data: records.map(parsedRecord), next_cursor: nextCursor };
}
