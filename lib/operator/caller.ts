import { listKeys, operatorListing } from "../access/list-keys.ts";
import { revokeKey } from "../access/revoke-key.ts";
import type { Caller } from "../client/caller.ts";
import type { RequestOf, ResponseOf } from "../client/client.ts";
import * as kinds from "../contract/items.ts";
import { pageLimits } from "../contract/limits.ts";
import * as searching from "../contract/operations/learnings-search.ts";
import { positionInPartition } from "../http/cursors.ts";
import { pendingLearnings } from "../learnings/approval.ts";
import { decideRequested } from "../learnings/decide.ts";
import { listPending } from "../learnings/export/pending.ts";
import { searchScope } from "../learnings/search-scope.ts";
import { findOrganizationByName, readAllOrganizations } from "../organizations/find.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { readOrganizations } from "../store/items/organization.ts";
import { pagesOf, pagingOf, parsed } from "./call.ts";
import type { Connection } from "./connection.ts";
import { endLeakedKey } from "./leaked-key.ts";
import { seatGroups } from "./seat-groups.ts";

type OperatorStore = Pick<Connection, "table" | "audited" | "vectors" | "embedder">;

/**
 * The operator's own calls of the API's operations: they run in this process, without a key, so that no plan, role,
 * limit or active state is asked. `org_id` may also be a UUID. Audit entries name the operator.
 */
export function operatorCaller(connection: OperatorStore): Caller {
  const { table, audited, vectors, embedder } = connection;
  const { signal } = new AbortController();
  const reader = { table, clock: audited.clock, readable: "*", signal } as const;
  const organizationNamed = async (name: string | undefined) =>
    name === undefined ? undefined : await findOrganizationByName(table, name);
  const paged = {
    async listKeys({ query = {} }: RequestOf<"listKeys">): Promise<ResponseOf<"listKeys">> {
      const paging = pagingOf(query, pageLimits.keys.default);
      const place = { after: positionInPartition(paging), limit: paging.pageSize };
      const listing = operatorListing(await organizationNamed(query.org_id));
      const { keys, records, next } = await listKeys(audited, listing, place);
      const tenantOf = new Map(keys.map((key) => [key.id, key.workspace_id ?? key.instance_id]));
      return {
        keys: records.map((record) => ({ ...record, tenant_id: tenantOf.get(record.id) })),
        next_cursor: next && paging.next(next),
      };
    },
    /** Of its lists only that of pending Learnings: `export` is for the others. */
    async listLearnings({ query = {} }: RequestOf<"listLearnings">): Promise<ResponseOf<"listLearnings">> {
      const paging = pagingOf(query, pageLimits.learnings.default);
      const organization = await organizationNamed(query.org_id);
      const scope = { organizations: organization ? [organization] : [] };
      const { records, nextCursor } = await listPending(
        { ...reader, scope, paging, input: { query: {} } },
        organization ? scope.organizations : { partition: kinds.pending.partition() },
      );
      return { data: [...records], next_cursor: nextCursor };
    },
  };
  return {
    pages: pagesOf(paged),
    seatGroups: (organization) => seatGroups(connection, organization),
    endLeakedKey: (text) => endLeakedKey(audited, text),
    deleteKey: async ({ path }) => ({
      body: { revoked_key_ids: await revokeKey(audited, path.key_id, audited.actor) },
    }),
    decideLearning: async ({ path: { learning_id: id }, body }) => {
      // At most one organization has this id: the ids are derived from the organization too.
      const [pending] = await Array.fromAsync(pendingLearnings(table, { id }));
      if (!pending) throw new OperatorError(`There is no pending Learning ${id}.`);
      const organizations = await readOrganizations(table, [pending.organization]);
      return { body: await decideRequested(audited, { ...reader, organizations, id }, body.decision) };
    },
    searchLearnings: async ({ body }) => {
      const input = { path: undefined, query: {}, body: parsed(searching.searchLearnings.body, body) };
      const named = await organizationNamed(input.body.org_id);
      const organizations = named ? [named] : await readAllOrganizations(table);
      const scope = { organizations, selector: "all" };
      const deps = { table, vectors, embedder: await embedder() };
      return { body: await searchScope({ ...reader, scope, input }, deps) };
    },
  };
}
