import { namesOwnKey } from "../../access/key-reach.ts";
import type { OperationContext } from "../../access/operation-context.ts";
import { checkPermission, narrowToPlan } from "../../access/policy.ts";
import { readableDigest } from "../../access/readable.ts";
import type { Operation } from "../../contract/operation.ts";
import { bindPaging } from "../cursors.ts";
import { dependencies } from "../dependencies.ts";
import { keyInPath, sentParameters } from "../parameters.ts";
import { followScope, type Locate, narrowScope, resolveScope, scopeOptionsOf } from "../request-scope.ts";
import type { Authenticated } from "./authenticate-key.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";
import type { Validated } from "./validate-input.ts";

export type Scoped = Pick<OperationContext, "scope" | "paging" | "isOwnKey">;

/** Decides which organizations the key acts on, in this order: selection, the cursor's binding, plan, permission. */
export function scopeKey<Op extends Operation>(
  operation: Op,
  locate?: Locate<Op>,
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
      const allowed = narrowToPlan(operation, selected, principal.key.kind, scopeOptionsOf(request));
      const isOwnKey = await namesOwnKey(operation, { principal, prefetched, table }, keyInPath(input));
      checkPermission(operation, principal, { parameters: sentParameters(event), isOwnKey });

      const scope = await followScope({ table, nowMs: clock.nowMs() }, request, allowed);
      const narrowed = locate ? await narrowScope(locate, { scope, input, table }) : scope;
      return { paging, scope: narrowed, isOwnKey };
    }),
  };
}
