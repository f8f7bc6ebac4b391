import * as z from "zod";
import * as kinds from "../../../../lib/contract/items.ts";
import { organizationTenant, workspaceTenant } from "../../../../lib/contract/tenants.ts";
import { resumeMoves } from "../../../../lib/organizations/move.ts";
import { parseOrganization } from "../../../../lib/store/items/organization.ts";
import { versionOf } from "../../../../lib/store/items/version.ts";
import type { Item, Key, Range, TransactionWrite } from "../../../../lib/store/table.ts";
import { Process } from "../world.ts";
import { nameOf, organizations, type SimulatedEvent } from "./history.ts";
import { Violation } from "./violation.ts";
import type { EventWorld } from "./world.ts";

type Find = (key: Key) => Item | undefined;

/** The scheduled worker for moves, again and again. A run that dies is followed by the next one. */
export async function scheduledMover(world: EventWorld, pause: () => Promise<void>): Promise<void> {
  while (!world.isClosing) {
    await pause();
    await new Promise<void>((resolve, reject) => {
      const deps = world.deps(new Process(resolve));
      const begun = movesUnderWay((key) => world.visible(key));
      resumeMoves(deps)
        .then(
          (finished) => {
            world.movesReported += finished;
            checkEnded(begun, (key) => world.truth(key));
            resolve();
          },
          () => resolve(),
        )
        .catch(reject);
    });
  }
}

/** The event that began the move of each organization that is moving. */
function movesUnderWay(find: Find): Map<string, string | undefined> {
  const moving = new Map<string, string | undefined>();
  for (const { uuid } of organizations) {
    const item = find(kinds.organization.key({ organization: uuid }));
    const organization = item && parseOrganization(item);
    if (organization?.leaving !== undefined && find(kinds.moving.key({ organization: uuid })))
      moving.set(uuid, organization.arrived);
  }
  return moving;
}

/** A run that met no error has ended every move that it found, whatever else the organization's events said meanwhile. */
function checkEnded(begun: ReadonlyMap<string, string | undefined>, truth: Find): void {
  const now = movesUnderWay(truth);
  for (const [uuid, arrived] of begun) {
    if (now.has(uuid) && now.get(uuid) === arrived)
      throw new Violation("moving", `a run without an error did not end the move of ${uuid}`);
  }
}

/** Each move has the same name however often its event is applied. */
export const movesBegunBy = (writes: readonly TransactionWrite[]): string[] =>
  writes.flatMap((write) =>
    "put" in write && write.put.pk === kinds.moving.partition()
      ? [`${write.put.sk} ${write.put.arrived}`]
      : [],
  );

export const endsMove = (writes: readonly TransactionWrite[]): boolean =>
  writes.some((write) => "delete" in write && write.delete.pk === kinds.moving.partition());

/** Only a move reads all pull requests of an organization. */
export const isReadToMove = ({ pk }: Range): boolean =>
  organizations.some(({ uuid }) => pk === kinds.pointer.partition({ organization: uuid }));

const placed = z.object({ provider_organization_id: z.string(), workspace_id: z.string().nullable() });

/** Only an event that changes the tenant again may wait for a move. */
export function checkWaiting(event: SimulatedEvent | undefined, truth: Find): void {
  if (event?.type !== "organization.saved") throw new Violation("held", `a ${event?.type} waits for a move`);
  const { provider_organization_id: id, workspace_id } = placed.parse(event.data);
  const uuid = organizations.find((each) => nameOf(each.id).provider_organization_id === id)?.uuid ?? "";
  const item = truth(kinds.organization.key({ organization: uuid }));
  if (!item) return;
  const { version, tenant } = parseOrganization(item);
  const named = workspace_id === null ? organizationTenant(uuid) : workspaceTenant(workspace_id);
  if (versionOf(event) <= version) throw new Violation("held", "a stale event waits for a move");
  if (named === tenant) throw new Violation("held", "an event that changes no tenant waits for a move");
}
