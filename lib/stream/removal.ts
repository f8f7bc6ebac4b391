import * as z from "zod";
import { msPerDay } from "../contract/days.ts";
import { streamLimits } from "../contract/limits.ts";
import { isOrganizationTenant, type TenantKey } from "../contract/tenants.ts";
import { CorruptItem, parseItem } from "../store/items/parse.ts";
import { streamRemovalKey } from "../store/layout.ts";
import type { Item, Put } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { copiesOf } from "./pending.ts";
import { type Dataset, type EntryDraft, letterOf } from "./stream.ts";

/** What readers filter by, the same in every dataset of a pull request. Windows are whole days. */
export type Facets = {
  /** Days since 1970. */
  readonly day: number;
  readonly repositoryId: string;
  readonly authorId: string | null;
  /** Only in the dataset `reviews`. A removal without a status matches every status. */
  readonly status: string | undefined;
};

/**
 * A pull request left a dataset, or its facets changed: a reader that has it under its old facets, and does not get the
 * entry with the same number, must delete it. Removals have their own partition per copy and dataset, under the number
 * of the append. In the weeks' partitions they would cost every reader.
 */
export type Removal = {
  readonly number: number;
  readonly organization: string;
  readonly pointerId: string;
  /** The `pr_url`. */
  readonly pullRequest: string;
  readonly removedAtMs: number;
  readonly facets: Facets;
};

/** A removal that an append will write. */
export type PlannedRemoval = {
  readonly dataset: Dataset;
  readonly pullRequest: string;
  readonly facets: Facets;
};

export const dayNumberOf = (atMs: number): number => Math.floor(atMs / msPerDay);
export const dayStartMs = (day: number): number => day * msPerDay;

export const facetsOf = ({ atMs, repositoryId, authorId, status }: EntryDraft): Facets => ({
  day: dayNumberOf(atMs),
  repositoryId,
  authorId,
  status,
});

/** Whether a reader of this dataset may find a pull request under one of the facets and not under the other. */
export const facetsDiffer = (dataset: Dataset, one: Facets, other: Facets): boolean =>
  one.day !== other.day ||
  one.repositoryId !== other.repositoryId ||
  one.authorId !== other.authorId ||
  (dataset === "reviews" && one.status !== other.status);

export const facetsSchema = z
  .object({ d: z.int(), r: z.string(), a: z.string().optional(), s: z.string().optional() })
  .transform(({ d, r, a, s }): Facets => ({ day: d, repositoryId: r, authorId: a ?? null, status: s }));

export const facetsValue = ({ day, repositoryId, authorId, status }: Facets) => ({
  d: day,
  r: repositoryId,
  ...(authorId !== null && { a: authorId }),
  ...(status !== undefined && { s: status }),
});

type Address = {
  readonly tenant: TenantKey;
  readonly organization: string;
  readonly dataset: Dataset;
  readonly number: number;
};

/** One letter an attribute: i pointer id · u pr_url · g organization (tenant-wide copy only) · t when · x facets */
export function removalPuts(
  address: Address,
  { pointerId, pullRequest, facets, removedAtMs }: Omit<Removal, "number" | "organization">,
): Put[] {
  const { tenant, organization } = address;
  const body = {
    i: pointerId,
    u: pullRequest,
    t: removedAtMs,
    x: facetsValue(facets),
    ttl: ttlAfter(removedAtMs, streamLimits.removalDays),
  };
  return copiesOf(tenant, organization).map((copy) => ({
    put: {
      ...streamRemovalKey({ tenant, organization: copy, dataset: letterOf(address.dataset) }, address.number),
      ...body,
      ...(copy === undefined && !isOrganizationTenant(tenant) && { g: organization }),
    },
    when: { absent: "pk" },
  }));
}

const removalItem = z.object({
  pk: z.string(),
  sk: z.string().regex(/^\d{10}$/),
  i: z.string(),
  u: z.string(),
  g: z.string().optional(),
  t: z.number(),
  x: facetsSchema,
});
const parseStored = parseItem("removal", removalItem);

/** `organization` owns the copy that is read; removals in a workspace's or instance's copy hold their own. */
export function parseRemoval(item: Item, organization: string | undefined): Removal {
  const { sk, i, u, g, t, x } = parseStored(item);
  const owner = g ?? organization;
  if (owner === undefined) throw new CorruptItem(`The removal at ${item.pk} / ${sk} is nobody's.`);
  return {
    number: Number(sk),
    organization: owner,
    pointerId: i,
    pullRequest: u,
    removedAtMs: t,
    facets: x,
  };
}
