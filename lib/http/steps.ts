import { type Authentication, authenticate, withOrganizationsNow } from "../access/authenticate.ts";
import { followRows, spanOf } from "../access/follow-scope.ts";
import { checkKeyKind, checkPermission, checkPlan } from "../access/policy.ts";
import type { Principal } from "../access/principal.ts";
import { type ReadableRepositories, readableDigest, readableFrom } from "../access/readable.ts";
import {
  checkAllIsAllowed,
  checksOrgId,
  coversSeveral,
  readsOrgId,
  type Scope,
  type ScopeOptions,
  type Selection,
  selectOrganizations,
} from "../access/scope.ts";
import type { KeyKind } from "../contract/access.ts";
import { Fault } from "../contract/fault.ts";
import type { Operation } from "../contract/operation.ts";
import { certain } from "../runtime/certain.ts";
import { optionalVariable } from "../runtime/environment.ts";
import { noEpochs, type OrganizationLeft, parseOrganizationLeft } from "../store/items/scope-epochs.ts";
import { cursorKeysKey, memberReadsKey, organizationsLeftRange, type TenantKey } from "../store/layout.ts";
import { type Key, queryAll } from "../store/table.ts";
import { bindPaging, checkMark, openCursor } from "./cursors.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Exchange, Input } from "./exchange.ts";
import { headerValues } from "./headers.ts";
import { peekBody } from "./json-body.ts";
import { pathValues, readInput } from "./shape.ts";

/** Items an operation wants to have read in the round of authentication. */
export type Alongside = (
  tenant: TenantKey,
  place: {
    /** The organization that the key names; undefined for keys of many. */
    readonly organization: string | undefined;
    /** Decoded, but not checked yet. */
    readonly path: { readonly [name: string]: string | undefined };
  },
) => readonly Key[];

/** Steps 2 and 3: the key, then its kind. */
export async function identify(deps: Dependencies, exchange: Exchange, alongside: Alongside): Promise<void> {
  const { operation, table } = exchange;
  const wantsCursorKeys = operation.paging !== undefined && deps.cursorKeys.isStale;
  const authentication = await authenticate(
    { table, clock: deps.clock },
    {
      text: keyTextOf(exchange),
      alongside: (tenant, { organization, user }) => [
        ...(wantsCursorKeys ? [cursorKeysKey] : []),
        ...alongside(tenant, { organization, path: pathValues(exchange.event) }),
        // Last, where readRepositories looks for it.
        ...(operation.readableOnly && organization && user ? [memberReadsKey(organization, user)] : []),
      ],
    },
  );
  exchange.principal = authentication.principal;
  exchange.alongside = authentication.alongside.slice(wantsCursorKeys ? 1 : 0);
  // Legacy keys are turned away as gone, except that this one mistake is named to all alike.
  if (operation.instanceScope === "named" && authentication.principal.key.kind === "legacy") {
    checkAllIsAllowed(operation, authentication.principal, peekBody(exchange.event, "org_id"));
  }
  checkKeyKind(operation, authentication.principal, sentParameters(exchange));
  if (wantsCursorKeys) deps.cursorKeys.accept(authentication.alongside[0]);
  exchange.readable = await readRepositories(exchange, authentication);
}

/** User keys act as their member: where the operation says so, they cover only what the member can read. */
async function readRepositories(
  { operation, table }: Exchange,
  { principal, alongside }: Authentication,
): Promise<ReadableRepositories> {
  if (!operation.readableOnly || principal.key.kind !== "user") return "*";
  const { uuid } = certain(principal.home, "organization of the key");
  const userId = certain(principal.userId, "member behind the key");
  return await readableFrom(table, uuid, userId, alongside.at(-1));
}

/** Names of the query's parameters, and `name=value` for policies that depend on the value. */
const sentParameters = ({ event }: Exchange): string[] =>
  Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values = []]) => [
    name,
    ...values.map((value) => `${name}=${value}`),
  ]);

/** Absent, empty or sent twice is no key at all. A deployment may accept further header names. */
function keyTextOf({ event }: Exchange): string | undefined {
  const further = optionalVariable("KEY_HEADER_NAMES")?.split(",") ?? [];
  const values = ["x-service-api-key", ...further].flatMap((name) => headerValues(event, name.trim()));
  return values.length === 1 ? values[0] || undefined : undefined;
}

/** Step 4: all its problems are one fault, which the first of them names. */
export async function readShape(deps: Dependencies, exchange: Exchange): Promise<void> {
  const { operation, event, table, principal } = exchange;
  const kind = certain(principal, "principal").key.kind;
  const options = { readsOrgId: checksOrgId(operation, kind) };
  const { input, problems: known, cursor } = readInput(operation, event, exchange.body, options);
  const problems = [...known];
  const opening = { ring: deps.cursorKeys, table, nowMs: deps.clock.nowMs() };
  if (cursor !== undefined) {
    try {
      exchange.cursor = await openCursor(opening, operation, cursor);
    } catch (error) {
      // A cursor that is refused is one problem among others; anything else is no problem of the request.
      if (!(error instanceof Fault)) throw error;
      problems.push(...error.problems);
    }
  }
  const [first, ...more] = problems;
  if (first) throw new Fault(first.code, first.message, { more });
  const problem =
    input && (contradiction(operation, kind, input) ?? operation.problemFor?.(kind, { body: input.body }));
  if (problem) throw new Fault("INVALID_REQUEST", problem);
  exchange.input = input;
}

