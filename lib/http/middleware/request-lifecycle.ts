import type { OperationContext } from "../../access/operation-context.ts";
import { auditRefusal } from "../../access/refusals.ts";
import type { Operation } from "../../contract/operation.ts";
import { beginInvocation } from "../../runtime/invocation.ts";
import { dependencies } from "../dependencies.ts";
import { originOf } from "../headers.ts";
import { logOutcome } from "../outcome.ts";
import { openRecord, type RequestRecord } from "../request-record.ts";
import { fail, succeed } from "../respond.ts";
import { adds, type Middleware } from "./middleware.ts";

export type Opened = { readonly record: RequestRecord } & Pick<
  OperationContext,
  | "clock"
  | "random"
  | "retentionDays"
  | "requestId"
  | "gatewayRequestId"
  | "ipAddress"
  | "via"
  | "signal"
  | "onSearches"
>;

/** Opens the request; at the end renders the answer, also of an error, and writes the log line. */
export function requestLifecycle(operation: Operation): Middleware<unknown, Opened> {
  return {
    before: adds(function openRequest({ event, context }) {
      beginInvocation(context, event.requestContext?.requestId);
      const { clock, random, retentionDays } = dependencies();
      const record = openRecord(operation, event, context.getRemainingTimeInMillis());
      const { requestId, deadline } = record;
      const onSearches = (count: number) => {
        record.vectorSearches = (record.vectorSearches ?? 0) + count;
      };
      const { softDeadline: signal } = deadline;
      return { record, clock, random, retentionDays, requestId, ...originOf(event), signal, onSearches };
    }),
    after: async function answerSuccess(request) {
      const { record, clock } = request.context;
      record.deadline.dispose();
      if (request.response && !("statusCode" in request.response))
        request.response = await succeed(record, request.response);
      logOutcome(clock, record, operation.answer.status);
    },
    onError: async function answerError(request) {
      const { record } = request.context;
      // The request could not be opened: the function is not configured, and Lambda reports the error.
      if (!record) return;
      const { result, apiError } = await fail(record, request.error);
      request.response = result;
      const { table, principal, requestId, event } = record;
      const origin = { operation: operation.id, requestId, ...originOf(event) };
      await auditRefusal({ ...dependencies(), table }, apiError, principal, origin);
      record.deadline.dispose();
      logOutcome(dependencies().clock, record, result.statusCode, apiError);
    },
  };
}
