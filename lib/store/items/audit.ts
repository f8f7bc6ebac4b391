import * as z from "zod";
import { auditRecord } from "../../contract/records-audit.ts";
import { parseItem } from "./parse.ts";

/** The record as the API returns it, and its owner. */
const auditItem = auditRecord.extend({
  actor: auditRecord.shape.actor.extend({
    /** The last release did not store it. */
    email: z.string().nullable().default(null),
  }),
  pk: z.string(),
  sk: z.string(),
  /** Service UUID of the organization; null if the entry belongs to a whole workspace or instance. */
  organization: z.string().nullable(),
  /** UUIDs of the organizations whose logs show an entry that belongs to a whole workspace. */
  organizations: z.array(z.string()).optional(),
  /** Service UUID of an organization that moved here and brought this entry of its former workspace along. */
  log_of: z.string().optional(),
  ttl: z.number(),
});

export type AuditItem = z.output<typeof auditItem>;
export const parseAudit = parseItem("audit entry", auditItem);
