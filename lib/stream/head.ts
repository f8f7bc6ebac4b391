import * as z from "zod";
import * as kinds from "../contract/items.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { itemSchema, parseItem } from "../store/items/parse.ts";
import type { Item, Table, Update } from "../store/table.ts";
import { type PendingAppend, pendingSchema, pendingValue } from "./pending.ts";
import { decodeWeeks, encodeWeeks, type WeekSpan } from "./weeks.ts";

/** One per tenant, shared by the datasets. The weeks are stored in the head because one read must return both. */
export type StreamHead = {
  /** The number the next change gets. */
  readonly next: number;
  /** Readers see numbers up to this one. */
  readonly published: number;
  /** The append that is not settled yet; undefined when everything is settled. */
  readonly pending: PendingAppend | undefined;
  readonly weeks: readonly WeekSpan[];
};

export const emptyHead: StreamHead = { next: 1, published: 0, pending: undefined, weeks: [] };

const headItem = itemSchema({
  n: z.int(),
  p: z.int(),
  q: pendingSchema.optional(),
  w: z.instanceof(Uint8Array).optional(),
});
const parseStored = parseItem("stream head", headItem);

/** Parses an item that was read together with authentication. Undefined means a tenant without entries. */
export function parseHead(item: Item | undefined): StreamHead {
  if (!item) return emptyHead;
  const { n, p, q, w } = parseStored(item);
  return { next: n, published: p, pending: q, weeks: decodeWeeks(w) };
}

export const readHead = async (table: Table, tenant: TenantKey): Promise<StreamHead> =>
  parseHead(await table.get(kinds.streamHead.key({ tenant })));

export const isSettled = (head: StreamHead): boolean =>
  head.published === head.next - 1 && head.pending === undefined;

/** The head's part of an append. Its condition holds only if nobody else appended and everything before is settled. */
export const advanceHead = (tenant: TenantKey, before: StreamHead, after: StreamHead): Update => ({
  update: kinds.streamHead.key({ tenant }),
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
  update: kinds.streamHead.key({ tenant }),
  change: { set: [["p", upTo]], ...(emptiesPending && { remove: ["q"] }) },
  when: { below: ["p", upTo] },
});

/** Only if there is no later append: the `pending` of a later append must not be removed here. */
export const emptyPending = (tenant: TenantKey, next: number): Update => ({
  update: kinds.streamHead.key({ tenant }),
  change: { remove: ["q"] },
  when: { equals: ["n", next] },
});
