import * as z from "zod";
import { isOrganizationTenant } from "../contract/tenants.ts";
import { CorruptItem, parseItem } from "../store/items/parse.ts";
import { streamEntryKey } from "../store/layout.ts";
import type { AttributeValue, Item, Put } from "../store/table.ts";
import { copiesOf, type EntryAddress } from "./pending.ts";
import type { SpillRef } from "./pointer.ts";
import type { StreamEntry } from "./stream.ts";

/**
 * An entry as stored, one letter an attribute:
 * i pointer id · g organization (tenant-wide copy only) · r repository · a author · t time · b rendered bytes ·
 * p payload, or s [spill id, parts]
 */
export type EntryBody = {
  readonly i: string;
  readonly r: string;
  readonly a?: string;
  readonly t: number;
  readonly b: number;
  readonly p?: AttributeValue;
  readonly s?: readonly [string, number];
};

/** An entry as a reader merges it; the payload is still in its stored form. */
export type StoredEntry = {
  readonly entry: StreamEntry;
  readonly pointerId: string;
  readonly spill: SpillRef | undefined;
};

type Visible = Pick<StreamEntry, "repositoryId" | "authorId" | "atMs" | "renderedBytes"> & {
  readonly payload: AttributeValue | undefined;
};

export const entryBody = (pointerId: string, visible: Visible, spill: SpillRef | undefined): EntryBody => ({
  i: pointerId,
  r: visible.repositoryId,
  ...(visible.authorId !== null && { a: visible.authorId }),
  t: visible.atMs,
  b: visible.renderedBytes,
  ...(spill ? { s: [spill.id, spill.parts] as const } : { p: visible.payload ?? null }),
});

/** Writes both copies, each on condition that its number is not in use. */
export const entryPuts = (address: EntryAddress, body: EntryBody): Put[] =>
  copiesOf(address.tenant, address.organization).map((copy) => ({
    put: {
      ...streamEntryKey(
        { tenant: address.tenant, organization: copy, dataset: address.dataset, week: address.week },
        address.number,
      ),
      ...body,
      ...(copy === undefined && !isOrganizationTenant(address.tenant) && { g: address.organization }),
    },
    when: { absent: "pk" },
  }));

const entryItem = z
  .object({
    pk: z.string(),
    sk: z.string().regex(/^\d{10}$/),
    i: z.string(),
    g: z.string().optional(),
    r: z.string(),
    a: z.string().optional(),
    t: z.number(),
    b: z.number(),
    p: z.custom<AttributeValue>().optional(),
    s: z.tuple([z.string(), z.int()]).optional(),
  })
  .refine(({ p, s }) => (p === undefined) !== (s === undefined), { path: ["p"] });
/** A page parses a thousand entries, which takes half a millisecond. */
const parseStored = parseItem("stream entry", entryItem);

/** `organization` owns the copy that is read; entries in a workspace's or instance's copy hold their own. */
export function parseEntry(item: Item, organization: string | undefined): StoredEntry {
  const { sk, i, g, r, a = null, t, b, p, s } = parseStored(item);
  const owner = g ?? organization;
  if (owner === undefined) throw new CorruptItem(`The stream entry at ${item.pk} / ${sk} is nobody's.`);
  return {
    entry: {
      number: Number(sk),
      organization: owner,
      repositoryId: r,
      authorId: a,
      atMs: t,
      renderedBytes: b,
      payload: p,
    },
    pointerId: i,
    spill: s && { id: s[0], parts: s[1] },
  };
}
