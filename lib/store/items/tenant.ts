import * as z from "zod";
import { providers } from "../../contract/access.ts";
import { itemSchema, parseItem } from "./parse.ts";

const workspaceItem = itemSchema({
  id: z.string(),
  name: z.string(),
  admins: z.array(z.object({ user_id: z.string(), email: z.string().nullable() })),
  seats_purchased: z.number(),
  active: z.boolean(),
  version: z.string(),
});

const instanceItem = itemSchema({
  id: z.string(),
  name: z.string(),
  provider: z.enum(providers),
  base_url: z.string(),
  active: z.boolean(),
  version: z.string(),
});

export type WorkspaceItem = z.output<typeof workspaceItem>;
export type InstanceItem = z.output<typeof instanceItem>;
export const parseWorkspace = parseItem("workspace", workspaceItem);
export const parseInstance = parseItem("instance", instanceItem);
