import { expect } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import { everything } from "../events/support.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";

export const refusal = (message: string) => expect.objectContaining({ name: "KeyRegistryError", message });

/** A store with a world whose clock the test moves, and reads of what the registry stored. */
export function useKeyRegistry() {
  const store = useStore();
  const clock = new TestClock();
  const world = new World(() => store().table, clock);
  const now = () => new Date(clock.nowMs()).toISOString();
  const stored = async (id: string) =>
    parseKey((await store().table.get(kinds.apiKey.key({ keyId: id }))) ?? { pk: "", sk: "" });

  /** The audit entries of a key, without random values and times. */
  async function auditEntriesOf(id: string) {
    const entries = (await everything(store().table)).filter(
      (item) => item.pk.startsWith("AUDIT#o#") && item.resource_id === id,
    );
    return entries.map(
      ({ action, resource_type, summary, metadata, actor, organization, organization_id }) => ({
        action,
        resource_type,
        summary,
        metadata,
        actor,
        organization,
        organization_id,
      }),
    );
  }
  return { store, clock, world, now, stored, auditEntriesOf };
}
