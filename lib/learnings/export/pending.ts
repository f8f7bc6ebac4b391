import { isReadable } from "../../access/readable.ts";
import { certain } from "../../runtime/certain.ts";
import { parseLearning, parsePending } from "../../store/items/learning.ts";
import { learningKey, organizationPendingPartition } from "../../store/layout.ts";
import type { ExportCall } from "../export.ts";
import { type LearningRecord, readNames, toLearningRecord } from "../present.ts";
import { learningFilter } from "./filter.ts";

export type PendingPage = {
  readonly records: readonly LearningRecord[];
  readonly nextCursor: string | null;
};

/**
 * One page of the Learnings that wait for approval, the next deadline first. A place is the deadline with organization
 * and id, so the lists of several organizations merge by their keys.
 */
export async function listPending(call: ExportCall): Promise<PendingPage> {
  const { table, scope, readable, paging, input, clock, signal } = call;
  const organizations = new Map(scope.organizations.map((each) => [each.uuid, each]));
  const after = paging.position === null ? undefined : String(paging.position);
  const pages = await Promise.all(
    [...organizations.keys()].map((organization) =>
      table.queryPage({
        pk: organizationPendingPartition(organization),
        ...(after !== undefined && { after }),
        pageItems: paging.pageSize + 1,
        signal,
      }),
    ),
  );
  const rows = pages
    .flatMap(({ items }) => items.map(parsePending))
    .toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  const taken = rows.slice(0, paging.pageSize);
  const items = await table.getMany(taken.map(({ organization, id }) => learningKey(organization, id)));
  const wanted = learningFilter(input.query, {
    organizations: new Set(organizations.keys()),
    nowMs: clock.nowMs(),
  });
  const learnings = items
    .flatMap((item) => (item ? [parseLearning(item)] : []))
    .filter((learning) => learning.state === "pending" && isReadable(readable, learning.repository_id))
    .filter(wanted);
  const names = await readNames(table, learnings);
  const last = taken.at(-1);
  const isLast = rows.length <= paging.pageSize;
  return {
    records: learnings.map((learning) => {
      const organization = certain(organizations.get(learning.organization), "owner of a pending Learning");
      const { approve_at } = learning;
      return { ...toLearningRecord(learning, organization, names), ...(approve_at && { approve_at }) };
    }),
    // A page whose rows were filtered out is short and still goes on.
    nextCursor: isLast || !last ? null : paging.next([last.sk]),
  };
}
