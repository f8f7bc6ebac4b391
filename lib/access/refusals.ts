import type { AuditDeps } from "../audit/entry.ts";
import { type KeyRefusal, recordRefusal } from "../audit/refused-keys.ts";
import type { ApiError } from "../contract/api-error.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import * as kinds from "../contract/items.ts";
import { auditLimits, cacheLimits } from "../contract/limits.ts";
import { describeError, log } from "../runtime/log.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseMember } from "../store/items/people.ts";
import { parseWorkspace } from "../store/items/tenant.ts";
import type { Item, Key, Table } from "../store/table.ts";
import { AuthenticationError } from "./authenticate.ts";
import { actorOf, type Principal } from "./principal.ts";

/** The refusals that a warm function has recorded within the last minute, so that repeated refusals cost no reads. */
export class RefusalMemory {
  readonly #recordedAtMs = new Map<string, number>();

  isRecorded(keyId: string, reason: string, nowMs: number): boolean {
    const atMs = this.#recordedAtMs.get(`${keyId} ${reason}`);
    return atMs !== undefined && atMs <= nowMs && nowMs < atMs + auditLimits.refusedEveryMs;
  }

  noteRecorded(keyId: string, reason: string, nowMs: number): void {
    if (this.#recordedAtMs.size >= cacheLimits.refusalsMax) this.#recordedAtMs.clear();
    this.#recordedAtMs.set(`${keyId} ${reason}`, nowMs);
  }
}

/** Statuses that refuse a key, as opposed to statuses for a mistake in the request. */
const refusingStatuses = new Set([401, 402, 403, 410, 429]);
const refuses = (code: ErrorCode): boolean =>
  refusingStatuses.has(errorCodes[code].status) || code === "ORGANIZATION_NOT_FOUND";

/** The answer is already decided: nothing that happens here changes it. */
export async function auditRefusal(
  deps: AuditDeps & { readonly table: Table; readonly refusals: RefusalMemory },
  error: ApiError,
  principal: Principal | undefined,
  request: Omit<KeyRefusal, "key" | "actor" | "reason">,
): Promise<void> {
  const key = error instanceof AuthenticationError ? error.key : principal?.key;
  if (!key || !refuses(error.code)) return;
  const reason = error instanceof AuthenticationError ? error.reason : error.code;
  if (deps.refusals.isRecorded(key.id, reason, deps.clock.nowMs())) return;
  try {
    const { value, inactive } = error instanceof AuthenticationError ? error : { value: principal?.value };
    const owner = principal ?? (await readOwner(deps.table, key, inactive));
    await recordRefusal(deps, { key, actor: actorOf({ ...owner, key, value }), reason, ...request });
    deps.refusals.noteRecorded(key.id, reason, deps.clock.nowMs());
  } catch (error) {
    log("warn", "refusal not audited", { request_id: request.requestId, cause: describeError(error) });
  }
}

/** For a key that is refused before its owner is read: the audit entry names the owner as an accepted use does. */
async function readOwner(
  table: Table,
  { kind, tenant, organization, owner }: KeyItem,
  known: Item | undefined,
): Promise<Pick<Principal, "userName" | "userEmail">> {
  const read = async (at: Key) => (known?.pk === at.pk && known.sk === at.sk ? known : await table.get(at));
  if (kind === "workspace") {
    const item = await read(kinds.tenant.key({ tenant }));
    const admin = item && parseWorkspace(item).admins.find(({ user_id }) => user_id === owner);
    return { userName: null, userEmail: admin?.email ?? null };
  }
  if (kind === "legacy" || organization === null || owner === null)
    return { userName: null, userEmail: null };
  const item = await read(kinds.member.key({ organization, userId: owner }));
  const { username = null, email = null } = item ? parseMember(item) : {};
  return { userName: kind === "user" ? username : null, userEmail: email };
}
