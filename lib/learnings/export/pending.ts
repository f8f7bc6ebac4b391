import * as z from "zod";
import * as kinds from "../../contract/items.ts";
import type { listedLearning } from "../../contract/records-learnings.ts";
import { required } from "../../runtime/required.ts";
import { type LearningItem, parseLearning, parsePending } from "../../store/items/learning.ts";
import { type OrganizationItem, readOrganizations } from "../../store/items/organization.ts";
import type { ItemPage, Range, Table } from "../../store/table.ts";
import { readNames, toLearningRecord } from "../present.ts";
import type { ExportContext } from "./export-learnings.ts";
import { learningFilter } from "./filter.ts";
import { readableRepositories } from "./named-repository.ts";

export type PendingLearning = z.input<typeof listedLearning>;
export type PendingContext = Omit<ExportContext, "principal">;
export type PendingPage = {
  readonly records: readonly PendingLearning[];
  readonly nextCursor: string | null;
};

/** Of these organizations, or of all: only the operator may read that partition, so only its code names it. */
type PendingOrganizations = readonly OrganizationItem[] | { readonly partition: string };

/** Places of these organizations between two places. A place is a deadline with organization and id. */
type PendingSegment = {
  readonly organizations: PendingOrganizations;
  readonly after: string;
  readonly upTo?: string;
};

/** Next deadline first. As in the export, newly visible organizations come first, up to the cursor's place. */
export async function listPending(
  call: PendingContext,
  organizations: PendingOrganizations = call.scope.organizations,
): Promise<PendingPage> {
  const { paging } = call;
  const { following } = call.scope;
  const place = paging.position === null ? "" : onePlace.parse(paging.position)[0];
  if (following && following.newlyVisible.length > 0) {
    const after = typeof following.caughtUpTo === "string" ? following.caughtUpTo : "";
    const page = await readSegment(call, { organizations: following.newlyVisible, after, upTo: place });
    const mark = page.isLast ? following.mark : following.markAt(page.end);
    return { records: page.records, nextCursor: paging.next([place], mark) };
  }
  const { records, isLast, end } = await readSegment(call, { organizations, after: place });
  // The last page has a next one if the scope has changed since: an organization left while the walk caught it up.
  const isEnd = isLast && (following?.isCurrent ?? true);
  return { records, nextCursor: isEnd ? null : paging.next([end], following?.mark) };
}

const onePlace = z.tuple([z.string()]);

type SegmentPage = {
  /** May be fewer than the page has room for: some Learnings are filtered out. */
  readonly records: readonly PendingLearning[];
  /** Nothing follows in this segment. */
  readonly isLast: boolean;
  /** The last place of the page, or where it began if it is empty. */
  readonly end: string;
};

async function readSegment(
  call: PendingContext,
  { organizations, after, upTo }: PendingSegment,
): Promise<SegmentPage> {
  const { table, paging, signal } = call;
  const partitions =
    "partition" in organizations
      ? [organizations.partition]
      : organizations.map(({ uuid }) => kinds.organizationPending.partition({ organization: uuid }));
  const range = { ...(after !== "" && { after }), ...(upTo !== undefined && { upTo }), signal };
  const found = await Promise.all(
    partitions.map((pk) => firstRows(table, { pk, ...range }, paging.pageSize + 1)),
  );
  const rows = found.flat().toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  const taken = rows.slice(0, paging.pageSize);
  const items = await table.getMany(
    taken.map(({ organization, id }) => kinds.learning.key({ organization, learningId: id })),
  );
  const learnings = items.flatMap((item) => (item ? [parseLearning(item)] : []));
  return {
    records: await presentWanted(
      call,
      "partition" in organizations ? await ownersOf(table, learnings) : organizations,
      learnings,
    ),
    isLast: rows.length === taken.length,
    end: taken.at(-1)?.sk ?? after,
  };
}

/** At least so many, if there are. The store may end a page early. */
async function firstRows(table: Table, range: Range, count: number) {
  const rows: ReturnType<typeof parsePending>[] = [];
  let page: ItemPage | undefined;
  do {
    page = await table.queryPage({ ...range, pageItems: count }, page?.resume);
    rows.push(...page.items.map(parsePending));
  } while (page.resume && rows.length < count);
  return rows;
}

const ownersOf = (table: Table, learnings: readonly LearningItem[]) =>
  readOrganizations(
    table,
    learnings.map(({ organization }) => organization),
  );

async function presentWanted(
  call: PendingContext,
  organizations: readonly OrganizationItem[],
  learnings: readonly LearningItem[],
): Promise<PendingLearning[]> {
  const byUuid = new Map(organizations.map((each) => [each.uuid, each]));
  const repositories = await readableRepositories(call, call.input.query.repository_name);
  const isWanted = learningFilter(call.input.query, {
    organizations: new Set(byUuid.keys()),
    ...(repositories !== "*" && { repositories }),
    nowMs: call.clock.nowMs(),
  });
  const wanted = learnings.filter((learning) => learning.state === "pending" && isWanted(learning));
  const names = await readNames(call.table, wanted);
  return wanted.map((learning) => {
    const organization = required(byUuid.get(learning.organization), "owner of a pending Learning");
    const { approve_at } = learning;
    return { ...toLearningRecord(learning, organization, names), ...(approve_at && { approve_at }) };
  });
}