/** For keys that read `org_id`, two different values are a mistake that nobody should have to guess at. */
function contradiction(operation: Operation, kind: KeyKind, input: Input<Operation>): string | undefined {
  const [inQuery, inBody] = [textField(input.query, "org_id"), textField(input.body, "org_id")];
  if (!readsOrgId(operation, kind) || inQuery === undefined || inBody === undefined) return undefined;
  return inQuery === inBody
    ? undefined
    : "org_id: the query and the body name different organizations. Send it in the body only.";
}

/** Step 5. */
export function select(deps: Dependencies, exchange: Exchange): void {
  const { operation, cursor } = exchange;
  const principal = certain(exchange.principal, "principal");
  const input = certain(exchange.input, "input");
  const scope = selectOrganizations(operation, principal, selectionOf(operation, input), {
    mayBeEmpty: keepsMirror(exchange),
  });
  exchange.scope = scope;
  const { paging } = operation;
  exchange.paging = bindPaging(
    { ring: deps.cursorKeys, nowMs: deps.clock.nowMs() },
    {
      operation,
      principal,
      scope,
      readable: readableDigest(exchange.readable),
      query: input.query,
      cursor,
      defaultPageSize: paging?.defaultSize ?? 0,
    },
  );
}

const selectionOf = (operation: Operation, input: Input<Operation>): Selection => ({
  orgId: orgIdOf(operation, input),
  organizationIds: listField(input.query, "organization_ids"),
  organizationUuid: textField(input.path, "organization_id"),
});

/** From the body where there is one, else from the query; what refuses it refuses it in both. */
function orgIdOf({ body, organization }: Operation, input: Input<Operation>): string | undefined {
  const inBody = textField(input.body, "org_id");
  return body && organization !== "refused" ? inBody : (inBody ?? textField(input.query, "org_id"));
}

/** Steps 6 and 7. */
export function authorize(exchange: Exchange): void {
  const { operation } = exchange;
  const principal = certain(exchange.principal, "principal");
  exchange.scope = checkPlan(operation, certain(exchange.scope, "scope"), principal.key.kind, {
    mayBeEmpty: keepsMirror(exchange),
  });
  checkPermission(operation, principal, {
    parameters: sentParameters(exchange),
    keyInPath: textField(exchange.input?.path, "key_id"),
  });
}

/**
 * A walk over several organizations that can be resumed: what became visible since the cursor was made is told apart, so
 * that it is caught up. Where nothing changed this asks for nothing.
 */
export async function followScope(deps: Dependencies, exchange: Exchange): Promise<void> {
  const { operation, cursor, table } = exchange;
  const scope = certain(exchange.scope, "scope");
  if (!operation.paging?.resumable || !coversSeveral(scope)) return;
  const principal = certain(exchange.principal, "principal");
  const mark = cursor && checkMark(cursor, principal);
  const span = spanOf(principal.scopeEpochs ?? noEpochs, mark, deps.clock.nowMs());
  const caller = span.rereads ? await withOrganizationsNow(table, principal) : principal;
  const now = span.rereads ? scopeNow(exchange, caller, { mayBeEmpty: keepsMirror(exchange) }) : scope;
  const readLeft = () => organizationsLeft(exchange, principal);
  const followed = await followRows(now.organizations, span, mark, readLeft);
  // Nobody is left, and all that left was told before: refused as a first page is.
  if (now.organizations.length === 0 && followed.following.left.length === 0 && !mark?.catchUp)
    scopeNow(exchange, caller);
  exchange.scope = { ...now, ...followed };
}

/** For readers that keep a mirror: of the organizations that were asked for, those that left. */
async function organizationsLeft(
  { input, table }: Exchange,
  { tenant, key }: Principal,
): Promise<OrganizationLeft[]> {
  const query = certain(input, "input").query;
  if (!asksForRemoved(query)) return [];
  const items = await Array.fromAsync(queryAll(table, organizationsLeftRange(tenant)));
  const named = listField(query, "organization_ids");
  const isAsked = ({ uuid, provider_organization_id: id }: OrganizationLeft) =>
    (key.authorized?.includes(uuid) ?? true) && (named?.includes(id) ?? true);
  return items.map(parseOrganizationLeft).filter(isAsked);
}

/** Steps 5 and 6 once more, over organizations that were read again. */
function scopeNow({ operation, input }: Exchange, principal: Principal, options: ScopeOptions = {}): Scope {
  const selection = selectionOf(operation, certain(input, "input"));
  const scope = selectOrganizations(operation, principal, selection, options);
  return checkPlan(operation, scope, principal.key.kind, options);
}

/** Goes on with a mirror: when the last organization has left, its reader is told before it is refused. */
const keepsMirror = ({ operation, cursor, input }: Exchange): boolean =>
  operation.paging?.resumable === true && cursor !== undefined && asksForRemoved(input?.query);

const asksForRemoved = (query: unknown): boolean => field(query, "include_removed") === true;

function textField(part: unknown, name: string): string | undefined {
  const value = field(part, name);
  return typeof value === "string" ? value : undefined;
}

function listField(part: unknown, name: string): string[] | undefined {
  const value = field(part, name);
  return Array.isArray(value) ? value.map(String) : undefined;
}

const field = (part: unknown, name: string): unknown =>
  typeof part === "object" && part !== null && Object.hasOwn(part, name)
    ? Reflect.get(part, name)
    : undefined;
