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

const needWords = (needed: string): string =>
  needed === "admin" ? "the Admin role (cr_admin)" : `a role that has the permission ${needed}`;
