import * as z from "zod";
import * as kinds from "../contract/items.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { itemSchema, parseItem, tenantKeySchema } from "../store/items/parse.ts";
import { type Item, type Key, queryAll, type Table } from "../store/table.ts";

/** What the part of a repair that stops the service found. */
export type Begun = {
  readonly streams: number;
  /** Copies of organizations that differed from the organization: rewritten or deleted. */
  readonly rowsRepaired: number;
};

export type Mended = {
  /** Deleted entries that no pointer names, and deleted removals that are newer than their pointer. */
  entriesRemoved: number;
  /** Missing copies whose pull requests were appended again, and copies of removals. */
  copiesRestored: number;
  /** Pull requests whose entry is lost: their next event is accepted as new, whatever its age. */
  pullRequestsReset: number;
};

/** How far the repair has come in one segment of the table. */
export type Segment = {
  readonly index: number;
  readonly resume: Key | undefined;
  readonly isDone: boolean;
  readonly mended: Readonly<Mended>;
};

/** Numbers of a tenant's stream below this one are from before the restore. Later appends get greater numbers. */
export type Boundaries = ReadonlyMap<TenantKey, number>;

const nothing: Mended = { entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 };
const counts = z.object({
  entriesRemoved: z.int(),
  copiesRestored: z.int(),
  pullRequestsReset: z.int(),
});
export const parseRun = parseItem("repair", itemSchema({ streams: z.int(), rowsRepaired: z.int() }));
export const parseBoundary = parseItem(
  "boundary of a repair",
  itemSchema({ tenant: tenantKeySchema, before: z.int() }),
);
export const parseSegment = parseItem(
  "segment of a repair",
  itemSchema({
    index: z.int(),
    resume: z.object({ pk: z.string(), sk: z.string() }).optional(),
    isDone: z.boolean(),
    mended: counts,
  }),
);

/** A repair in progress. It is stored in the table, so that a stopped repair continues where it was. */
export class RepairRun {
  readonly #table: Table;
  readonly begun: Begun;
  readonly before: Boundaries;
  readonly segments: Segment[];

  private constructor(table: Table, begun: Begun, before: Boundaries, segments: readonly Segment[]) {
    this.#table = table;
    this.begun = begun;
    this.before = before;
    this.segments = [...segments];
  }

  /** Replaces an earlier run. The item of the run comes last: a run that was not stored completely cannot be resumed. */
  static async start(table: Table, begun: Begun, before: Boundaries, of: number): Promise<RepairRun> {
    await forget(table);
    const segments = Array.from(
      { length: of },
      (_, index): Segment => ({ index, resume: undefined, isDone: false, mended: nothing }),
    );
    const run = new RepairRun(table, begun, before, segments);
    await table.writeMany([
      ...[...before].map(([tenant, number]) => ({
        put: { ...kinds.repairBoundary.key({ tenant }), tenant, before: number },
      })),
      ...segments.map((segment) => ({ put: segmentItem(segment) })),
    ]);
    await table.writeMany([{ put: { ...kinds.repairRun.key(), ...begun } }]);
    return run;
  }

  /** Undefined if no repair was stopped. */
  static async read(table: Table): Promise<RepairRun | undefined> {
    const items = await storedItems(table);
    const stored = items.find(({ sk }) => sk === kinds.repairRun.key().sk);
    if (!stored) return undefined;
    const { streams, rowsRepaired } = parseRun(stored);
    const boundaries = items.filter((item) => item.tenant !== undefined).map(parseBoundary);
    const segments = items
      .filter(({ index }) => index !== undefined)
      .map(parseSegment)
      .map(({ index, resume, isDone, mended }) => ({ index, resume, isDone, mended }));
    const before = new Map(boundaries.map((each) => [each.tenant, each.before]));
    return new RepairRun(table, { streams, rowsRepaired }, before, segments);
  }

  async reach(segment: Segment): Promise<void> {
    await this.#table.writeMany([{ put: segmentItem(segment) }]);
    this.segments[segment.index] = segment;
  }

  /** The sum of all segments. */
  get mended(): Mended {
    const sum = { ...nothing };
    for (const { mended } of this.segments) {
      sum.entriesRemoved += mended.entriesRemoved;
      sum.copiesRestored += mended.copiesRestored;
      sum.pullRequestsReset += mended.pullRequestsReset;
    }
    return sum;
  }

  end(): Promise<void> {
    return forget(this.#table);
  }
}

const segmentItem = ({ index, resume, isDone, mended }: Segment): Item => ({
  ...kinds.repairSegment.key({ index }),
  index,
  isDone,
  mended,
  ...(resume && { resume: { pk: resume.pk, sk: resume.sk } }),
});

/** The item of the run goes first: nobody resumes what is half deleted. */
async function forget(table: Table): Promise<void> {
  await table.writeMany([{ delete: kinds.repairRun.key() }]);
  const items = await storedItems(table);
  await table.writeMany(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}

const storedItems = (table: Table): Promise<Item[]> =>
  Array.fromAsync(queryAll(table, { pk: kinds.repairRun.partition() }));
