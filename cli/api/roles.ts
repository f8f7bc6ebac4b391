import type { Command } from "../command.ts";
import { listOptions, showList } from "../listing.ts";
import { orgOption, orgQuery, overHttp } from "./call.ts";

const roles: Command = overHttp({
  name: "",
  summary: "List the roles of an organization, with their permissions and how many people have them",
  options: { ...orgOption, ...listOptions },
  examples: ["roles --org 1001", "roles --org 1001 --format csv"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const query = { ...orgQuery(input), include_permissions: "true", include_user_count: "true" } as const;
      const { body } = await client.listRoles({ query });
      const records = body.roles.map(({ id, name, type, is_default, user_count, permissions = [] }) => ({
        id,
        name,
        type,
        is_default,
        users: user_count,
        permissions: permissions.map((each) => `${each.resource_id}:${each.access_type}`).join(", "),
      }));
      showList(input, terminal, { records, document: body, none: "There are no roles." });
    }),
});

export const commands: readonly Command[] = [roles];
