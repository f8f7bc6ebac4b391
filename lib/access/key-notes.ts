import { msPerDay } from "../contract/days.ts";
import { newsLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, readOrganizations } from "../store/items/organization.ts";
import { type NewsScope, newsKeys, newsPuts } from "../store/news.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Delete, Put, Table } from "../store/table.ts";
import { keysOfDirectory } from "./key-rows.ts";

/** Webhooks name a key to those who see it in the list of keys: tokens and instance keys belong to the whole tenant. */
const scopeOf = ({ kind, organization, tenant }: KeyItem, of: TenantKey): NewsScope =>
  kind === "workspace" || kind === "instance" ? { tenant, organization: null } : { tenant: of, organization };

const daysBefore = (endMs: number) => newsLimits.keyExpiryDays.map((days) => endMs - days * msPerDay);

const noteOf = ({ id, authorized }: KeyItem, nowMs: number, expiresMs: number) =>
  ({ type: "key.expiring", id, nowMs, authorized, expiresMs }) as const;

/** The notes that a key expires soon, for the transaction that makes it. `tenant`: of its organization, today. */
export function keyNotes(key: KeyItem, nowMs: number, tenant: TenantKey = key.tenant): Put[] {
  const { expires_at_ms: expiresMs } = key;
  if (expiresMs === null) return [];
  const note = noteOf(key, nowMs, expiresMs);
  return daysBefore(expiresMs)
    .filter((dueMs) => dueMs >= nowMs)
    .flatMap((dueMs) => newsPuts(scopeOf(key, tenant), { ...note, dueMs }));
}

/** Ends the notes of a key, when it ends. */
export function endKeyNotes(
  key: KeyItem,
  organization: Pick<OrganizationItem, "tenant" | "leaving"> | null,
): Delete[] {
  const { id, rotated_to, expires_at_ms: endMs } = key;
  // A key that the last release rotated has none: its end is the end of its grace.
  if (endMs === null || rotated_to !== null) return [];
  const { tenant = key.tenant, leaving = tenant } = organization ?? {};
  const places = [tenant, leaving].flatMap((each) =>
    daysBefore(endMs).flatMap((dueMs) => newsKeys(scopeOf(key, each), dueMs, id)),
  );
  return [...new Map(places.map((key) => [`${key.pk} ${key.sk}`, { delete: key }])).values()];
}

/**
 * Writes the notes of keys that an earlier release made. It runs each day, so a note may be due since the day before:
 * its webhooks ring now. A run reads thousands of keys in a second and needs no place to continue from. A key that ends
 * in this moment may keep its notes: then a ring names it in vain. Returns how many notes were missing.
 */
export async function noteKeys({ table, clock }: Pick<Store, "table" | "clock">): Promise<number> {
  let noted = 0;
  for await (const keys of keysOfDirectory(table)) {
    const nowMs = clock.nowMs();
    const wanted = await wantedNotes(table, keys, nowMs);
    // The organization's own copy is the last one, and is written last.
    const places = wanted.flatMap(({ scope, dueMs, key }) => newsKeys(scope, dueMs, key.id).slice(-1));
    const found = await table.getMany(places);
    for (const { key, scope, dueMs, expiresMs } of wanted.filter((_, index) => !found[index])) {
      const note = { ...noteOf(key, nowMs, expiresMs), dueMs: Math.max(dueMs, nowMs) };
      for (const put of newsPuts(scope, note)) await table.write(put);
      noted++;
    }
  }
  return noted;
}

async function wantedNotes(table: Table, keys: readonly KeyItem[], nowMs: number) {
  const live = keys.filter((key) => isLive(key, nowMs) && key.rotated_to === null);
  const uuids = live.flatMap(({ organization }) => organization ?? []);
  const organizations = await readOrganizations(table, uuids);
  const tenants = new Map(organizations.map(({ uuid, tenant }) => [uuid, tenant]));
  return live.flatMap((key) => {
    const { organization, tenant, created_at, expires_at_ms: expiresMs } = key;
    if (expiresMs === null) return [];
    const scope = scopeOf(key, tenants.get(organization ?? "") ?? tenant);
    const fromMs = Math.max(nowMs - msPerDay, Date.parse(created_at));
    return daysBefore(expiresMs)
      .filter((dueMs) => dueMs >= fromMs)
      .map((dueMs) => ({ key, scope, dueMs, expiresMs }));
  });
}
