import * as z from "zod";
import { deployments, metricsStates, plans, providers, seatAssignmentModes } from "../../contract/access.ts";
import { parseItem, tenantKeySchema } from "./parse.ts";

/** Stands twice: in its own partition (canonical), and in its tenant's, where one Query finds them all. */
const organizationItem = z.object({
  pk: z.string(),
  sk: z.string(),
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
  /** Set by the API or the operator: events then leave these two alone. */
  mode_decided: z.boolean().optional(),
  delay_decided: z.boolean().optional(),
  /** The epoch of its tenant's scope at which it last became visible there; absent: before epochs were counted. */
  visible_epoch: z.number().optional(),
  /** The event that brought it to its tenant; absent: it has always been there. */
  arrived: z.string().optional(),
  /** Which repair after a restore came by last: cursors from before it may have seen what the restore took back. */
  restored: z.string().optional(),
  /** The tenant it comes from, until all its data has followed. */
  leaving: tenantKeySchema.optional(),
});

/** Finds organizations by what the provider calls them, for the operator's tool. */
const organizationDirectoryItem = z.object({
  pk: z.string(),
  sk: z.string(),
  uuid: z.string(),
  provider: z.enum(providers),
  instance_id: z.string().nullable(),
  provider_organization_id: z.string(),
  name: z.string(),
});

export type OrganizationDirectoryItem = z.output<typeof organizationDirectoryItem>;
export const parseOrganizationDirectory = parseItem(
  "organization's directory row",
  organizationDirectoryItem,
);
export type OrganizationItem = z.output<typeof organizationItem>;
export const parseOrganization = parseItem("organization", organizationItem);

/** Its metrics are on their way from one tenant's stream to another's: neither has all of them. */
export const isMoving = ({ leaving }: OrganizationItem): boolean => leaving !== undefined;
