import * as z from "zod";
import { deployments, metricsStates, plans, providers, seatAssignmentModes } from "../../contract/access.ts";
import * as kinds from "../../contract/items.ts";
import type { Table } from "../table.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

/** Stored twice: in its own partition (canonical), and in its tenant's, where one Query finds all organizations. */
const organizationItem = itemSchema({
  uuid: z.string(),
  provider: z.enum(providers),
  instance_id: z.string().nullable(),
  provider_organization_id: z.string(),
  name: z.string(),
  tenant: tenantKeySchema,
  workspace_id: z.string().nullable(),
  plan: z.enum(plans),
  subscription_active: z.boolean(),
  deployment: z.enum(deployments),
  active: z.boolean(),
  metrics: z.enum(metricsStates),
  seats_purchased: z.number(),
  seat_assignment_mode: z.enum(seatAssignmentModes),
  approval_delay_days: z.number(),
  /** `occurred_at#event id` of the newest event applied, and of the earliest (first values only). */
  version: z.string(),
  first_version: z.string(),
  /** Set by the API or the operator: events then do not change these two settings. */
  mode_decided: z.boolean().optional(),
  delay_decided: z.boolean().optional(),
  /** The epoch of its tenant's scope at which it last became visible; absent from before epochs were counted. */
  visible_epoch: z.number().optional(),
  /** The event that moved it to its tenant; absent if it has always been there. */
  arrived: z.string().optional(),
  /** The last repair after a restore: cursors from before it may have seen what the restore undid. */
  restored: z.string().optional(),
  /** The tenant that it left; present until all its data has moved. */
  leaving: tenantKeySchema.optional(),
  /** Its tenant's audit log does not have all its entries yet: readers of the whole tenant do not show it until then. */
  log_behind: z.boolean().optional(),
  /** A late event made its mode automatic: authors of stored pull requests may not have their seats yet. */
  seats_behind: z.boolean().optional(),
});

/** Finds organizations by the provider's id, for the operator's tool. */
const organizationDirectoryItem = itemSchema({
  uuid: z.string(),
  provider: z.enum(providers),
  instance_id: z.string().nullable(),
  provider_organization_id: z.string(),
  name: z.string(),
});

export const parseOrganizationDirectory = parseItem(
  "organization's directory row",
  organizationDirectoryItem,
);
export type OrganizationItem = z.output<typeof organizationItem>;
export const parseOrganization = parseItem("organization", organizationItem);

/** Those that exist, each once. */
export async function readOrganizations(
  table: Table,
  uuids: Iterable<string>,
): Promise<readonly OrganizationItem[]> {
  const keys = [...new Set(uuids)].map((organization) => kinds.organization.key({ organization }));
  return (await table.getMany(keys)).filter((item) => item !== undefined).map(parseOrganization);
}

/** The providers' ids, by UUID. A call knows most of these organizations; only the others are read. */
export async function readProviderIds(
  table: Table,
  known: readonly OrganizationItem[],
  uuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const providerIds = new Map(known.map((each) => [each.uuid, each.provider_organization_id]));
  const unknown = uuids.filter((uuid) => !providerIds.has(uuid));
  for (const { uuid, provider_organization_id } of await readOrganizations(table, unknown))
    providerIds.set(uuid, provider_organization_id);
  return providerIds;
}

/** Its metrics are moving from one tenant's stream to another's: neither stream has all of them. */
export const isMoving = ({ leaving }: OrganizationItem): boolean => leaving !== undefined;
