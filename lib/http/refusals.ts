import { AuthenticationError } from "../access/authenticate.ts";
import { actorOf } from "../access/principal.ts";
import { recordRefusal } from "../audit/refusals.ts";
import type { ApiError } from "../contract/api-error.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import * as kinds from "../contract/items.ts";
import { describeError, log } from "../runtime/log.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseMember } from "../store/items/people.ts";
import type { Table } from "../store/table.ts";
import type { Dependencies } from "./dependencies.ts";
import { gatewayRequestIdOf, sourceIpOf } from "./headers.ts";
import type { RequestRecord } from "./request-record.ts";

/** Statuses that refuse a key, as opposed to statuses for a mistake in the request. */
const refusingStatuses = new Set([401, 402, 403, 410, 429]);
const refuses = (code: ErrorCode): boolean =>
  refusingStatuses.has(errorCodes[code].status) || code === "ORGANIZATION_NOT_FOUND";

/** The answer is already decided: nothing that happens here changes it. */
export async function auditRefusal(
  deps: Dependencies,
  record: RequestRecord,
  error: ApiError,
): Promise<void> {
  const { principal } = record;
  const key = error instanceof AuthenticationError ? error.key : principal?.key;
  if (!key || !refuses(error.code)) return;
  const reason = error instanceof AuthenticationError ? error.reason : error.code;
  if (deps.refusals.isRecorded(key.id, reason, deps.clock.nowMs())) return;
  try {
    const userName = principal ? principal.userName : await readUserName(record.table, key);
    await recordRefusal(
      { ...deps, table: record.table },
      {
        key,
        actor: actorOf({ key, userName }),
        reason,
        operation: record.operation.id,
        ipAddress: sourceIpOf(record.event),
        requestId: record.requestId,
        gatewayRequestId: gatewayRequestIdOf(record.event),
      },
    );
    deps.refusals.noteRecorded(key.id, reason, deps.clock.nowMs());
  } catch (error) {
    log("warn", "refusal not audited", { request_id: record.requestId, cause: describeError(error) });
  }
}

/** For a key that is refused before its member is read: the audit entry names the member anyway. */
async function readUserName(table: Table, { kind, organization, owner }: KeyItem): Promise<string | null> {
  if (kind !== "user" || organization === null || owner === null) return null;
  const item = await table.get(kinds.member.key({ organization, userId: owner }));
  return item ? parseMember(item).username : null;
}
