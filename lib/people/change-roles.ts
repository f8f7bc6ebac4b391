import { type Changing, changeEntry } from "../audit/entry.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import { certain } from "../runtime/certain.ts";
import { decideAnew } from "../store/decide.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type PeopleItem, parseMember, parsePeople } from "../store/items/people.ts";
import { memberKey, peopleKey } from "../store/layout.ts";
import type { Item } from "../store/table.ts";
import { chunksOf, Outcomes } from "./batch.ts";
import { roleWrites } from "./roles.ts";

const messages = {
  USER_NOT_FOUND: "There is no such active member.",
  LAST_ADMIN: "An organization keeps at least one admin.",
  BILLING_ADMIN_PROTECTED: "A billing admin's role is not changed here.",
} as const satisfies Partial<Record<ItemErrorCode, string>>;

/** In input order; the last admin stays an admin, whatever runs at once. */
export async function changeRoles(
  context: Changing,
  organization: OrganizationItem,
  role: string,
  userIds: readonly string[],
): Promise<Outcomes> {
  const ids = [...new Set(userIds)];
  const outcomes = new Outcomes(ids);
  const read = await readTogether(context, organization.uuid, ids);
  let { guard } = read;
  let start = 0;
  for (const chunk of chunksOf(ids, peopleLimits.changedTogetherMax)) {
    const stored = read.stored.slice(start, start + chunk.length);
    start += chunk.length;
    guard = await changeTogether(context, organization, role, { ids: chunk, stored, guard }, outcomes);
  }
  return outcomes;
}

type Chunk = {
  readonly ids: readonly string[];
  readonly stored: ReadonlyArray<Item | undefined>;
  readonly guard: PeopleItem;
};

/** One transaction. Answers the guard as it stands after it, for the next one. */
async function changeTogether(
  context: Changing,
  organization: OrganizationItem,
  role: string,
  first: Chunk,
  outcomes: Outcomes,
): Promise<PeopleItem> {
  let read: Chunk | undefined = first;
  return await decideAnew(context, async () => {
    const chunk = read ?? (await readTogether(context, organization.uuid, first.ids));
    read = undefined;
    const { changing, failures, admins } = judge(chunk, role);
    if (changing.length > 0) {
      const ids = changing.map((item) => parseMember(item).user_id);
      await context.table.transact([
        ...roleWrites(organization.uuid, changing, role),
        ...entry(context, organization, role, ids, failures),
      ]);
    }
    for (const [id, code] of failures) outcomes.fail(id, code, messages[code]);
    return { ...chunk.guard, counts: { ...chunk.guard.counts, cr_admin: admins } };
  });
}

/** Decides in input order on what was read; the transaction's conditions hold the decision to it. */
function judge({ ids, stored, guard }: Chunk, role: string) {
  let admins = certain(guard.counts.cr_admin, "count of admins");
  const changing: Item[] = [];
  const failures: Array<[string, keyof typeof messages]> = [];
  for (const [index, id] of ids.entries()) {
    const item = stored[index];
    const member = item && parseMember(item);
    if (!item || !member?.active) failures.push([id, "USER_NOT_FOUND"]);
    else if (member.role === "cr_billing_admin") failures.push([id, "BILLING_ADMIN_PROTECTED"]);
    else if (member.role === role && member.role_decided) continue;
    else if (member.role === "cr_admin" && role !== "cr_admin" && admins <= 1)
      failures.push([id, "LAST_ADMIN"]);
    else {
      if (member.role === "cr_admin") admins--;
      if (role === "cr_admin") admins++;
      changing.push(item);
    }
  }
  return { changing, failures, admins };
}

async function readTogether({ table }: Changing, uuid: string, ids: readonly string[]): Promise<Chunk> {
  const [guard, ...stored] = await table.getMany([peopleKey(uuid), ...ids.map((id) => memberKey(uuid, id))]);
  return { ids, stored, guard: parsePeople(certain(guard, "guard of the people")) };
}

const entry = (
  context: Changing,
  organization: OrganizationItem,
  role: string,
  ids: readonly string[],
  failures: ReadonlyArray<readonly [string, ItemErrorCode]>,
) =>
  changeEntry(context, {
    action: "roles.changed",
    resourceType: "member",
    resourceId: null,
    summary: `Role ${role} given to ${ids.length}`,
    tenant: organization.tenant,
    organization: { uuid: organization.uuid, providerId: organization.provider_organization_id },
    metadata: { role, ids: [...ids], failed: failures.map(([id, code]) => ({ id, code })) },
  });

export type EverywhereFailure = {
  readonly id: string;
  readonly code: ItemErrorCode;
  readonly message: string;
  readonly organizations: ReadonlyArray<{
    readonly org_id: string;
    readonly code: ItemErrorCode;
    readonly message: string;
  }>;
};

/** Each organization by itself and not atomic: a user succeeds only where every organization did. */
export async function changeRolesEverywhere(
  context: Changing,
  organizations: readonly OrganizationItem[],
  role: string,
  userIds: readonly string[],
): Promise<{ readonly outcomes: Outcomes; readonly failed: readonly EverywhereFailure[] }> {
  const ids = [...new Set(userIds)];
  const outcomes = new Outcomes(ids);
  const failed = new Map<string, EverywhereFailure>();
  for (const some of chunksOf(organizations, peopleLimits.organizationsAtOnce)) {
    // All of them end before any fault goes on: nothing is still writing when the caller hears of it.
    const changed = await Promise.allSettled(
      some.map(async (each) => ({
        org_id: each.provider_organization_id,
        changed: await changeRoles(context, each, role, ids),
      })),
    );
    for (const settled of changed) {
      if (settled.status === "rejected") throw settled.reason;
      for (const { id, code, message } of settled.value.changed.failed) {
        const place = { org_id: settled.value.org_id, code, message };
        const places = [...(failed.get(id)?.organizations ?? []), place];
        const summary = `Failed in ${places.length} of ${organizations.length} organizations.`;
        outcomes.fail(id, code, summary);
        failed.set(id, { id, code, message: summary, organizations: places });
      }
    }
  }
  return { outcomes, failed: ids.flatMap((id) => failed.get(id) ?? []) };
}
