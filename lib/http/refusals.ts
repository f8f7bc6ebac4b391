import { Refused } from "../access/authenticate.ts";
import { recordRefusal } from "../audit/refusals.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Fault } from "../contract/fault.ts";
import { describeError, log } from "../runtime/log.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Exchange } from "./exchange.ts";
import { sourceIpOf } from "./headers.ts";

/** What turns a key away, as against what is wrong with a request or with the organization's metrics. */
const refusingCodes = new Set<ErrorCode>([
  "UNAUTHORIZED",
  "LEGACY_API_KEY",
  "KEY_TYPE_FORBIDDEN",
  "WORKSPACE_ADMIN_REQUIRED",
  "ORGANIZATION_FORBIDDEN",
  "NO_ACTIVE_SUBSCRIPTION",
  "SELF_HOSTED_ONLY",
  "ENTERPRISE_PLAN_REQUIRED",
  "NOT_ADMIN",
  "PERMISSION_DENIED",
]);

/** The answer is decided: whatever happens here changes nothing about it. */
export async function auditRefusal(deps: Dependencies, exchange: Exchange, fault: Fault): Promise<void> {
  const key = fault instanceof Refused ? fault.key : exchange.principal?.key;
  if (!key || !refusingCodes.has(fault.code)) return;
  try {
    await recordRefusal(
      { ...deps, table: exchange.table },
      {
        key,
        reason: fault instanceof Refused ? fault.reason : fault.code,
        operation: exchange.operation.id,
        ipAddress: sourceIpOf(exchange.event),
        requestId: exchange.requestId,
      },
    );
  } catch (error) {
    log("warn", "refusal not audited", { request_id: exchange.requestId, cause: describeError(error) });
  }
}
