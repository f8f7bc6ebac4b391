import type { Command } from "../command.ts";
import { formatRecord } from "../terminal.ts";
import { overHttp } from "./call.ts";

const whoami: Command = overHttp({
  name: "",
  summary: "Show the kind of the key, its scope and its permissions",
  examples: ["whoami", "whoami --json"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const { body } = await client.whoami();
      if (input.flag("json")) return terminal.out(JSON.stringify(body));
      const { key, scope, user_id, role, permissions } = body;
      const record = {
        ...key,
        only: key.only?.join(", ") ?? null,
        scope: `${scope.tenant} ${scope.tenant_id}`,
        organizations: scope.organizations.map(({ name }) => name).join(", "),
        user_id,
        role,
        permissions: permissions.join(", "),
      };
      terminal.out(formatRecord(record, terminal.paint));
    }),
});

export const commands: readonly Command[] = [whoami];
