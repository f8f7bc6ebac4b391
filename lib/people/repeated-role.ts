import { createHash } from "node:crypto";
import type { AuditedContext } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { PeopleGuard } from "../store/items/people.ts";
import { parseRole, type RoleItem } from "../store/items/role.ts";

/** Which key created a role, when and with which request. A change of the role removes this mark. */
export type RoleCreation = NonNullable<RoleItem["made"]>;

/** Undefined if the role is not created with a key. */
export function roleCreation({ actor, clock }: AuditedContext, request: unknown): RoleCreation | undefined {
  if (actor.keyId === null) return undefined;
  const digest = createHash("sha256").update(JSON.stringify(request)).digest("base64url");
  return { key_id: actor.keyId, request: digest, at_ms: clock.nowMs() };
}

/**
 * The role that the same key created with the same request a moment ago and that nobody has changed since. A caller who
 * received a 503 cannot know whether the role was created: repeating the request returns that role.
 */
export async function findRepeatedRole(
  { table }: Pick<AuditedContext, "table">,
  organization: string,
  guard: PeopleGuard,
  { id, made, isDefault }: { id: string; made: RoleCreation | undefined; isDefault: boolean },
): Promise<RoleItem | undefined> {
  if (!made || (guard.default_role === id) !== isDefault) return undefined;
  const item = await table.get(kinds.role.key({ organization, roleId: id }));
  const role = item && parseRole(item);
  const isRepeated =
    role?.made?.key_id === made.key_id &&
    role.made.request === made.request &&
    made.at_ms - role.made.at_ms <= peopleLimits.roleRepeatMsMax;
  return isRepeated ? role : undefined;
}
