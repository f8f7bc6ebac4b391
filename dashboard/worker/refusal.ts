import type { OperationName } from "../../lib/client/client.ts";
import { isWithinOnly } from "../../lib/contract/only.ts";
import { type Organization, reasonLeftOut } from "../../lib/report/left-out.ts";
import type { KeyIdentity } from "../protocol.ts";
import { policies } from "./contract.generated.ts";

/**
 * Why this key may not call an operation, as a sentence; null if no reason is known; empty for a narrow key, because
 * the page says once what such a key shows. The page does not send calls that would be refused: every refused use of a
 * key creates an entry in the audit log.
 */
export function refusalOf(
  identity: Pick<KeyIdentity, "key" | "role" | "permissions" | "scope">,
  name: OperationName,
  parameter?: string,
  organizations: readonly Organization[] = identity.scope.organizations,
): string | null {
  return refusalOfKey(identity, name, parameter) ?? refusalOfScope(identity, name, organizations);
}

function refusalOfKey(
  { key, role, permissions }: Pick<KeyIdentity, "key" | "role" | "permissions">,
  name: OperationName,
  parameter: string | undefined,
): string | null {
  const { kinds, needs, needsOfKind, only, parameters } = policies[name];
  if (!isWithinOnly(key.only, only)) return "";
  const more = parameter === undefined ? undefined : parameters[parameter];
  const allNeeds = [needs, more?.needs, needsOfKind[key.kind]].filter((needed) => typeof needed === "string");
  const refusing = [kinds, more?.kinds].find((accepted) => accepted && !accepted.includes(key.kind));
  if (refusing) {
    const [needed] = allNeeds;
    const also = needed === undefined ? "" : `, with ${needWords(needed)}`;
    return `Keys of kind ${key.kind} cannot read it. Keys of kind ${refusing.join(", ")} can${also}.`;
  }
  const missing = allNeeds.find((needed) =>
    needed === "admin" ? role !== "cr_admin" : !permissions.includes(needed),
  );
  return missing === undefined ? null : `It needs a key with ${needWords(missing)}.`;
}

/** Some of the organizations must be on the plan, and for metrics also send them. */
function refusalOfScope(
  { key, scope }: Pick<KeyIdentity, "key" | "scope">,
  name: OperationName,
  organizations: readonly Organization[],
): string | null {
  const { plan, needsMetrics, actsOnHome } = policies[name];
  const isHome = ({ id }: Organization) => id === scope.home?.id;
  const acting = key.kind === "instance" && actsOnHome ? scope.organizations.filter(isHome) : organizations;
  if (name !== "whoami" && acting.length === 0) return "None of these organizations is in the key's scope.";
  if (plan === "any") return null;
  const reasons = acting.map((each) => reasonLeftOut(each, needsMetrics));
  if (reasons.includes(null)) return null;
  const named = acting.map((each, index) => `${each.name}: ${reasons[index]}`);
  return `${named.join("; ")}.`;
}

const needWords = (needed: string): string =>
  needed === "admin" ? "the Admin role (cr_admin)" : `a role that has the permission ${needed}`;
