import { Refused } from "../access/authenticate.ts";
import { actorOf } from "../access/principal.ts";
import { recordRefusal } from "../audit/refusals.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import type { Fault } from "../contract/fault.ts";
import { describeError, log } from "../runtime/log.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseMember } from "../store/items/people.ts";
import { memberKey } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Exchange } from "./exchange.ts";
import { gatewayRequestIdOf, sourceIpOf } from "./headers.ts";

/** What turns a key away, as against what is wrong with a request. */
const refusingStatuses = new Set([401, 402, 403, 410, 429]);
const refuses = (code: ErrorCode): boolean =>
  refusingStatuses.has(errorCodes[code].status) || code === "ORGANIZATION_NOT_FOUND";

/** The answer is decided: whatever happens here changes nothing about it. */
export async function auditRefusal(deps: Dependencies, exchange: Exchange, fault: Fault): Promise<void> {
  const { principal } = exchange;
  const key = fault instanceof Refused ? fault.key : principal?.key;
  if (!key || !refuses(fault.code)) return;
  const reason = fault instanceof Refused ? fault.reason : fault.code;
  if (deps.refusals.isTold(key.id, reason, deps.clock.nowMs())) return;
  try {
    const userName = principal ? principal.userName : await readUserName(exchange.table, key);
    await recordRefusal(
      { ...deps, table: exchange.table },
      {
        key,
        actor: actorOf({ key, userName }),
        reason,
        operation: exchange.operation.id,
        ipAddress: sourceIpOf(exchange.event),
        requestId: exchange.requestId,
        gatewayRequestId: gatewayRequestIdOf(exchange.event),
      },
    );
    deps.refusals.tell(key.id, reason, deps.clock.nowMs());
  } catch (error) {
    log("warn", "refusal not audited", { request_id: exchange.requestId, cause: describeError(error) });
  }
}

/** A key that is turned away before anybody looks up its member: the entry names the member all the same. */
async function readUserName(table: Table, { kind, organization, owner }: KeyItem): Promise<string | null> {
  if (kind !== "user" || organization === null || owner === null) return null;
  const item = await table.get(memberKey(organization, owner));
  return item ? parseMember(item).username : null;
}
