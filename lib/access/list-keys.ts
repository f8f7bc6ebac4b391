import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { keyLimits, walkLimits } from "../contract/limits.ts";
import type { keyRecord } from "../contract/records-keys.ts";
import { organizationTenant } from "../contract/tenants.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { keyOfRow, keyRowsPrefix } from "../store/layout.ts";
import type { ItemPage, Range, Table } from "../store/table.ts";
import { itemsPerQuery } from "../store/walk.ts";
import { reachOf } from "./key-reach.ts";
import { toKeyRecord } from "./key-record.ts";
import { readUses } from "./last-used.ts";
import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

type Reader = {
  readonly table: Table;
  readonly clock: Clock;
  readonly principal: Principal;
  readonly scope: Scope;
};

export type KeyPage = {
  readonly records: ReadonlyArray<z.output<typeof keyRecord>>;
  /** Where the next page starts; null if there is none. */
  readonly next: string | null;
};

/** Lists the keys of the caller's scope: first the keys of several organizations, then organization by organization. */
export async function listKeysOfScope(
  reader: Reader,
  page: { readonly after: string | null; readonly limit: number },
): Promise<KeyPage> {
  const found: Array<{ readonly place: KeyPosition; readonly key: KeyItem }> = [];
  for await (const next of foundKeys(reader, keyPositionOf(page.after), page.limit)) {
    const { place, key } = next;
    if (key && reachOf(reader, key).list) found.push({ place, key });
    const last = found[page.limit - 1];
    if (last && found.length > page.limit) {
      return { records: await toRecords(reader, found.slice(0, page.limit)), next: nameOf(last.place) };
    }
    // Many rows or organizations were read without a key to list: the next request continues.
    if (next.isEnough) return { records: await toRecords(reader, found), next: nameOf(next.place) };
  }
  return { records: await toRecords(reader, found), next: null };
}

/** A position in the list: a partition that lists keys, in the order of `name`, and the last key seen there. */
type KeyPosition = { readonly source: string; readonly keyId: string };
type KeyPartition = { readonly name: string; readonly pk: string; readonly isTenant: boolean };
type FoundKey = { readonly place: KeyPosition; readonly key?: KeyItem; readonly isEnough?: boolean };

const nameOf = ({ source, keyId }: KeyPosition): string => `${source}/${keyId}`;
const keyPositionOf = (name: string | null): KeyPosition | null => {
  const [source = "", keyId = ""] = name?.split("/") ?? [];
  return name === null ? null : { source, keyId };
};

/** Sorts before every UUID. */
const tenantSource = "-";

function keyPartitionsOf({ principal, scope }: Reader, after: KeyPosition | null): KeyPartition[] {
  const { kind } = principal.key;
  const hasTenantKeys = (kind === "workspace" || kind === "instance") && scope.selector === "all";
  const sources: KeyPartition[] = [
    ...(hasTenantKeys
      ? [
          {
            name: tenantSource,
            pk: kinds.keyRow.partition({ tenant: principal.tenant }),
            isTenant: true,
          },
        ]
      : []),
    ...scope.organizations.map(({ uuid }) => ({
      name: uuid,
      pk: kinds.keyRow.partition({ tenant: organizationTenant(uuid) }),
      isTenant: false,
    })),
  ];
  return sources
    .filter(({ name }) => after === null || name >= after.source)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function* foundKeys(
  reader: Reader,
  after: KeyPosition | null,
  limit: number,
): AsyncGenerator<FoundKey> {
  const sources = keyPartitionsOf(reader, after);
  const { organizationsAtOnce, organizationsPerPageMax } = keyLimits;
  let rowsRead = 0;
  for (const [index, chunk] of chunksOf(sources, organizationsAtOnce).entries()) {
    const some = chunk.map((source) => {
      const range = rangeOf(source, after, limit);
      const firstPage = reader.table.queryPage(range);
      // It is awaited later; until then a failure must not count as unhandled.
      firstPage.catch(() => {});
      return { source, range, firstPage };
    });
    for (const { source, range, firstPage } of some) {
      for await (const page of pagesOf(reader.table, range, firstPage)) {
        yield* keysOf(reader, source, page);
        rowsRead += page.items.length;
        const last = page.items.at(-1);
        const isSpent = rowsRead >= limit + walkLimits.passedOverMax;
        const isEnd = !page.resume && source === sources.at(-1);
        if (last && isSpent && !isEnd)
          yield { place: { source: source.name, keyId: keyOfRow(last.sk) }, isEnough: true };
      }
    }
    const last = some.at(-1);
    const lookedAt = (index + 1) * organizationsAtOnce;
    if (last && lookedAt < sources.length && lookedAt >= organizationsPerPageMax) {
      yield { place: { source: last.source.name, keyId: afterEveryKey }, isEnough: true };
    }
  }
}

/** Sorts after every key id, because key ids begin with `k`. */
const afterEveryKey = "~";

function rangeOf({ name, pk }: KeyPartition, after: KeyPosition | null, limit: number): Range {
  const from = after?.source === name ? after.keyId : "";
  return {
    pk,
    after: `${keyRowsPrefix}${from}`,
    upTo: `${keyRowsPrefix}${afterEveryKey}`,
    pageItems: itemsPerQuery(limit),
  };
}

async function* pagesOf(table: Table, range: Range, firstPage: Promise<ItemPage>): AsyncGenerator<ItemPage> {
  let page = await firstPage;
  yield page;
  while (page.resume) {
    page = await table.queryPage(range, page.resume);
    yield page;
  }
}

/** Leaves out instance keys in an organization's rows: they use its roles, but are listed with the instance. */
async function* keysOf({ table }: Reader, source: KeyPartition, page: ItemPage): AsyncGenerator<FoundKey> {
  const rows = page.items.filter(({ kind }) => source.isTenant || kind !== "instance");
  const items = await table.getMany(rows.map(({ sk }) => kinds.apiKey.key({ keyId: keyOfRow(sk) })));
  for (const key of items.filter((item) => item !== undefined).map(parseKey))
    yield { place: { source: source.name, keyId: key.id }, key };
}

async function toRecords(
  { table, clock, principal }: Reader,
  found: ReadonlyArray<{ readonly key: KeyItem }>,
) {
  const listed = found.map(({ key }) => key);
  const [keys, names] = await Promise.all([readUses(table, listed), providerIds(table, principal, listed)]);
  const shown = (uuids: readonly string[]) =>
    uuids.map((uuid) => names.get(uuid)).filter((name) => name !== undefined);
  return keys.map((key) => {
    const uuids = key.kind === "instance" ? key.authorized : key.organization && [key.organization];
    return toKeyRecord(key, uuids ? shown(uuids) : null, clock.nowMs());
  });
}

/** Authentication has read most of these organizations. Only the others are read here. */
async function providerIds(table: Table, { organizations }: Principal, keys: readonly KeyItem[]) {
  const names = new Map(organizations.map((each) => [each.uuid, each.provider_organization_id]));
  const wanted = new Set(
    keys.flatMap(({ organization, authorized }) => [...(authorized ?? []), organization ?? []].flat()),
  );
  const unknown = [...wanted].filter((uuid) => !names.has(uuid));
  const read = (
    await table.getMany(unknown.map((organization) => kinds.organization.key({ organization })))
  ).filter((item) => item !== undefined);
  for (const { uuid, provider_organization_id } of read.map(parseOrganization))
    names.set(uuid, provider_organization_id);
  return names;
}
