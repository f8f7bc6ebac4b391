import { admit, bucketOwner, gatedTable } from "../../access/admission.ts";
import { touchLastUsed } from "../../access/last-used.ts";
import type { OperationContext } from "../../access/operation-context.ts";
import type { Principal } from "../../access/principal.ts";
import type { Admission } from "../../access/rate-limiter.ts";
import type { Operation } from "../../contract/operation.ts";
import { dependencies } from "../dependencies.ts";
import type { RequestRecord } from "../request-record.ts";
import type { Authenticated } from "./authenticate-key.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";
import type { Scoped } from "./scope-key.ts";

export type Limited = Pick<OperationContext, "table" | "admitted"> & {
  /** Rejects if the limiter refuses the call (429, 503). */
  readonly counted: Promise<void>;
};

/** Counts the call beside the operation: its reads are sent at once, its writes and its answer wait for the limiter. */
export function limitRate(operation: Operation): Middleware<Opened & Authenticated & Scoped, Limited> {
  return {
    before: adds(function startCounting({ context: { record, principal, scope, isCounted } }) {
      const { limiter } = dependencies();
      const { table } = record;
      if (!isCounted) return { table, admitted: Promise.resolve(), counted: Promise.resolve() };
      const owner = bucketOwner(operation, principal, scope);
      limiter.refuseKnownFull(operation.rateLimit, owner);
      const admitted = admit({ limiter, table }, operation, owner, () => {
        record.limiterFailed = true;
      });
      const counted = recordUse(record, principal, admitted);
      // The hooks below report a refusal; the operation may take longer than the limiter.
      counted.catch(record.deadline.stop);
      return { table: gatedTable(table, admitted), admitted, counted };
    }),
    after: async function awaitCounting({ context: { record, counted } }) {
      await record.deadline.within(counted);
    },
    onError: async function preferRefusal(request) {
      const { record, counted } = request.context;
      await record?.deadline.within(counted).catch((refusal: Error) => {
        request.error = refusal;
      });
    },
  };
}

/** Only an admitted call counts as a use. It is written before the answer: a frozen function may never write it. */
async function recordUse(
  record: RequestRecord,
  { key, value }: Principal,
  admitted: Promise<Admission | undefined>,
): Promise<void> {
  const admission = await admitted;
  if (admission) record.admission = admission;
  // When the request began: a rotation is not itself a use of the value that it replaces.
  const used = { hash: value.hash, nowMs: record.startedAtMs };
  await touchLastUsed(record.table, key, used).catch(() => {});
}
