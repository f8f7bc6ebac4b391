import * as kinds from "../../../lib/contract/items.ts";
import { streamLimits } from "../../../lib/contract/limits.ts";
import { organizationTenant, type TenantKey, workspaceTenant } from "../../../lib/contract/tenants.ts";
import { hasEpochs } from "../../../lib/organizations/visibility.ts";
import type { Item, Key, Table } from "../../../lib/store/table.ts";
import type { readPage } from "../../../lib/stream/read-page.ts";
import type { StreamDeps, StreamLimits } from "../../../lib/stream/stream.ts";
import type { ViolationKind } from "./checker.ts";
import type { HistoryEvent } from "./history.ts";
import type { Dice } from "./model/scheduler.ts";
import type { Walk } from "./walk.ts";

export type Role = "writer" | "reader" | "mover" | "sweeper" | "flipper";

/** A process that calls the store, and may die between any two calls. Its requests outlive it. */
export class Process {
  isAlive = true;
  readonly #onCrash: () => void;
  constructor(onCrash: () => void = () => {}) {
    this.#onCrash = onCrash;
  }
  crash(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#onCrash();
  }
}

/** The environment of writers, readers and checks: the model and its scheduler, or a real engine and real time. */
export interface World {
  readonly dice: Dice;
  /** Chooses the keys of readers; undefined in worlds where every key sees all organizations. */
  readonly keyDice: Dice | undefined;
  readonly events: readonly HistoryEvent[];
  /** Changes of tenant and visibility that were acknowledged: the organization's counter, and when. */
  readonly scopeKnown: Map<string, { readonly changes: number; readonly at: number }>;
  readonly scopeWeakness: ScopeWeakness | undefined;
  /** A move notes its position, and begins there after a crash. */
  readonly notesMoves: boolean;
  /** Callers that applied removals and reached their end: they resume once everything is at rest. */
  readonly mirrors: Walk[];
  /** Faults have ended: the remaining work gets done. */
  readonly isClosing: boolean;
  walks: number;
  pages: number;
  /** Increases with everything that happens. */
  now(): number;
  sleep(steps: number): Promise<void>;
  /** Waits at most this long, and often until right after a commit, when the stream is most vulnerable. */
  someTime(stepsMax: number): Promise<void>;
  /** The store for this process, with all faults that can happen on the way. */
  connect(process: Process): Table;
  /** A new value for every operation, so that a weakness can remember what happened within one. */
  deps(process: Process, role: Role): StreamDeps;
  reader(process: Process): { readonly table: Table; readonly read: typeof readPage };
  /** The current committed state, whether plain reads see it or not. */
  look(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>>;
  everything(): Promise<Item[]>;
  fail(error: unknown): void;
}

/** A known way to break the stream: a layer between the stream's own code and the store, or the caller. */
export type Weakness = {
  readonly name: string;
  /** The promises that it breaks: any other violation does not count as caught. */
  readonly breaks: readonly ViolationKind[];
  /** It must be caught within this many seeds. */
  readonly seedsMax: number;
  /** A seed that catches it, tried first: the other seeds are searched only when a change of the code has moved it. */
  readonly caughtAt: number;
  readonly table?: (table: Table, role: Role) => Table;
  readonly deps?: (deps: StreamDeps) => StreamDeps;
  readonly read?: typeof readPage;
  readonly scope?: ScopeWeakness;
};

/**
 * What a reader of several organizations may do wrong. unmarked: its cursor is only a number ·
 * fresh-trusted: a first page trusts an epoch of any age that was read after the rows · rows-trusted: every other page
 * does the same · caught-up-late: the walk continues first, and catches up afterwards · widened: a key that is
 * authorized for other organizations continues with the cursor
 */
export type ScopeWeakness = "unmarked" | "fresh-trusted" | "rows-trusted" | "caught-up-late" | "widened";

/** Time in the unit that epochs need: no request of the model lasts as long as two minutes of it. */
export const scopeNowMs = (world: World): number => world.now() * 50;

/** Small, so that a history of a few events meets every limit. */
export const smallLimits: StreamLimits = {
  ...streamLimits,
  inlineBytesMax: 60,
  partBytesMax: 50,
  changesPerTransactionMax: 3,
  movedTogetherMax: 4,
  moveProgressEvery: 1,
  /** The clocks here jump by days: a hundred years are more than all jumps together. */
  lateRequestHours: 876_000,
};

/** The fields of an organization's item that the stream and the harness need. */
export type OrganizationState = {
  readonly tenant: TenantKey;
  readonly isReady: boolean;
  readonly from: readonly TenantKey[];
  /** Counts changes of tenant and visibility. */
  readonly changes: number;
  /** Counts changes of tenant: a mirror of one organization ends with its move, as with the real field `arrived`. */
  readonly arrivals: number;
  /** Readers of several organizations may see it. */
  readonly isVisible: boolean;
  /** The epoch of its tenant's scope when it last became visible there. */
  readonly visible_epoch: number;
};

export const organizations = ["org-a", "org-b", "org-c"] as const;
export const tenantsFor = (organization: string): TenantKey[] => [
  workspaceTenant("acme"),
  workspaceTenant("other"),
  organizationTenant(organization),
];
export const firstItems = (): Item[] =>
  organizations.flatMap((organization) => {
    const tenant = organization === "org-c" ? organizationTenant(organization) : workspaceTenant("acme");
    const state = {
      tenant,
      isReady: true,
      from: [],
      changes: 0,
      arrivals: 0,
      isVisible: true,
      visible_epoch: 0,
    };
    return [organizationItem(organization, state), ...rowsOf(organization, state)];
  });

export const organizationItem = (organization: string, state: OrganizationState): Item => ({
  ...kinds.organization.key({ organization }),
  tenant: state.tenant,
  ready: state.isReady,
  from: state.from,
  changes: state.changes,
  arrivals: state.arrivals,
  visible: state.isVisible,
  visible_epoch: state.visible_epoch,
});

/** The copy in its tenant's partition, where one query finds all organizations of the tenant. */
export const rowsOf = (organization: string, state: OrganizationState): Item[] =>
  hasEpochs(state.tenant)
    ? [
        {
          ...organizationItem(organization, state),
          ...kinds.tenantOrganization.key({ tenant: state.tenant, organization }),
          organization,
        },
      ]
    : [];

export function parseOrganizationState(item: Item | undefined): OrganizationState {
  if (!item) throw new Error("An organization vanished.");
  const known = tenantsFor(typeof item.organization === "string" ? item.organization : item.pk.slice(4));
  const [tenant] = known.filter((each) => each === item.tenant);
  if (!tenant) throw new Error("An organization without a tenant.");
  const { from } = item;
  return {
    tenant,
    isReady: item.ready === true,
    from: known.filter((each) => Array.isArray(from) && from.includes(each)),
    changes: Number(item.changes),
    arrivals: Number(item.arrivals),
    isVisible: item.visible === true,
    visible_epoch: Number(item.visible_epoch),
  };
}

/** The committed state of every organization. */
export async function lookAtOrganizations(world: World): Promise<Map<string, OrganizationState>> {
  const items = await world.look(
    organizations.map((organization) => kinds.organization.key({ organization })),
  );
  return new Map(organizations.map((name, index) => [name, parseOrganizationState(items[index])]));
}
