import * as z from "zod";
import { itemSchema, parseItem } from "./parse.ts";

/** A custom role's texts; its permissions and its members are in the guard of the organization's people. */
const roleItem = itemSchema({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** The request that created the role: the key, a digest of the body, and the time. Removed when the role changes. */
  made: z.object({ key_id: z.string(), request: z.string(), at_ms: z.number() }).optional(),
});

export type RoleItem = z.output<typeof roleItem>;
export const parseRole = parseItem("role", roleItem);
