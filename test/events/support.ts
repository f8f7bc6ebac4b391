import { v5 } from "uuid";
import { identityNamespace, organizationUuid } from "../../lib/contract/identity.ts";
import { ingest } from "../../lib/events/ingest.ts";
import type { DeadLetter, EventDeps, QueueMessage } from "../../lib/events/ports.ts";
import { type OutgoingEvent, sendEvents } from "../../lib/events/send.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { FrozenClock } from "../support/clock.ts";
import {
  instanceData,
  memberData,
  organizationData,
  repositoryData,
  workspaceData,
} from "../support/event-data.ts";
import { asFunction, grantedTable } from "../support/granted-table.ts";
import { scanAll } from "../support/scan-all.ts";

export type IngestHarness = EventDeps & {
  readonly letters: DeadLetter[];
  readonly objects: Map<string, Uint8Array>;
  readonly clock: FrozenClock;
};

/** The write side on a table, with a bucket and dead letters in memory. */
export function createIngestHarness(table: Table, clock = new FrozenClock()): IngestHarness {
  const letters: DeadLetter[] = [];
  const objects = new Map<string, Uint8Array>();
  return {
    table,
    clock,
    random: systemRandom,
    letters,
    objects,
    triesToTakeBack: new Map(),
    log: () => undefined,
    bucket: {
      put: async (name, content) => void objects.set(name, content),
      get: async (name) => objects.get(name),
    },
    deadLetters: { send: async (sent) => void letters.push(...sent) },
  };
}

/** What `events send` would put into the queue. */
export async function toMessages(
  harness: IngestHarness,
  events: readonly OutgoingEvent[],
): Promise<QueueMessage[]> {
  const messages: QueueMessage[] = [];
  await sendEvents({ send: async (sent) => void messages.push(...sent) }, harness.bucket, events);
  return messages;
}

/** Sends events and ingests them in batches of ten, in order. */
export async function deliver(harness: IngestHarness, events: readonly OutgoingEvent[]): Promise<void> {
  const messages = await toMessages(harness, events);
  const granted = { ...harness, table: grantedTable(harness.table) };
  for (let start = 0; start < messages.length; start += 10) {
    const unfinished = await asFunction("ingest", () => ingest(granted, messages.slice(start, start + 10)));
    if (unfinished.length > 0) throw new Error(`${unfinished.length} messages were not applied.`);
  }
}

type Data = Readonly<Record<string, unknown>>;

/** An event at minute `at` of one day; equal arguments give an equal id. */
export const event = (type: string, at: number, data: Data): OutgoingEvent => ({
  id: v5(JSON.stringify([type, at, data]), identityNamespace),
  type,
  occurred_at: new Date(Date.UTC(2026, 9, 1, 0, at)).toISOString(),
  data,
});

export const workspaceSaved = (at: number, data: Data = {}) =>
  event("workspace.saved", at, {
    id: "acme",
    name: "Acme",
    ...workspaceData,
    admins: [{ user_id: "1", email: "ann@acme.test" }],
    seats_purchased: 50,
    ...data,
  });

export const instanceSaved = (at: number, data: Data = {}) =>
  event("instance.saved", at, {
    id: "forge",
    name: "Forge",
    ...instanceData,
    base_url: "https://git.forge.test",
    ...data,
  });

export const organizationName = (id = "1001") => ({
  provider: "github",
  instance_id: null,
  provider_organization_id: id,
});
export const uuidOf = (id = "1001") => organizationUuid(organizationName(id));

export const organizationSaved = (at: number, data: Data = {}) =>
  event("organization.saved", at, {
    ...organizationName(),
    name: "Widgets",
    ...organizationData,
    seats_purchased: 50,
    ...data,
  });

export const repositorySaved = (at: number, data: Data = {}) =>
  event("repository.saved", at, {
    ...organizationName(),
    repository_id: "9001",
    name: "web",
    full_name: "widgets/web",
    ...repositoryData,
    url: "https://github.test/widgets/web",
    ...data,
  });

export const memberSaved = (at: number, data: Data = {}) =>
  event("member.saved", at, {
    ...organizationName(),
    user_id: "4411",
    username: "ann",
    email: "Ann@acme.test",
    ...memberData,
    role: "cr_admin",
    seat_assigned: true,
    readable_repository_ids: ["9001"],
    ...data,
  });

/** The whole table, in a stable order. */
export const everything = scanAll;

/** The table's content without the ids and times that audit entries get when they are written. */
export const comparable = (items: readonly Item[]): Item[] =>
  items
    .map((item) =>
      item.pk.startsWith("AUDIT#")
        ? { ...item, sk: "", id: "", created_at: "", ttl: 0, request_id: null }
        : item,
    )
    .map((item) => ({ item, text: JSON.stringify(inOrderOfNames(item)) }))
    .sort((left, right) => (left.text < right.text ? -1 : 1))
    .map(({ item }) => item);

/** Engines return the attributes of an item, and of a map in it, in any order. */
function inOrderOfNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrderOfNames);
  const entries = Object.entries(value).map(([name, part]) => [name, inOrderOfNames(part)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
