import { auditRetentionDays } from "../runtime/environment.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Put } from "../store/table.ts";
import { type Actor, type AuditEvent, auditWritesFor } from "./entry.ts";

/** The actor of changes that platform events make: no person and no key made them. */
const platform: Actor = { type: "system", id: null, name: "platform", keyId: null, keyKind: null };

/** The writes of the entry of a change that an event made, for the same transaction. */
export const systemEntry = ({ clock, random }: Pick<Store, "clock" | "random">, event: AuditEvent): Put[] =>
  auditWritesFor(
    { clock, random, retentionDays: auditRetentionDays(), actor: platform, ipAddress: null, requestId: null },
    event,
  );
