import { auditRetentionDays } from "../runtime/environment.ts";
import type { Store } from "../store/decide.ts";
import type { Put } from "../store/table.ts";
import { type Actor, type AuditEvent, changeEntry } from "./entry.ts";

/** What platform events change by themselves: no person and no key did it. */
const platform: Actor = { type: "system", id: null, name: "platform", keyId: null, keyKind: null };

/** The entry of a change that an event made, to go into the same transaction. */
export const systemEntry = ({ clock, chance }: Pick<Store, "clock" | "chance">, event: AuditEvent): Put[] =>
  changeEntry(
    { clock, chance, retentionDays: auditRetentionDays(), actor: platform, ipAddress: null, requestId: null },
    event,
  );
