import { auditWrites, operatorOrigin } from "../../../../lib/audit/entry.ts";
import { msPerDay } from "../../../../lib/contract/days.ts";
import { auditLimits } from "../../../../lib/contract/limits.ts";
import type { TenantKey } from "../../../../lib/contract/tenants.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import type { Item } from "../../../../lib/store/table.ts";
import { github, type OrganizationId } from "../../../support/world.ts";
import { itemsOf, uuidOf, weeksInTenYears } from "../support/history.ts";
import { learningItems } from "../support/learnings.ts";

/** The stored data before the requests: the same kind of thing, in growing numbers. */
export type Stock = {
  readonly stored: number;
  /** A workspace's id, or undefined for a stand-alone organization. */
  readonly workspace: string | undefined;
  readonly organizations: readonly OrganizationId[];
  readonly items: () => Iterable<Item>;
};

export const inMeasuredWeek = 200;

let lastOrganization = 7_100_000;
const organizationsOf = (count: number): OrganizationId[] =>
  Array.from({ length: count }, () => github(String(++lastOrganization)));

export function pullRequestStock(
  stored: number,
  { shuffled = false, measured = inMeasuredWeek } = {},
): Stock {
  const organizations = organizationsOf(1);
  const tenant = tenantOf(organizations);
  const history = {
    tenant,
    organizations,
    pullRequests: stored,
    inMeasuredWeek: Math.min(measured, stored),
    weeksBefore: weeksInTenYears,
    shuffled,
  };
  return { stored, workspace: undefined, organizations, items: () => itemsOf(history) };
}

/** A workspace's whole stream, and a copy for each organization. */
export function workspaceStock(stored: number, count: number): Stock {
  const workspace = `growth-${count}`;
  const organizations = organizationsOf(count);
  const history = {
    tenant: `w#${workspace}`,
    organizations,
    pullRequests: stored,
    inMeasuredWeek,
    weeksBefore: weeksInTenYears,
    shuffled: false,
  } as const;
  return { stored, workspace, organizations, items: () => itemsOf(history) };
}

export const learningRepository = "640219000";

export function learningStock(stored: number): Stock {
  const organizations = organizationsOf(1);
  const stock = {
    tenant: tenantOf(organizations),
    organization: uuidOf(firstOf(organizations)),
    repositoryId: learningRepository,
    count: stored,
    // All of them are settled: a page with fresh ones is resumed from before them.
    startMs: systemClock.nowMs() - msPerDay - stored * 1_000,
  };
  return { stored, workspace: undefined, organizations, items: () => learningItems(stock) };
}

export function auditStock(stored: number): Stock {
  const organizations = organizationsOf(1);
  return { stored, workspace: undefined, organizations, items: () => auditItems(organizations, stored) };
}

/** Over the last year, in even steps. */
function* auditItems(organizations: readonly OrganizationId[], count: number): Generator<Item> {
  const organization = firstOf(organizations);
  const uuid = uuidOf(organization);
  const endMs = systemClock.nowMs();
  for (let number = 0; number < count; number++) {
    const atMs = endMs - Math.floor(((count - number) / count) * 365 * msPerDay);
    const clock = { ...systemClock, nowMs: () => atMs };
    const deps = { clock, random: systemRandom, retentionDays: auditLimits.retentionDaysDefault };
    const writes = auditWrites(deps, {
      ...operatorOrigin,
      action: "learning.updated",
      resourceType: "learning",
      resourceId: uuid,
      summary: `Learning changed: ${number}`,
      tenant: `o#${uuid}`,
      organization: { ...organization, provider: "github", uuid },
      metadata: { ids: [uuid] },
    });
    for (const { put } of writes) yield put;
  }
}

const tenantOf = (organizations: readonly OrganizationId[]): TenantKey =>
  `o#${uuidOf(firstOf(organizations))}`;

export function firstOf([first]: readonly OrganizationId[]): OrganizationId {
  if (!first) throw new RangeError("A stock belongs to somebody.");
  return first;
}
