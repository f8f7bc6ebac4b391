import { auditRetentionDays } from "../runtime/environment.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Put } from "../store/table.ts";
import { type Actor, type AuditEvent, auditWritesFor, operator } from "./entry.ts";

/**
 * Who makes changes that no person and no key makes: platform events, the end of an approval delay, and the worker that
 * disables webhooks.
 */
type SystemName = "platform" | "deadline" | "webhooks";
const system = (name: SystemName): Actor => ({ ...operator, name });

/** The writes of the entry of a change that the service made by itself, for the same transaction. */
export const systemEntry = (
  { clock, random }: Pick<Store, "clock" | "random">,
  event: AuditEvent,
  by: SystemName = "platform",
): Put[] =>
  auditWritesFor(
    {
      clock,
      random,
      retentionDays: auditRetentionDays(),
      actor: system(by),
      ipAddress: null,
      requestId: null,
    },
    event,
  );
