import { type AuditedContext, operatorOrigin } from "../../lib/audit/entry.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Table } from "../../lib/store/table.ts";

/** The dependencies of whatever writes an audit entry, as the operator. */
export const operatorDeps = (table: Table, retentionDays: number): AuditedContext => ({
  table,
  clock: systemClock,
  random: systemRandom,
  retentionDays,
  ...operatorOrigin,
});
