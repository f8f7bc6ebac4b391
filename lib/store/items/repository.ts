import * as z from "zod";
import { itemSchema, parseItem } from "./parse.ts";

const repositoryItem = itemSchema({
  /** Service UUID; `id` in the API. */
  uuid: z.string(),
  /** The provider's id, unique within the organization only. */
  repository_id: z.string(),
  name: z.string(),
  full_name: z.string(),
  private: z.boolean().nullable(),
  url: z.string(),
  active: z.boolean(),
  /** Null: the organization's delay applies. */
  approval_delay_days: z.number().nullable(),
  /** `occurred_at#event id` of the newest event applied, and of the earliest (first values only). */
  version: z.string(),
  first_version: z.string(),
  /** Set by the API or the operator: events then do not change the delay. */
  delay_decided: z.boolean().optional(),
});

export type RepositoryItem = z.output<typeof repositoryItem>;
export const parseRepository = parseItem("repository", repositoryItem);
