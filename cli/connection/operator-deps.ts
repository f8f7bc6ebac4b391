import { type AuditedContext, operatorOrigin } from "../../lib/audit/entry.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Table } from "../../lib/store/table.ts";

/** The dependencies of operations that write audit entries, with the operator as actor. */
export const operatorDeps = (table: Table, retentionDays: number): AuditedContext => ({
  table,
  clock: systemClock,
  random: systemRandom,
  retentionDays,
  ...operatorOrigin,
});
