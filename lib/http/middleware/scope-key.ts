import type { OperationContext } from "../../access/operation-context.ts";
import { readableDigest } from "../../access/readable.ts";
import { authorizeScope, type Locate, narrowScope, resolveScope } from "../../access/request-scope.ts";
import { coversSeveral, type Scope } from "../../access/scope.ts";
import type { Operation } from "../../contract/operation.ts";
import { bindPaging, checkMark } from "../cursors.ts";
import { dependencies } from "../dependencies.ts";
import { sentParameters } from "../parameters.ts";
import type { Authenticated } from "./authenticate-key.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";
import type { Validated } from "./validate-input.ts";

export type Scoped = Pick<OperationContext, "scope" | "paging"> & {
  /** Whether the limiter counts the call. */
  readonly isCounted: boolean;
};

/** Refuses what only the body shows to be more than the key may do: such a call does not count. */
export type Permit<Op extends Operation> = (
  call: Pick<OperationContext<Op>, "principal" | "keyText" | "scope" | "input" | "clock" | "table">,
) => void | "uncounted" | Promise<void>;

/** Decides which organizations the key acts on, in this order: selection, the cursor's binding, plan, permission. */
export function scopeKey<Op extends Operation>(
  operation: Op,
  locate?: Locate<Op>,
  permit?: Permit<Op>,
): Middleware<Opened & Authenticated & Validated<Op>, Scoped> {
  return {
    before: adds(async function scopeRequest({ event, context }) {
      const { principal, keyText, endsItself, readable, input, cursor, clock, random } = context;
      const { table } = context.record;
      const request = { operation, principal, input, cursor };

      const whole: Scope = { organizations: principal.organizations, selector: "all" };
      const selected = endsItself ? whole : resolveScope(request);
      const paging = bindPaging(
        { ring: dependencies().cursorKeys, nowMs: clock.nowMs(), random },
        {
          operation,
          principal,
          cursor,
          scope: selected,
          query: input.query,
          readable: readableDigest(readable),
          defaultPageSize: operation.paging?.defaultSize ?? 0,
        },
      );
      if (cursor && operation.paging?.resumable && coversSeveral(selected)) checkMark(cursor, principal);
      if (endsItself) return { paging, scope: whole, isCounted: false };
      const sent = sentParameters(event);
      const scope = await authorizeScope({ table, nowMs: clock.nowMs() }, request, selected, sent);
      const permitted = await permit?.({ principal, keyText, scope, input, clock, table });
      const isCounted = permitted !== "uncounted";
      return {
        paging,
        scope: locate ? await narrowScope(locate, { scope, input, table }) : scope,
        isCounted,
      };
    }),
  };
}
