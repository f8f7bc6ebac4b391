import { toIssuedRecord } from "../access/key-record.ts";
import { listKeys, operatorListing } from "../access/list-keys.ts";
import type { Paging } from "../access/operation-context.ts";
import { revokeKey } from "../access/revoke-key.ts";
import { rotateKey } from "../access/rotate-key.ts";
import type { Caller } from "../client/caller.ts";
import type { AnswerOf, Client, RequestOf } from "../client/client.ts";
import { keyLimits } from "../contract/limits.ts";
import * as operations from "../contract/operations/keys.ts";
import { positionInPartition } from "../http/cursors.ts";
import { findOrganizationByName } from "../organizations/find.ts";
import type { Connection } from "./connection.ts";
import { endLeakedKey } from "./leaked-key.ts";

/**
 * The operator's own calls of the API's operations: they run in this process, without a key, so that no plan, role,
 * limit or active state is asked. `org_id` may also be a UUID. Audit entries name the operator.
 */
export function operatorCaller({ table, audited }: Connection): Caller {
  const organizationNamed = async (name: string | undefined) =>
    name === undefined ? undefined : await findOrganizationByName(table, name);
  const paged = {
    async listKeys({ query = {} }: RequestOf<"listKeys">): Promise<AnswerOf<"listKeys">> {
      const paging = pagingOf(query, operations.listKeys.paging.defaultSize);
      const place = { after: positionInPartition(paging), limit: paging.pageSize };
      const listing = operatorListing(await organizationNamed(query.org_id));
      const { keys, records, next } = await listKeys(audited, listing, place);
      const tenantOf = new Map(keys.map((key) => [key.id, key.workspace_id ?? key.instance_id]));
      return {
        keys: records.map((record) => ({ ...record, tenant_id: tenantOf.get(record.id) })),
        next_cursor: next && paging.next(next),
      };
    },
  };
  return {
    pages: pagesOf(paged),
    endLeakedKey: (text) => endLeakedKey(audited, text),
    rotateKey: async ({ path, body }) => {
      const { grace_seconds: graceSeconds = keyLimits.graceSecondsDefault, owner } = body;
      const rotated = await rotateKey(audited, { ...audited, id: path.key_id, graceSeconds, owner });
      return { body: toIssuedRecord(rotated, audited.clock.nowMs()) };
    },
    deleteKey: async ({ path }) => ({
      body: { revoked_key_ids: await revokeKey(audited, path.key_id, audited.actor) },
    }),
  };
}

/** A cursor never leaves this process, so it is the position itself. */
function pagingOf(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  sizeDefault: number,
): Paging {
  const next = (position: unknown) => JSON.stringify(position);
  const position = cursor === undefined ? null : JSON.parse(cursor);
  return { position, resumes: false, pageSize: limit ?? sizeDefault, next, resume: next };
}

type PagedCall = (request: { readonly query: { readonly cursor?: string } }) => Promise<{
  readonly next_cursor: string | null;
}>;

/** Has the client's types, because each of these calls has its own from there. */
function pagesOf(calls: Readonly<Record<string, PagedCall>>): Client["pages"] {
  async function* pages(name: string, request: { readonly query?: object } = {}) {
    const call = calls[name];
    if (!call) throw new TypeError(`The operator has no call ${name}.`);
    let cursor: string | null = null;
    do {
      const query = { ...request.query, ...(cursor !== null && { cursor }) };
      const body = await call({ query });
      yield { body, status: 200, headers: new Headers(), resumeCursor: null };
      cursor = body.next_cursor;
    } while (cursor !== null);
  }
  return pages as unknown as Client["pages"];
}
