import * as kinds from "../contract/items.ts";
import { storeLimits } from "../contract/limits.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type NewsItem, parseNews } from "../store/items/webhook.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { queryAll, type TransactionWrite, transactIf } from "../store/table.ts";

/**
 * Moves the notes for webhooks: the organization's own copies stay, and its new tenant gets copies of them. A copy of a
 * note that is due already gets a new place, because the marks of the tenant's webhooks may have passed the old one.
 */
export async function moveNews(
  { table, clock }: Store,
  { uuid, tenant }: OrganizationItem,
  from: TenantKey,
): Promise<void> {
  const own = organizationTenant(uuid);
  const pk = kinds.news.partition({ tenant: own });
  /** Another run may do the same: then a transaction is refused, and the rest is read again. */
  const moveAll = async (
    of: TenantKey,
    isLeft: (note: NewsItem) => boolean,
    writes: (note: NewsItem, index: number) => TransactionWrite[],
  ) => {
    while (true) {
      const items = await Array.fromAsync(queryAll(table, kinds.news.range({ tenant: of })));
      const left = items.map(parseNews).filter((note) => note.organization === uuid && isLeft(note));
      if (left.length === 0) return;
      for (const some of chunksOf(left.map(writes), storeLimits.transactionActionsMax / 2))
        await transactIf(table, some.flat());
    }
  };
  if (from !== own)
    await moveAll(
      from,
      () => true,
      (note) => [
        // The last release wrote no copy for the organization.
        ...(note.tenant === undefined ? [{ put: { ...note, pk } }] : []),
        { delete: { pk: note.pk, sk: note.sk }, when: { present: "pk" } },
      ],
    );
  await moveAll(
    own,
    (note) => note.tenant !== tenant,
    (note, index) => {
      const { id, sk } = note;
      const momentMs = clock.nowMs();
      const time = toTimestamp(Math.max(Date.parse(sk.split("#", 1).join()), momentMs + index));
      const copy = { ...note, tenant, ...kinds.news.key({ tenant, time, organization: uuid, id }) };
      return [
        ...(tenant === own ? [] : [{ put: copy, momentMs }]),
        {
          put: { ...note, tenant },
          when: { all: [{ present: "pk" }, { differs: ["tenant", tenant] }] },
        },
      ];
    },
  );
}
