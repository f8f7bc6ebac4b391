import * as z from "zod";
import { organizationUuid } from "../../../../lib/contract/identity.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { isOf } from "../../../../lib/contract/kind.ts";
import { organizationTenant, workspaceTenant } from "../../../../lib/contract/tenants.ts";
import { ingest } from "../../../../lib/events/ingest.ts";
import type { QueueMessage } from "../../../../lib/events/ports.ts";
import { isTooFarAhead, occurredAtMsOf } from "../../../../lib/store/items/version.ts";
import type { Condition, Item, Table, TransactionWrite } from "../../../../lib/store/table.ts";
import { nameOf } from "./history.ts";
import { endsMove } from "./moves.ts";
import type { EventWeakness } from "./world.ts";

/** The version that was read before the data moved was a condition of the end of the move. */
const overtakenForEver: EventWeakness = {
  name: "a move that a rename overtakes does not end",
  breaks: ["moving"],
  seedsMax: 900,
  caughtAt: 701,
  table: (table) => {
    const versions = new Map<string, unknown>();
    const see = (item: Item | undefined): void => {
      if (item && isOf(kinds.organization, item)) versions.set(item.pk, item.version);
    };
    return {
      ...table,
      get: async (key, options) => {
        const item = await table.get(key, options);
        see(item);
        return item;
      },
      transact: async (writes, options) => {
        for (const write of writes) if ("put" in write) see(write.put);
        const bound = endsMove(writes) ? writes.map((write) => ofVersion(write, versions)) : writes;
        return await table.transact(bound, options);
      },
    };
  },
};

function ofVersion(write: TransactionWrite, versions: ReadonlyMap<string, unknown>): TransactionWrite {
  if (!("update" in write) || !write.when) return write;
  const version = versions.get(write.update.pk);
  if (typeof version !== "string") return write;
  return { ...write, when: { all: [write.when, { equals: ["version", version] }] } };
}

const organizationSaved = z.object({
  type: z.literal("organization.saved"),
  data: z.object({ provider_organization_id: z.string(), workspace_id: z.string().nullable() }),
});

/** An event with another tenant waited for the move without a look at its version. */
const staleWaits: EventWeakness = {
  name: "a stale event of an organization waits until the organization has moved",
  breaks: ["held"],
  seedsMax: 400,
  caughtAt: 28,
  ingest: async (deps, messages, options) => {
    const left: (typeof messages)[number][] = [];
    for (const message of messages) {
      const isBehind = left.some(({ group }) => group === message.group);
      const bent = { ...deps, table: blindToVersions(deps.table, message) };
      left.push(...(isBehind ? [message] : await ingest(bent, [message], options)));
    }
    return left;
  },
};

/** To this event, an organization that moves to another tenant than the event's has no version. */
function blindToVersions(table: Table, { body }: QueueMessage): Table {
  const { data, success } = organizationSaved.safeParse(JSON.parse(body));
  if (!success) return table;
  const { provider_organization_id: id, workspace_id } = data.data;
  const uuid = organizationUuid(nameOf(id));
  const tenant = workspace_id === null ? organizationTenant(uuid) : workspaceTenant(workspace_id);
  return {
    ...table,
    get: async (key, options) => {
      const item = await table.get(key, options);
      const isOurs =
        item && isOf(kinds.organization, item) && item.leaving !== undefined && item.tenant !== tenant;
      return isOurs ? { ...item, version: "" } : item;
    },
  };
}

/** The bound for the clocks of incoming events applied to stored versions too. */
const storedVersionsExpire: EventWeakness = {
  name: "a stored version from ahead of the host's clock counts as none",
  breaks: ["missed"],
  seedsMax: 200,
  caughtAt: 61,
  table: (table, look, clock) => {
    const isAhead = ({ version }: Item): boolean =>
      typeof version === "string" && isTooFarAhead(occurredAtMsOf(version), clock.nowMs());
    const bend = (item: Item | undefined) => (item && isAhead(item) ? { ...item, version: "" } : item);
    return {
      ...table,
      get: async (key, options) => bend(await table.get(key, options)),
      getMany: async (keys, options) => (await table.getMany(keys, options)).map(bend),
      // The stored version itself was always a condition of the write.
      transact: (writes, options) =>
        table.transact(
          writes.map((write) => {
            if (!("put" in write) || !write.when) return write;
            return { ...write, when: withVersion(write.when, look(write.put)?.version) };
          }),
          options,
        ),
    };
  },
};

function withVersion(when: Condition, version: unknown): Condition {
  if (typeof version !== "string") return when;
  if ("all" in when) return { all: when.all.map((each) => withVersion(each, version)) };
  const isBent = "equals" in when && when.equals[0] === "version" && when.equals[1] === "";
  return isBent ? { equals: ["version", version] } : when;
}

export const moveWeaknesses: readonly EventWeakness[] = [overtakenForEver, staleWaits, storedVersionsExpire];
