import * as z from "zod";
import { deployments, metricsStates, plans, providers, seatAssignmentModes } from "../../contract/access.ts";
import type { TenantKey } from "../layout.ts";
import { parseItem } from "./parse.ts";

const tenantKey = z.custom<TenantKey>((value) => typeof value === "string" && /^[wio]#./s.test(value));

/** Stands twice: in its own partition (canonical), and in its tenant's, where one Query finds them all. */
const organizationItem = z.object({
  pk: z.string(),
  sk: z.string(),
  uuid: z.string(),
  provider: z.enum(providers),
  instance_id: z.string().nullable(),
  provider_organization_id: z.string(),
  name: z.string(),
  tenant: tenantKey,
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
});

export type OrganizationItem = z.output<typeof organizationItem>;
export const parseOrganization = parseItem("organization", organizationItem);
