import * as kinds from "../contract/items.ts";
import { storeLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseNews } from "../store/items/webhook.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { queryAll, transactIf } from "../store/table.ts";

/**
 * Moves the notes for webhooks. Each gets a new place, because the marks of webhooks may have passed the old one: the
 * organization's own webhooks may ring twice about a note, and miss none.
 */
export async function moveNews(
  { table, clock }: Store,
  { uuid, tenant }: OrganizationItem,
  from: TenantKey,
): Promise<void> {
  while (true) {
    const items = await Array.fromAsync(queryAll(table, kinds.news.range({ tenant: from })));
    const notes = items.map(parseNews);
    const own = notes.filter(({ organization }) => organization === uuid);
    if (own.length === 0) return;
    const momentMs = clock.nowMs();
    const moves = own.map((note, index) => {
      const place = { time: toTimestamp(momentMs + index), organization: uuid, id: note.id };
      return [
        { put: { ...note, ...kinds.news.key({ tenant, ...place }) }, momentMs },
        // Another run may move it: then this transaction is refused, and the rest is read again.
        { delete: { pk: note.pk, sk: note.sk }, when: { present: "pk" } },
      ];
    });
    for (const some of chunksOf(moves, storeLimits.transactionActionsMax / 2))
      await transactIf(table, some.flat());
  }
}
