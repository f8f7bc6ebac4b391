import { ApiError } from "../../../lib/contract/api-error.ts";
import * as kinds from "../../../lib/contract/items.ts";
import type { TenantKey } from "../../../lib/contract/tenants.ts";
import { checkMark } from "../../../lib/http/cursors.ts";
import { hasEpochs } from "../../../lib/organizations/visibility.ts";
import { parseScopeEpochs, type ScopeEpochs } from "../../../lib/store/items/scope-epochs.ts";
import { queryAll } from "../../../lib/store/table.ts";
import type { WalkScope } from "./checker.ts";
import {
  lookAtOrganizations,
  type OrganizationState,
  organizations,
  type Process,
  parseOrganizationState,
  type World,
} from "./world.ts";

/** A walk of one organization covers that one, visible or not; a tenant-wide walk covers the visible ones. */
export const coversSeveral = ({ tenant, organization }: WalkScope): boolean =>
  organization === undefined && hasEpochs(tenant);

/** The organizations that a key is authorized for; null means all. Most worlds have only keys that see all. */
export function randomKey({ keyDice }: World): readonly string[] | null {
  return !keyDice || keyDice.chance(0.5) ? null : organizations.filter(() => keyDice.chance(0.6));
}

/** Epochs and rows come from one query, in the order of their keys; the model would never return an epoch too early. */
const trustsLateEpoch = ({ scopeWeakness }: World): boolean =>
  scopeWeakness === "fresh-trusted" || scopeWeakness === "rows-trusted";

export type Row = OrganizationState & { readonly name: string };

/** The organizations of a tenant as a request reads them, and the epochs of their scope. */
export async function readRows(world: World, process: Process, tenant: TenantKey) {
  const table = world.connect(process);
  const items = await Array.fromAsync(queryAll(table, kinds.tenantOrganization.range({ tenant })));
  const rows = items
    .filter((item) => item.sk !== kinds.scopeEpochs.sk)
    .map((item) => ({ name: String(item.organization), ...parseOrganizationState(item) }));
  if (!trustsLateEpoch(world))
    return { rows, epochs: parseScopeEpochs(items.find((item) => item.sk === kinds.scopeEpochs.sk)) };
  await world.someTime(160);
  return { rows, epochs: parseScopeEpochs(await table.get(kinds.scopeEpochs.key({ tenant }))) };
}

/** Resolves the scope like `scopeKey`. */
export function isRefused(
  cursor: Parameters<typeof checkMark>[0],
  key: Parameters<typeof checkMark>[1]["key"],
  scopeEpochs: ScopeEpochs,
): boolean {
  try {
    checkMark(cursor, { key, scopeEpochs });
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

/** The part of a walk that decides which organizations it must show. */
type WalkView = {
  readonly scope: WalkScope;
  /** Whether the key may see this organization. */
  readonly mayRead: (organization: string) => boolean;
  /** Organizations that were in scope on every page so far, with their change counters. */
  readonly steady: ReadonlyMap<string, number> | undefined;
};

/** The organizations whose entries up to the cursor must all have been shown. */
export async function owedAtCursor(
  world: World,
  walk: WalkView,
  epoch: number | undefined,
): Promise<Set<string>> {
  if (!coversSeveral(walk.scope) || epoch === undefined) return stillHere(world, walk);
  const states = await lookAtOrganizations(world);
  const here = [...states].filter(
    ([name, state]) =>
      walk.mayRead(name) &&
      state.tenant === walk.scope.tenant &&
      state.isReady &&
      state.isVisible &&
      state.visible_epoch <= epoch,
  );
  return new Set(here.map(([name]) => name));
}

/**
 * A mirror must have all entries of an organization that is visible, and was known as visible when the last page
 * began.
 */
export async function owedAtEnd(world: World, walk: WalkView, began: number): Promise<Set<string>> {
  if (!coversSeveral(walk.scope)) return stillHere(world, walk);
  const states = await lookAtOrganizations(world);
  const here = [...states].filter(([name, state]) => {
    const known = world.scopeKnown.get(name);
    return (
      walk.mayRead(name) &&
      state.tenant === walk.scope.tenant &&
      state.isReady &&
      state.isVisible &&
      known?.changes === state.changes &&
      known.at < began
    );
  });
  return new Set(here.map(([name]) => name));
}

/** The organizations that were known as not visible when the last page began. */
export async function goneAtEnd(world: World, walk: WalkView, began: number): Promise<Set<string>> {
  if (!coversSeveral(walk.scope)) return new Set();
  const states = await lookAtOrganizations(world);
  const gone = [...states].filter(([name, state]) => {
    const known = world.scopeKnown.get(name);
    const isHere = state.tenant === walk.scope.tenant && state.isVisible;
    return !walk.mayRead(name) || (!isHere && known?.changes === state.changes && known.at < began);
  });
  return new Set(gone.map(([name]) => name));
}

/** Organizations that were in scope all the time and still are: completeness is promised only for them. */
async function stillHere(world: World, walk: WalkView): Promise<Set<string>> {
  const states = await lookAtOrganizations(world);
  const here = [...(walk.steady ?? [])].filter(([name, changes]) => {
    const state = states.get(name);
    return state?.changes === changes && state.isReady;
  });
  return new Set(here.map(([name]) => name));
}
