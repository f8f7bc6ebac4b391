import type { OrganizationItem } from "../lib/store/items/organization.ts";
import type { CommandInput } from "./command.ts";
import { commandFor } from "./show-once.ts";
import type { Terminal } from "./terminal.ts";

/** Says nothing if there are none. */
export function sayWithoutAdmin(
  terminal: Pick<Terminal, "say">,
  input: CommandInput,
  found: readonly OrganizationItem[],
): void {
  if (found.length === 0) return;
  const names = found.map((each) => `${each.provider_organization_id} (${each.name})`).join(", ");
  terminal.say(
    `No admin is left in ${names}. Give somebody the role: ${commandFor(input, "members set-role USER --org ORG --role cr_admin")}.`,
  );
}
