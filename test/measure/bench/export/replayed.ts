import { writeFile } from "node:fs/promises";
import * as kinds from "../../../../lib/contract/items.ts";
import { organizationTenant } from "../../../../lib/contract/tenants.ts";
import { createCursorKeys } from "../../../../lib/http/cursor-keys.ts";
import { engineClient, startEngine } from "../../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { scanAll } from "../../../support/scan-all.ts";
import { github, World } from "../../../support/world.ts";
import { placeOf } from "../frame/stubbed-http.ts";
import { toAttributes } from "../support/attributes.ts";
import { finalizedEvent, itemsOf, uuidOf } from "../support/history.ts";
import { largestPage } from "./largest-page.ts";

export const tableName = "bench";
export const typical = github("7001000");
export const large = github("7001001");
const neverMs = Date.parse("2100-01-01T00:00:00.000Z");

export type ReplayedWorld = {
  /** Every item of the table, for `stubHttp`. */
  readonly itemsFile: string;
  /** The texts and ids of two keys, one for each organization. */
  readonly keys: Readonly<Record<"typical" | "large", { readonly id: string; readonly text: string }>>;
};

/**
 * Two organizations, one with a page of typical pull requests and one with the largest page. A stub replays the answers of
 * DynamoDB from these items, so that no work of an engine is measured.
 */
export async function writeReplayedWorld(
  itemsFile: string,
  { pullRequests, largestBytes }: { readonly pullRequests: number; readonly largestBytes: number },
): Promise<ReplayedWorld> {
  const engine = await startEngine();
  const client = engineClient(engine.endpoint);
  try {
    await createTable(client, tableName, engine.kind);
    const table = createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom });
    const world = new World(() => table);
    await createCursorKeys(world.deps);
    const keyOf = async (name: typeof typical) => {
      const organization = await world.organization(name.provider_organization_id);
      await world.member(name, "boss", { role: "cr_admin" });
      const owner = { kind: "organization" as const, organization, owner: "boss", role: "cr_admin" };
      const { key, text } = await world.key(owner);
      // Normally written once a minute; here never, so that every request makes the same calls.
      await table.write({
        update: kinds.keyUse.key({ keyId: key.id }),
        change: { set: [["at_ms", neverMs]] },
      });
      return { id: key.id, text };
    };
    const keys = { typical: await keyOf(typical), large: await keyOf(large) };
    const repositories = Array.from(
      { length: 20 },
      (_, number) => finalizedEvent(typical, number, 0).data.repository_id,
    );
    for (const id of repositories) await world.repository(typical, id);
    const history = { tenant: organizationTenant(uuidOf(typical)), organizations: [typical], pullRequests };
    const items = [
      ...(await scanAll(table)),
      ...itemsOf({ ...history, inMeasuredWeek: pullRequests, weeksBefore: 1, shuffled: false }),
      ...largestPage(organizationTenant(uuidOf(large)), large, largestBytes),
    ].map((item) => [placeOf(item.pk, item.sk), toAttributes(item)]);
    await writeFile(itemsFile, JSON.stringify(items));
    return { itemsFile, keys };
  } finally {
    client.destroy();
    await engine.stop();
  }
}
