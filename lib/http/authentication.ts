import { type Authentication, authenticate } from "../access/authenticate.ts";
import { checkKeyKind } from "../access/policy.ts";
import type { Principal } from "../access/principal.ts";
import { type ReadableRepositories, readableFrom } from "../access/readable.ts";
import { checkAllIsAllowed } from "../access/scope.ts";
import { optionalVariable } from "../runtime/environment.ts";
import { required } from "../runtime/required.ts";
import { cursorKeysKey, memberReadsKey, type TenantKey } from "../store/layout.ts";
import type { Item, Key } from "../store/table.ts";
import type { Dependencies } from "./dependencies.ts";
import { headerValues } from "./headers.ts";
import { peekBody } from "./json-body.ts";
import type { RequestContext } from "./request-context.ts";
import { pathValues, sentParameters } from "./validation.ts";

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

export type Authenticated = {
  readonly principal: Principal;
  readonly readable: ReadableRepositories;
  /** The items that the operation asked to read in the same round. */
  readonly prefetched: ReadonlyArray<Item | undefined>;
};

/** Identifies the caller, and checks that the operation accepts this kind of key. */
export async function authenticateRequest(
  deps: Dependencies,
  requestContext: RequestContext,
  prefetch: Prefetch,
): Promise<Authenticated> {
  const { operation, event, table } = requestContext;
  const wantsCursorKeys = operation.paging !== undefined && deps.cursorKeys.isStale;
  const authentication = await authenticate(
    { table, clock: deps.clock },
    {
      text: keyTextOf(requestContext),
      prefetch: (tenant, { organization, user }) => [
        ...(wantsCursorKeys ? [cursorKeysKey] : []),
        ...prefetch(tenant, { organization, path: pathValues(event) }),
        // Must be the last, because readRepositories takes the last item.
        ...(operation.readableOnly && organization && user ? [memberReadsKey(organization, user)] : []),
      ],
    },
  );
  const { principal } = authentication;
  // The log line and the headers of an error name the caller too.
  requestContext.principal = principal;
  // Legacy keys are refused as gone. Only a wrong ALL is reported first, for every kind of key.
  if (operation.instanceScope === "named" && principal.key.kind === "legacy") {
    checkAllIsAllowed(operation, principal, peekBody(event, "org_id"));
  }
  checkKeyKind(operation, principal, sentParameters(event));
  if (wantsCursorKeys) deps.cursorKeys.accept(authentication.prefetched[0]);
  return {
    principal,
    readable: await readRepositories(requestContext, authentication),
    prefetched: authentication.prefetched.slice(wantsCursorKeys ? 1 : 0),
  };
}

/** The key's text; undefined if the header is absent, empty or sent twice. A deployment may accept further headers. */
function keyTextOf({ event }: RequestContext): string | undefined {
  const further = optionalVariable("KEY_HEADER_NAMES")?.split(",") ?? [];
  const values = ["x-service-api-key", ...further].flatMap((name) => headerValues(event, name.trim()));
  return values.length === 1 ? values[0] || undefined : undefined;
}

/** User keys act as their member. On `readableOnly` operations they cover only what the member can read. */
async function readRepositories(
  { operation, table }: RequestContext,
  { principal, prefetched }: Authentication,
): Promise<ReadableRepositories> {
  if (!operation.readableOnly || principal.key.kind !== "user") return "*";
  const { uuid } = required(principal.home, "organization of the key");
  const userId = required(principal.userId, "member behind the key");
  return await readableFrom(table, uuid, userId, prefetched.at(-1));
}
