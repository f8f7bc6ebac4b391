import * as z from "zod";
import { itemSchema, parseItem } from "./parse.ts";

const teamItem = itemSchema({
  /** The platform's id, unique within the organization only. */
  team_id: z.string(),
  name: z.string(),
  /** The provider's user ids, sorted. Empty for an inactive team. */
  user_ids: z.array(z.string()),
  active: z.boolean(),
  /** `occurred_at#event id` of the newest event applied. */
  version: z.string(),
});

export type TeamItem = z.output<typeof teamItem>;
export const parseTeam = parseItem("team", teamItem);
