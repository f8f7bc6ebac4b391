import * as kinds from "../contract/items.ts";
import type { Operation } from "../contract/operation.ts";
import { valueAt } from "../contract/schema-sentences.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { noEpochs, type OrganizationLeft, parseOrganizationLeft } from "../store/items/scope-epochs.ts";
import { readFew, type Table } from "../store/table.ts";
import { withCurrentOrganizations } from "./authenticate.ts";
import { followRows, type ScopeMark, type ScopeSpan, spanOf, untilLogsArrive } from "./follow-scope.ts";
import type { OperationContext, OperationInput } from "./operation-context.ts";
import { checkPermission, narrowToPlan } from "./policy.ts";
import type { Principal } from "./principal.ts";
import {
  coversSeveral,
  type Scope,
  type ScopeOptions,
  type Selection,
  selectOrganizations,
} from "./scope.ts";

/** What decides which organizations a request acts on. */
type ScopeRequest = {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly input: OperationInput<Operation>;
  /** The request's cursor, whose binding is checked. */
  readonly cursor: { readonly mark: ScopeMark | undefined } | undefined;
};

/** The organizations that the request names, or all that the key can reach. */
export const resolveScope = (request: ScopeRequest): Scope =>
  selectOrganizations(request.operation, request.principal, selectionOf(request), scopeOptionsOf(request));

/** The organizations that the request names, read from where the operation takes them. */
const selectionOf = ({ operation, input }: ScopeRequest): Selection => ({
  orgId: orgIdOf(operation, input),
  organizationIds: listField(input.query, "organization_ids") ?? listField(input.body, "organization_ids"),
  organizationUuid: textField(input.path, "organization_id"),
});

/** From the body if there is one, else from the query. An operation that refuses `org_id` refuses it in both. */
function orgIdOf({ body, organization }: Operation, input: OperationInput<Operation>): string | undefined {
  const inBody = textField(input.body, "org_id");
  return body && organization !== "refused" ? inBody : (inBody ?? textField(input.query, "org_id"));
}

/** When the last organization of a mirror leaves, the next request reports this removal; later requests are refused. */
const scopeOptionsOf = ({ operation, cursor, input }: ScopeRequest): ScopeOptions => ({
  mayBeEmpty: operation.paging?.resumable === true && cursor !== undefined && asksForRemoved(input.query),
});

/** Checks plan and permission, and brings the scope of a resumable walk up to date. */
export async function authorizeScope(
  deps: { readonly table: Table; readonly nowMs: number },
  request: ScopeRequest,
  selected: Scope,
  parameters: readonly string[],
): Promise<Scope> {
  const { operation, principal } = request;
  const allowed = narrowToPlan(operation, selected, principal.key.kind, scopeOptionsOf(request));
  checkPermission(operation, principal, parameters);
  return followScope(deps, request, allowed);
}

/** Finds organizations that became visible since the cursor was made. Reads nothing if nothing changed. */
export async function followScope(
  { table, nowMs }: { readonly table: Table; readonly nowMs: number },
  request: ScopeRequest,
  scope: Scope,
): Promise<Scope> {
  const { operation, principal, cursor } = request;
  if (!operation.paging?.resumable || !coversSeveral(scope)) return scope;
  const mark = cursor?.mark;
  const whole = spanOf(principal.scopeEpochs ?? noEpochs, mark, nowMs);
  const caller = whole.rereads ? await withCurrentOrganizations(table, principal) : principal;
  const now = whole.rereads ? scopeNow(request, caller, scopeOptionsOf(request)) : scope;
  const span = operation.paging.waitsForLogs ? untilLogsArrive(whole, now.organizations) : whole;
  const readLeft = () => organizationsLeft(table, request);
  const followed = await followRows(now.organizations, span, mark, readLeft);
  // No organization remains, and the caller has received all that left: refuse the request like a first page.
  if (now.organizations.length === 0 && followed.following.left.length === 0 && !mark?.catchUp)
    scopeNow(request, caller);
  const reached = { ...now, ...followed };
  if (!operation.paging.waitsForLogs || caller.key.kind !== "workspace") return reached;
  const inTenant = organizationsIn(caller);
  const movedAway = mark && span.from !== span.to ? await leftBetween(table, caller.tenant, span) : [];
  return { ...reached, inTenant, movedAway: movedAway.filter(({ uuid }) => !inTenant.has(uuid)) };
}

const organizationsIn = ({ organizations, inactiveOrganizations = [] }: Principal): ReadonlySet<string> =>
  new Set([...organizations.map(({ uuid }) => uuid), ...inactiveOrganizations]);

async function leftBetween(
  table: Table,
  tenant: TenantKey,
  { from, to }: ScopeSpan,
): Promise<OrganizationLeft[]> {
  const items = await readFew(table, kinds.organizationLeft, { tenant });
  return items.map(parseOrganizationLeft).filter(({ left_epoch: epoch }) => epoch > from && epoch <= to);
}

/** For readers that keep a mirror: those of the requested organizations that left. */
async function organizationsLeft(
  table: Table,
  { principal: { tenant, key }, input: { query } }: ScopeRequest,
): Promise<OrganizationLeft[]> {
  if (!asksForRemoved(query)) return [];
  const items = await readFew(table, kinds.organizationLeft, { tenant });
  const named = listField(query, "organization_ids");
  const isAsked = ({ uuid, provider_organization_id: id }: OrganizationLeft) =>
    (key.authorized?.includes(uuid) ?? true) && (named?.includes(id) ?? true);
  return items.map(parseOrganizationLeft).filter(isAsked);
}

/** Selects organizations and checks the plan once more, after the organizations were read again. */
function scopeNow(request: ScopeRequest, principal: Principal, options: ScopeOptions = {}): Scope {
  const { operation } = request;
  const scope = selectOrganizations(operation, principal, selectionOf(request), options);
  return narrowToPlan(operation, scope, principal.key.kind, options);
}

const asksForRemoved = (query: unknown): boolean => valueAt(query, ["include_removed"]) === true;

export function textField(part: unknown, name: string): string | undefined {
  const value = valueAt(part, [name]);
  return typeof value === "string" ? value : undefined;
}

function listField(part: unknown, name: string): string[] | undefined {
  const value = valueAt(part, [name]);
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** If only the data shows which organization a request acts on: it is then the whole scope, and counts the call. */
export type Locate<Op extends Operation> = (
  call: Pick<OperationContext<Op>, "scope" | "input" | "table">,
) => Promise<OrganizationItem | undefined>;

/** Narrows the scope to the organization that the data names; the data is read only if the scope has several. */
export async function narrowScope<Op extends Operation>(
  locate: Locate<Op>,
  call: Parameters<Locate<Op>>[0],
): Promise<Scope> {
  const [first, second] = call.scope.organizations;
  const found = second ? await locate(call) : first;
  return found ? { organizations: [found], selector: `one:${found.uuid}` } : call.scope;
}
