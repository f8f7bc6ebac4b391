import { ApiError } from "../contract/api-error.ts";
import { isReadOnly, type Operation } from "../contract/operation.ts";
import type { Table } from "../store/table.ts";
import type { Principal } from "./principal.ts";
import { type Admission, RateLimitExceeded, type RateLimiter } from "./rate-limiter.ts";
import type { Scope } from "./scope.ts";

/** The owner of the rate-limit window that this call counts in. */
export function bucketOwner({ rateLimit }: Operation, principal: Principal, scope: Scope): string {
  if (rateLimit.owner === "key") return principal.key.id;
  if (rateLimit.owner === "quota") return principal.quotaOwner;
  const [organization] = scope.organizations;
  return organization && scope.selector === `one:${organization.uuid}` ? organization.uuid : principal.tenant;
}

/**
 * Counts the call. Calls `onFailure` if the limiter could not. Returns undefined if the limiter cannot be reached and
 * the call only reads: a metrics export should not stop because a counter is down. An uncounted call never writes.
 */
export async function admit(
  { limiter, table }: { readonly limiter: RateLimiter; readonly table: Table },
  operation: Operation,
  owner: string,
  onFailure: () => void,
): Promise<Admission | undefined> {
  try {
    return await limiter.admit(table, operation.rateLimit, owner);
  } catch (error) {
    // A RateLimitExceeded with a cause comes from throttling of the store.
    if (!(error instanceof RateLimitExceeded) || error.cause !== undefined) onFailure();
    if (error instanceof RateLimitExceeded) throw error;
    if (isReadOnly(operation)) return undefined;
    throw new ApiError(
      "SERVICE_UNAVAILABLE",
      "Rate limits cannot be checked right now. Retry the same request.",
      {
        retryAfterSeconds: 1,
        cause: error,
      },
    );
  }
}

/**
 * A view of the table: reads are sent at once, writes wait for the limiter. So a refused call never writes. The table
 * of a request is a plain object (`boundedTable`), so its methods can be copied.
 */
export function gatedTable(table: Table, admitted: Promise<unknown>): Table {
  const afterAdmission =
    <Call extends unknown[], Result>(send: (...call: Call) => Promise<Result>) =>
    async (...call: Call): Promise<Result> => {
      await admitted;
      return await send(...call);
    };
  return {
    ...table,
    write: afterAdmission(table.write),
    transact: afterAdmission(table.transact),
    writeMany: afterAdmission(table.writeMany),
  };
}
