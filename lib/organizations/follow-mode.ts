import * as kinds from "../contract/items.ts";
import { seatReviewedAuthors } from "../people/automatic-seats.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { authorPages } from "../stream/pointer.ts";

/**
 * An organization has the seat mode of its earliest event. If that event arrives after others and says `automatic`, the
 * authors of the pull requests that are already stored are due a seat too. The organization is marked (`seats_behind`)
 * in the transaction that changes its mode, so that an interrupted run is repeated. Seats that an earlier known mode
 * gave are kept.
 */
export async function followMode(store: Store, { uuid, first_version }: OrganizationItem): Promise<void> {
  const known = new Set<string>();
  for await (const page of authorPages(store.table, uuid)) {
    const authors = page.filter((author) => !known.has(author));
    await seatReviewedAuthors(store, uuid, authors);
    for (const author of authors) known.add(author);
  }
  await retryOnConflict(store, async () => {
    const item = await store.table.get(kinds.organization.key({ organization: uuid }));
    const organization = item && parseOrganization(item);
    // An even earlier event has arrived: its own run follows it.
    if (organization?.first_version !== first_version) return;
    const { tenant } = organization;
    const change = { remove: ["seats_behind"] };
    const when = { equals: ["first_version", first_version] } as const;
    await store.table.transact([
      { update: kinds.organization.key({ organization: uuid }), change, when },
      {
        update: kinds.tenantOrganization.key({ tenant, organization: uuid }),
        change,
        when: { present: "pk" },
      },
    ]);
  });
}
