import * as z from "zod";
import * as itemKinds from "../contract/items.ts";
import type { DatasetLetter } from "../contract/kind.ts";
import { isOrganizationTenant, type TenantKey } from "../contract/tenants.ts";
import { tenantKeySchema } from "../store/items/parse.ts";
import { type EntryPlace, streamEntryKey, streamRemovalKey } from "../store/layout.ts";
import type { AttributeValue, Key } from "../store/table.ts";

/** The address of both copies of one entry. */
export type EntryAddress = {
  readonly tenant: TenantKey;
  readonly organization: string;
  readonly dataset: DatasetLetter;
  readonly week: number;
  readonly number: number;
};
export type Added = {
  readonly organization: string;
  readonly pointerId: string;
  readonly number: number;
  readonly weeks: ReadonlyArray<readonly [DatasetLetter, number]>;
  /** Datasets in which the change wrote a removal. */
  readonly removals?: readonly DatasetLetter[];
};
export type DroppedSpill = { readonly organization: string; readonly id: string; readonly parts: number };

/** What the last append wrote to the table and what it superseded; stored in the head until all of it is settled. */
export type PendingAppend = {
  readonly added: readonly Added[];
  readonly dropped: readonly EntryAddress[];
  readonly spills: readonly DroppedSpill[];
};

const letter = z.enum(["c", "r", "m"]);
/** Organizations and tenants are stored once, in separate lists: every batch rewrites the head. */
export const pendingSchema = z
  .object({
    o: z.array(z.string()),
    t: z.array(tenantKeySchema).optional(),
    a: z.array(
      z.tuple([
        z.int(),
        z.string(),
        z.int(),
        z.array(z.tuple([letter, z.int()])),
        z.array(letter).optional(),
      ]),
    ),
    d: z.array(z.tuple([z.int(), z.int(), letter, z.int(), z.int()])).optional(),
    s: z.array(z.tuple([z.int(), z.string(), z.int()])).optional(),
  })
  .transform(({ o, t = [], a, d = [], s = [] }, context): PendingAppend => {
    const listed = <Name extends string>(names: readonly Name[], index: number): Name => {
      const name = names[index];
      if (name !== undefined) return name;
      context.addIssue("Pending names what it does not list.");
      return z.NEVER;
    };
    const at = (index: number) => listed(o, index);
    return {
      added: a.map(([index, pointerId, number, weeks, removals]) => ({
        organization: at(index),
        pointerId,
        number,
        weeks,
        ...(removals && { removals }),
      })),
      dropped: d.map(([tenant, index, dataset, week, number]) => ({
        tenant: listed(t, tenant),
        organization: at(index),
        dataset,
        week,
        number,
      })),
      spills: s.map(([index, id, parts]) => ({ organization: at(index), id, parts })),
    };
  });

export function pendingValue({ added, dropped, spills }: PendingAppend): AttributeValue {
  const organizations = [...new Set([...added, ...dropped, ...spills].map((each) => each.organization))];
  const tenants = [...new Set(dropped.map((each) => each.tenant))];
  const index = (organization: string) => organizations.indexOf(organization);
  return {
    o: organizations,
    a: added.map(({ organization, pointerId, number, weeks, removals }) => [
      index(organization),
      pointerId,
      number,
      weeks,
      ...(removals ? [removals] : []),
    ]),
    ...(dropped.length > 0 && {
      t: tenants,
      d: dropped.map(({ tenant, organization, dataset, week, number }) => [
        tenants.indexOf(tenant),
        index(organization),
        dataset,
        week,
        number,
      ]),
    }),
    ...(spills.length > 0 && {
      s: spills.map((each) => [index(each.organization), each.id, each.parts]),
    }),
  };
}

type Owner = Pick<EntryPlace, "tenant" | "organization">;

/** A stand-alone organization is its own tenant: one copy serves both kinds of readers. */
export const copiesOf = (tenant: TenantKey, organization: string): ReadonlyArray<string | undefined> =>
  isOrganizationTenant(tenant) ? [undefined] : [undefined, organization];

/** The copy to read for one organization, or for the whole tenant. */
export const copyOf = ({ tenant, organization }: Owner): string | undefined =>
  isOrganizationTenant(tenant) ? undefined : organization;

/** Undefined for the copy of a tenant with several organizations: each entry then holds its own. */
export const ownerOfCopy = ({ tenant, organization }: Owner): string | undefined =>
  organization ?? (isOrganizationTenant(tenant) ? tenant.slice(2) : undefined);

export const entryKeys = (address: EntryAddress): Key[] =>
  copiesOf(address.tenant, address.organization).map((copy) =>
    streamEntryKey(
      { tenant: address.tenant, organization: copy, dataset: address.dataset, week: address.week },
      address.number,
    ),
  );

/**
 * The keys of everything that the append wrote, except the head. Once one transaction has read them all, every plain
 * read sees them. Pointers are included because a tenant change lists them; without them the simulation loses a pull
 * request in 1 of 1,000 lives.
 */
export const addedKeys = (tenant: TenantKey, { added }: PendingAppend): Key[] =>
  added.flatMap(({ organization, pointerId, number, weeks, removals = [] }) => [
    itemKinds.pointer.key({ organization, pointerId }),
    ...weeks.flatMap(([dataset, week]) => entryKeys({ tenant, organization, dataset, week, number })),
    ...removals.flatMap((dataset) => removalKeys({ tenant, organization, dataset, number })),
  ]);

/** The keys of both copies of a removal. */
const removalKeys = ({ tenant, organization, dataset, number }: Omit<EntryAddress, "week">): Key[] =>
  copiesOf(tenant, organization).map((copy) =>
    streamRemovalKey({ tenant, organization: copy, dataset }, number),
  );

export const hasDropped = (pending: PendingAppend): boolean =>
  pending.dropped.length > 0 || pending.spills.length > 0;
