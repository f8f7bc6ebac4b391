import { streamLimits } from "../../lib/contract/limits.ts";
import {
  organizationKey,
  organizationTenant,
  type TenantKey,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import type { Item, Key, Table } from "../../lib/store/table.ts";
import type { readPage } from "../../lib/stream/read.ts";
import type { StreamDeps, StreamLimits } from "../../lib/stream/stream.ts";
import type { ViolationKind } from "./checker.ts";
import type { HistoryEvent } from "./history.ts";
import type { Dice } from "./model/scheduler.ts";

export type Role = "writer" | "reader" | "mover" | "sweeper";

/** Something that calls the store, and may die between any two calls. Its requests outlive it. */
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

/** What writers, readers and checks live in: the model and its scheduler, or a real engine and real time. */
export interface World {
  readonly dice: Dice;
  readonly events: readonly HistoryEvent[];
  /** Faults are over: what is left gets done. */
  readonly isClosing: boolean;
  walks: number;
  pages: number;
  /** Grows with everything that happens. */
  now(): number;
  sleep(steps: number): Promise<void>;
  /** At most so long, and often right after something was committed, when the stream is most tender. */
  someTime(stepsMax: number): Promise<void>;
  /** The store as this process reaches it, with all that can go wrong on the way. */
  connect(process: Process): Table;
  /** Fresh for every operation, so that a weakness can remember what happened within one. */
  deps(process: Process, role: Role): StreamDeps;
  reader(process: Process): { readonly table: Table; readonly read: typeof readPage };
  /** What is true now, visible to plain reads or not. */
  look(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>>;
  everything(): Promise<Item[]>;
  fail(error: unknown): void;
}

/** A known way to break the stream: it stands between the stream's own code and the store, or the caller. */
export type Weakness = {
  readonly name: string;
  /** The promise it breaks: any other violation does not count as having caught it. */
  readonly breaks: readonly ViolationKind[];
  /** It must be caught within this many seeds. */
  readonly seedsMax: number;
  /** A seed that catches it, tried first: the others are searched only when the code has moved it. */
  readonly caughtAt: number;
  readonly table?: (table: Table, role: Role) => Table;
  readonly deps?: (deps: StreamDeps) => StreamDeps;
  readonly read?: typeof readPage;
};

/** Small, so that a history of a few events meets every limit. */
export const smallLimits: StreamLimits = {
  ...streamLimits,
  inlineBytesMax: 60,
  partBytesMax: 50,
  changesPerTransactionMax: 3,
  /** The clocks here jump by days: a hundred years are more than all jumps together. */
  lateRequestHours: 876_000,
};

/** An organization's item as the stream and the harness need it. */
export type OrganizationState = {
  readonly tenant: TenantKey;
  readonly isReady: boolean;
  readonly from: readonly TenantKey[];
  /** Counts tenant changes. */
  readonly changes: number;
};

export const organizations = ["org-a", "org-b", "org-c"] as const;
export const tenantsFor = (organization: string): TenantKey[] => [
  workspaceTenant("acme"),
  workspaceTenant("other"),
  organizationTenant(organization),
];
export const firstItems = (): Item[] =>
  organizations.map((organization) => {
    const tenant = organization === "org-c" ? organizationTenant(organization) : workspaceTenant("acme");
    return organizationItem(organization, { tenant, isReady: true, from: [], changes: 0 });
  });

export const organizationItem = (organization: string, state: OrganizationState): Item => ({
  ...organizationKey(organization),
  tenant: state.tenant,
  ready: state.isReady,
  from: state.from,
  changes: state.changes,
});

export function parseOrganizationState(item: Item | undefined): OrganizationState {
  if (!item) throw new Error("An organization vanished.");
  const known = tenantsFor(item.pk.slice(4));
  const [tenant] = known.filter((each) => each === item.tenant);
  if (!tenant) throw new Error("An organization without a tenant.");
  const { from } = item;
  return {
    tenant,
    isReady: item.ready === true,
    from: known.filter((each) => Array.isArray(from) && from.includes(each)),
    changes: Number(item.changes),
  };
}

/** Where every organization truly stands. */
export async function lookAtOrganizations(world: World): Promise<Map<string, OrganizationState>> {
  const items = await world.look(organizations.map(organizationKey));
  return new Map(organizations.map((name, index) => [name, parseOrganizationState(items[index])]));
}
