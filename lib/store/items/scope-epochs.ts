import * as z from "zod";
import { providers } from "../../contract/access.ts";
import type { Item } from "../table.ts";
import { itemSchema, parseItem } from "./parse.ts";

/**
 * One per workspace or instance: counts how often an organization became visible there. Such a change takes an epoch in
 * the transaction that writes the organization's row. Readers trust an epoch only after it is published, because a
 * transaction becomes visible item by item: the epoch could be visible before the row.
 */
export type ScopeEpochs = {
  readonly next: number;
  /** The rows of all epochs up to this one are visible to every plain read. */
  readonly published: number;
  /** The organization whose row the last epoch wrote. */
  readonly lastOrganization: string | undefined;
  /** When the last epoch was taken. */
  readonly changedAtMs: number;
  /** How often the audit log of an organization that joined became readable here. */
  readonly logs: number;
  /** The last repair after a restore; undefined: none. */
  readonly restored?: string | undefined;
};

export const noEpochs: ScopeEpochs = {
  next: 1,
  published: 0,
  lastOrganization: undefined,
  changedAtMs: 0,
  logs: 0,
};

const scopeEpochsItem = itemSchema({
  n: z.int(),
  p: z.int(),
  u: z.string(),
  at_ms: z.number(),
  r: z.string().optional(),
  logs: z.int().default(0),
});
const parseStored = parseItem("scope epochs", scopeEpochsItem);

export function parseScopeEpochs(item: Item | undefined): ScopeEpochs {
  if (!item) return noEpochs;
  const { n, p, u, at_ms, r, logs } = parseStored(item);
  return { next: n, published: p, lastOrganization: u, changedAtMs: at_ms, logs, restored: r };
}

/** An organization that was visible here and is not any more, or was not for a while: for mirrors. */
const organizationLeftItem = itemSchema({
  uuid: z.string(),
  provider: z.enum(providers),
  provider_organization_id: z.string(),
  /** The epoch at which it last left. */
  left_epoch: z.int(),
  at_ms: z.number(),
  ttl: z.number(),
});
export type OrganizationLeft = z.output<typeof organizationLeftItem>;
export const parseOrganizationLeft = parseItem("organization that left", organizationLeftItem);
