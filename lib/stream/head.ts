import * as z from "zod";
import { parseItem } from "../store/items/parse.ts";
import { streamHeadKey, type TenantKey } from "../store/layout.ts";
import type { Item, Table, Update } from "../store/table.ts";
import { type Pending, pendingSchema, pendingValue } from "./pending.ts";
import { decodeWeeks, encodeWeeks, type WeekSpan } from "./weeks.ts";

/** One per tenant, shared by the datasets. Weeks stand in it because one read must give both. */
export type Head = {
  /** The number the next change gets. */
  readonly next: number;
  /** Readers see numbers up to this one. */
  readonly published: number;
  /** What is not settled yet; undefined when everything is. */
  readonly pending: Pending | undefined;
  readonly weeks: readonly WeekSpan[];
};

export const emptyHead: Head = { next: 1, published: 0, pending: undefined, weeks: [] };

const headItem = z.object({
  pk: z.string(),
  sk: z.string(),
  n: z.int(),
  p: z.int(),
  q: pendingSchema.optional(),
  w: z.instanceof(Uint8Array).optional(),
});
const parseStored = parseItem("stream head", headItem);

/** Of an item that was read along with authentication, or of nothing: a tenant without entries. */
export function parseHead(item: Item | undefined): Head {
  if (!item) return emptyHead;
  const { n, p, q, w } = parseStored(item);
  return { next: n, published: p, pending: q, weeks: decodeWeeks(w) };
}

export const readHead = async (table: Table, tenant: TenantKey): Promise<Head> =>
  parseHead(await table.get(streamHeadKey(tenant)));

export const isSettled = (head: Head): boolean =>
  head.published === head.next - 1 && head.pending === undefined;

/** The head's part of an append: it holds only while nobody else appended and everything before is settled. */
export const advanceHead = (tenant: TenantKey, before: Head, after: Head): Update => ({
  update: streamHeadKey(tenant),
  change: {
    set: [
      ["n", after.next],
      ["w", encodeWeeks(after.weeks)],
      ...(after.pending ? [["q", pendingValue(after.pending)] as const] : []),
    ],
    setOnce: [["p", emptyHead.published]],
  },
  when:
    before.next === emptyHead.next
      ? { absent: "n" }
      : {
          all: [{ equals: ["n", before.next] }, { equals: ["p", before.next - 1] }, { absent: "q" }],
        },
});

export const publishHead = (tenant: TenantKey, upTo: number, emptiesPending: boolean): Update => ({
  update: streamHeadKey(tenant),
  change: { set: [["p", upTo]], ...(emptiesPending && { remove: ["q"] }) },
  when: { below: ["p", upTo] },
});

/** Only while no later append stands: its pending is not ours to empty. */
export const emptyPending = (tenant: TenantKey, next: number): Update => ({
  update: streamHeadKey(tenant),
  change: { remove: ["q"] },
  when: { equals: ["n", next] },
});
