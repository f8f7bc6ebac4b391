import { type AuditedContext, operatorOrigin } from "../audit/entry.ts";
import { systemClock } from "../runtime/clock.ts";
import { systemRandom } from "../runtime/random.ts";
import type { Table } from "../store/table.ts";

/** The dependencies of operations that write audit entries, with the operator as actor. */
export const operatorDeps = (table: Table, retentionDays: number): AuditedContext => ({
  table,
  clock: systemClock,
  random: systemRandom,
  retentionDays,
  ...operatorOrigin,
});
