import { Refused } from "../access/authenticate.ts";
import { recordRefusal } from "../audit/refusals.ts";
import type { Fault } from "../contract/fault.ts";
import { describeError, log } from "../runtime/log.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Exchange } from "./exchange.ts";

/** What turns a key away, as against what is wrong with a request. */
const refusingStatuses = new Set([401, 403, 410]);

/** The answer is decided: whatever happens here changes nothing about it. */
export async function auditRefusal(deps: Dependencies, exchange: Exchange, fault: Fault): Promise<void> {
  const key = fault instanceof Refused ? fault.key : exchange.principal?.key;
  if (!key || !refusingStatuses.has(fault.status)) return;
  try {
    await recordRefusal(
      { ...deps, table: exchange.table },
      {
        key,
        reason: fault instanceof Refused ? fault.reason : fault.code,
        operation: exchange.operation.id,
        ipAddress: exchange.event.requestContext?.identity?.sourceIp ?? null,
        requestId: exchange.requestId,
      },
    );
  } catch (error) {
    log("warn", "refusal not audited", { request_id: exchange.requestId, cause: describeError(error) });
  }
}
