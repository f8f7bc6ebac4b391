import { namesOwnKey } from "../../access/key-reach.ts";
import type { OperationContext } from "../../access/operation-context.ts";
import { readableDigest } from "../../access/readable.ts";
import { authorizeScope, type Locate, narrowScope, resolveScope } from "../../access/request-scope.ts";
import { coversSeveral } from "../../access/scope.ts";
import type { Operation } from "../../contract/operation.ts";
import { bindPaging, checkMark } from "../cursors.ts";
import { dependencies } from "../dependencies.ts";
import { sentParameters } from "../parameters.ts";
import type { Authenticated } from "./authenticate-key.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";
import type { Validated } from "./validate-input.ts";

export type Scoped = Pick<OperationContext, "scope" | "paging" | "isOwnKey">;

/** Refuses what only the body shows to be more than the key may do: such a call does not count. */
export type Permit<Op extends Operation> = (
  call: Pick<OperationContext<Op>, "principal" | "scope" | "input" | "clock">,
) => void;

/** Decides which organizations the key acts on, in this order: selection, the cursor's binding, plan, permission. */
export function scopeKey<Op extends Operation>(
  operation: Op,
  locate?: Locate<Op>,
  permit?: Permit<Op>,
): Middleware<Opened & Authenticated & Validated<Op>, Scoped> {
  return {
    before: adds(async function scopeRequest({ event, context }) {
      const { principal, prefetched, readable, input, cursor, clock, random } = context;
      const { table } = context.record;
      const request = { operation, principal, input, cursor };

      const selected = resolveScope(request);
      const paging = bindPaging(
        { ring: dependencies().cursorKeys, nowMs: clock.nowMs(), random },
        {
          ...{ operation, principal, cursor, scope: selected, query: input.query },
          readable: readableDigest(readable),
          defaultPageSize: operation.paging?.defaultSize ?? 0,
        },
      );
      if (cursor && operation.paging?.resumable && coversSeveral(selected)) checkMark(cursor, principal);
      const isOwnKey = await namesOwnKey(operation, { principal, prefetched, table }, input.path);
      const sent = { parameters: sentParameters(event), isOwnKey };
      const scope = await authorizeScope({ table, nowMs: clock.nowMs() }, request, selected, sent);
      permit?.({ principal, scope, input, clock });
      return { paging, scope: locate ? await narrowScope(locate, { scope, input, table }) : scope, isOwnKey };
    }),
  };
}
