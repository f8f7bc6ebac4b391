import { hash } from "node:crypto";
import * as z from "zod";
import * as kinds from "../contract/items.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { itemSchema, parseItem, tenantKeySchema } from "../store/items/parse.ts";
import { type Condition, type Item, queryPages, type Table } from "../store/table.ts";
import { type Facets, facetsSchema, facetsValue } from "./removal.ts";
import { type Dataset, datasets, type EntryDraft, letterOf } from "./stream.ts";

export type SpillRef = { readonly id: string; readonly parts: number };

/** Where a pull request's entry of one dataset is stored, and what it holds. */
export type PlaceRecord = {
  readonly number: number;
  readonly week: number;
  readonly fingerprint: string;
  readonly spill: SpillRef | undefined;
};

/** The newest event applied, and the places of its entries. Without places, the pull request was removed. */
export type Pointer = {
  readonly id: string;
  readonly organization: string;
  readonly tenant: TenantKey;
  /** Of its last append. Each place has its own, because a dataset that did not change keeps its entry. */
  readonly number: number;
  readonly occurredAtMs: number;
  /** The digits of `occurred_at` below the millisecond, without trailing zeros. */
  readonly occurredAtFiner?: string | undefined;
  readonly eventId: string;
  readonly places: { readonly [Name in Dataset]?: PlaceRecord };
  /** What readers filter its entries by; undefined if it has no entries. */
  readonly facets?: Facets | undefined;
};

const place = z.object({
  n: z.int(),
  w: z.int(),
  f: z.string(),
  s: z.tuple([z.string(), z.int()]).optional(),
});
const pointerItem = itemSchema({
  t: tenantKeySchema,
  n: z.int(),
  o: z.number(),
  /** Present only if there are such digits. */
  f: z.string().optional(),
  e: z.string(),
  x: facetsSchema.optional(),
  c: place.optional(),
  r: place.optional(),
  m: place.optional(),
});
const parseStored = parseItem("pull request pointer", pointerItem);

/** 96 bits within one organization's partition: short in keys, and too many to guess. */
export const pointerIdOf = (pullRequest: string): string =>
  hash("sha256", pullRequest, "base64url").slice(0, 16);

/** Covers everything that a reader can see of an entry: a change of the merge date alone also moves it. */
export const fingerprintOf = ({ atMs, repositoryId, authorId, digest }: EntryDraft): string =>
  hash("sha256", JSON.stringify([atMs, repositoryId, authorId, digest]), "base64url").slice(0, 22);

export function parsePointer(item: Item, organization: string): Pointer {
  const stored = parseStored(item);
  const places: { -readonly [Name in Dataset]?: PlaceRecord } = {};
  for (const dataset of datasets) {
    const found = stored[letterOf(dataset)];
    if (!found) continue;
    const spill = found.s && { id: found.s[0], parts: found.s[1] };
    places[dataset] = { number: found.n, week: found.w, fingerprint: found.f, spill };
  }
  return {
    id: stored.sk,
    organization,
    tenant: stored.t,
    number: stored.n,
    occurredAtMs: stored.o,
    occurredAtFiner: stored.f,
    eventId: stored.e,
    places,
    facets: stored.x,
  };
}

export function pointerItemOf(pointer: Pointer): Item {
  const item: Record<string, Item[string]> & { pk: string; sk: string } = {
    ...kinds.pointer.key({ organization: pointer.organization, pointerId: pointer.id }),
    t: pointer.tenant,
    n: pointer.number,
    o: pointer.occurredAtMs,
    ...(pointer.occurredAtFiner && { f: pointer.occurredAtFiner }),
    e: pointer.eventId,
    ...(pointer.facets && { x: facetsValue(pointer.facets) }),
  };
  for (const dataset of datasets) {
    const found = pointer.places[dataset];
    if (!found) continue;
    const spill = found.spill && { s: [found.spill.id, found.spill.parts] };
    item[letterOf(dataset)] = { n: found.number, w: found.week, f: found.fingerprint, ...spill };
  }
  return item;
}

/** The number alone is not enough, because an equal event changes only the time. */
export const pointerUnchanged = (before: Pointer | undefined): Condition =>
  before === undefined
    ? { absent: "pk" }
    : {
        all: [
          { equals: ["t", before.tenant] },
          { equals: ["n", before.number] },
          { equals: ["o", before.occurredAtMs] },
          before.occurredAtFiner ? { equals: ["f", before.occurredAtFiner] } : { absent: "f" },
          { equals: ["e", before.eventId] },
        ],
      };

/** The authors of all reviewed pull requests that an organization has now, page by page, each once a page. */
export async function* authorPages(table: Table, organization: string): AsyncGenerator<string[]> {
  for await (const items of queryPages(table, { pk: kinds.pointer.partition({ organization }) })) {
    const authors = items.map((item) => parsePointer(item, organization).facets?.authorId);
    yield [...new Set(authors.filter((author) => typeof author === "string"))];
  }
}
