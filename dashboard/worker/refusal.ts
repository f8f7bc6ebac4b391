import type { OperationName } from "../../lib/client/client.ts";
import type { KeyIdentity } from "../protocol.ts";
import { policies } from "./contract.generated.ts";

/**
 * Why this key may not call an operation, as a sentence; null if no reason is known. The page does not send calls that
 * would be refused: every refused use of a key creates an entry in the audit log.
 */
export function refusalOf(
  { key, role, permissions }: Pick<KeyIdentity, "key" | "role" | "permissions">,
  name: OperationName,
  parameter?: string,
): string | null {
  const { kinds, needs, needsOfKind, parameters } = policies[name];
  const more = parameter === undefined ? undefined : parameters[parameter];
  const refusing = [kinds, more?.kinds].find((accepted) => accepted && !accepted.includes(key.kind));
  if (refusing) return `Keys of kind ${key.kind} cannot read it; keys of kind ${refusing.join(", ")} can.`;
  const missing = [needs, more?.needs, needsOfKind[key.kind]].find(
    (needed) => needed && (needed === "admin" ? role !== "cr_admin" : !permissions.includes(needed)),
  );
  if (!missing) return null;
  return missing === "admin"
    ? "It needs a key with the Admin role (cr_admin)."
    : `It needs a role with the permission ${missing}.`;
}
