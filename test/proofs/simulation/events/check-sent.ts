import * as z from "zod";
import * as kinds from "../../../../lib/contract/items.ts";
import { organizationTenant, workspaceTenant } from "../../../../lib/contract/tenants.ts";
import type { Item, Key } from "../../../../lib/store/table.ts";
import { organizations, type SimulatedEvent, users } from "./history.ts";
import { byVersion } from "./platform.ts";
import { Violation } from "./violation.ts";

type Find = (key: Key) => Item | undefined;

const workspaceData = z.object({ seats_purchased: z.number() });
const organizationData = z.object({
  provider_organization_id: z.string(),
  workspace_id: z.string().nullable(),
  seats_purchased: z.number(),
  seat_assignment_mode: z.string(),
});
const memberData = z.object({
  provider_organization_id: z.string(),
  user_id: z.string(),
  email: z.string().nullable(),
  role: z.string(),
  seat_assigned: z.boolean(),
  active: z.boolean(),
});
const pullRequestData = z.object({ provider_organization_id: z.string(), author_id: z.string() });

/**
 * Compares what the events say about people and seats with the stored items: seats bought, the pool of every
 * organization, who is active, the initial role and the initial wish for a seat, and who has earned one. `checkPeople`
 * then compares the stored items with each other: who has a seat follows from these.
 */
export function checkSent(
  sent: readonly SimulatedEvent[],
  find: Find,
  modeChanged: ReadonlySet<string>,
): void {
  const good = sent.filter(({ fate }) => fate === "good").toSorted(byVersion);
  const dataOf = <Data>(type: string, schema: z.ZodType<Data>): Data[] =>
    good.filter((event) => event.type === type).map(({ data }) => schema.parse(data));
  const pullRequests = dataOf("pull_request.finalized", pullRequestData);
  const members = dataOf("member.saved", memberData);
  const workspace = dataOf("workspace.saved", workspaceData).at(-1);
  expectSaid(find(kinds.tenant.key({ tenant: workspaceTenant("acme") })), {
    seats_purchased: workspace?.seats_purchased,
  });
  for (const { id, uuid } of organizations) {
    const saved = dataOf("organization.saved", organizationData).filter(isOf(id));
    const newest = saved.at(-1);
    const tenant = newest?.workspace_id ? workspaceTenant(newest.workspace_id) : organizationTenant(uuid);
    expectSaid(find(kinds.organization.key({ organization: uuid })), {
      tenant,
      seats_purchased: newest?.seats_purchased,
    });
    const isAutomatic = saved[0]?.seat_assignment_mode === "automatic";
    // The earliest event may wait for the workspace while others are applied: a seat earned meanwhile stays.
    const mayHaveBeenAutomatic = saved.some(({ seat_assignment_mode: mode }) => mode === "automatic");
    const authors = new Set(pullRequests.filter(isOf(id)).map(({ author_id }) => author_id));
    for (const user of users) {
      const own = members.filter(isOf(id)).filter(({ user_id }) => user_id === user);
      const [first, last] = [own[0], own.at(-1)];
      const stored = find(kinds.member.key({ organization: uuid, userId: user }));
      if (!first || !last) {
        if (stored) throw new Violation("missed", `${user} is a member though no event says so`);
        continue;
      }
      const { email, active } = last;
      expectSaid(stored, { email, active, role: first.role, seat_wanted: first.seat_assigned });
      const hasEarned = stored?.seat_earned === true;
      // An admin changed the mode at an unknown time: the pull requests before it may count or not.
      const mayEarn = authors.has(user) && (mayHaveBeenAutomatic || modeChanged.has(uuid));
      const mustEarn = authors.has(user) && isAutomatic && !modeChanged.has(uuid);
      if ((hasEarned && !mayEarn) || (!hasEarned && mustEarn))
        throw new Violation("missed", `${user} has ${hasEarned ? "" : "not "}earned a seat`);
    }
  }
}

const isOf =
  (id: string) =>
  ({ provider_organization_id }: { readonly provider_organization_id: string }): boolean =>
    provider_organization_id === id;

function expectSaid(stored: Item | undefined, said: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(said)) {
    if (stored?.[name] !== value)
      throw new Violation("missed", `${stored?.pk} ${stored?.sk}: ${name} is not what the events say`);
  }
}
