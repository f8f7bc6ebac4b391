import { AuthenticationError, authenticate } from "../../access/authenticate.ts";
import type { OperationContext } from "../../access/operation-context.ts";
import { checkKeyKind, checkOwnerAndOnly } from "../../access/policy.ts";
import { actorOf } from "../../access/principal.ts";
import { readableBy } from "../../access/readable.ts";
import { checkAllIsAllowed } from "../../access/scope.ts";
import * as kinds from "../../contract/items.ts";
import type { Operation } from "../../contract/operation.ts";
import type { TenantKey } from "../../contract/tenants.ts";
import type { Key } from "../../store/table.ts";
import { peekBody, restrictedFields } from "../body.ts";
import { dependencies } from "../dependencies.ts";
import { toApiError } from "../errors.ts";
import { keyTextOf } from "../headers.ts";
import { pathValues, sentParameters } from "../parameters.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";

export type Authenticated = Pick<
  OperationContext,
  "principal" | "keyText" | "endsItself" | "actor" | "readable" | "prefetched"
>;

/** Items that an operation reads in the round of authentication. */
export type Prefetch = (
  tenant: TenantKey,
  place: {
    /** The organization that the key names; undefined for keys that reach several organizations. */
    readonly organization: string | undefined;
    /** Decoded, but not checked yet. */
    readonly path: { readonly [name: string]: string | undefined };
  },
) => readonly Key[];

/** Identifies the caller (401), and checks that the operation accepts this kind of key and its `only` (403, 410). */
export function authenticateKey(
  operation: Operation,
  prefetch: Prefetch = () => [],
): Middleware<Opened, Authenticated> {
  return {
    before: adds(async function authenticateCaller({ event, context: { record, clock } }) {
      const { table } = record;
      const { cursorKeys, accepted } = dependencies();
      const wantsCursorKeys = operation.paging !== undefined && cursorKeys.isStale;
      const text = keyTextOf(event);
      const { principal, prefetched } = await authenticate(
        { table, clock, accepted },
        {
          text,
          mayRepeat: operation.oldValue === "repeats",
          prefetch: (tenant, { organization, user }) => [
            ...(wantsCursorKeys ? [kinds.cursorKeys.key()] : []),
            ...prefetch(tenant, { organization, path: pathValues(event) }),
            ...(operation.readableOnly && organization && user
              ? [kinds.memberReads.key({ organization, userId: user })]
              : []),
          ],
        },
      );
      // The log line and the headers of an error name the caller too.
      record.principal = principal;
      // Legacy keys are refused as gone. Only a wrong ALL is reported first, for every kind of key.
      if (operation.instanceScope === "named" && principal.key.kind === "legacy")
        checkAllIsAllowed(operation, principal, peekBody(operation, event, "org_id"));
      checkKeyKind(operation, principal, [...sentParameters(event), ...restrictedFields(operation, event)]);
      const endsItself = operation.endsItself === true && pathValues(event).key_id === principal.key.id;
      if (!endsItself) checkOwnerAndOnly(operation, principal);
      if (wantsCursorKeys) cursorKeys.accept(prefetched.get(kinds.cursorKeys.key()));
      return {
        principal,
        keyText: text ?? "",
        endsItself,
        actor: actorOf(principal),
        readable: operation.readableOnly ? await readableBy(table, principal, prefetched) : "*",
        prefetched,
      };
    }),
    /** An old value that has ended may only repeat its rotation: everything else gets the one 401. */
    onError: function hideEndedValue(request) {
      const { record, requestId = "" } = request.context;
      // Known also where the kind or the owner of the key was refused.
      const principal = record?.principal;
      if (principal?.value.state !== "ended" || toApiError(request.error, requestId).status >= 500) return;
      request.error = new AuthenticationError("rotated", principal.key, principal.value);
    },
  };
}
