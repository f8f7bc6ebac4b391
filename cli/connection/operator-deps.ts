import { type Changing, operatorOrigin } from "../../lib/audit/entry.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { Table } from "../../lib/store/table.ts";

/** The dependencies of whatever writes an audit entry, as the operator. */
export const operatorDeps = (table: Table, retentionDays: number): Changing => ({
  table,
  clock: systemClock,
  chance: systemChance,
  retentionDays,
  ...operatorOrigin,
});
