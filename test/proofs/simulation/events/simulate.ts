import * as z from "zod";
import { AuthenticationError, authenticate } from "../../../../lib/access/authenticate.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { eventLimits } from "../../../../lib/contract/limits.ts";
import { workspaceTenant } from "../../../../lib/contract/tenants.ts";
import { expireWaiting } from "../../../../lib/events/expire.ts";
import type { DeadLetter } from "../../../../lib/events/ports.ts";
import { resumeMoves } from "../../../../lib/organizations/move.ts";
import { versionOf } from "../../../../lib/store/items/version.ts";
import type { Item, Key } from "../../../../lib/store/table.ts";
import { pointerIdOf } from "../../../../lib/stream/pointer.ts";
import { checkPeople } from "../../../people/checks.ts";
import { Process } from "../world.ts";
import { checkSent } from "./check-sent.ts";
import { nameOf, organizations, type SimulatedEvent, users } from "./history.ts";
import { byVersion } from "./platform.ts";
import { Violation } from "./violation.ts";
import { type EventWeakness, EventWorld } from "./world.ts";

/**
 * Runs one seed: events, an admin and faults; then no more faults, rest, and the final check. Returns the violation
 * found.
 */
export async function simulateEvents(seed: number, weakness?: EventWeakness): Promise<Error | undefined> {
  const world = new EventWorld(seed, weakness);
  try {
    world.send(world.events);
    const workers = [world.worker(), world.worker(), world.worker()];
    for (const actor of [...workers, world.admin(), world.platform(), world.mover()])
      actor.catch((error: unknown) => world.fail(error));
    await world.run(() => world.isAllSent && world.queue.isEmpty);
    if (world.redrive()) await world.run(() => world.queue.isEmpty);
    world.isClosing = true;
    await world.run();
    world.calm();
    await world.finish(rest(world));
    checkRest(world);
    await world.finish(checkKeys(world));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Runs the scheduled work: at once, and after every event that cannot be applied has waited long enough. */
async function rest(world: EventWorld): Promise<void> {
  world.movesReported += await resumeMoves(world.deps(new Process()));
  for (const days of [0, eventLimits.waitingDaysMax + 1]) {
    world.passDays(days);
    // An event that ends its worker ends this run too, until the event is given up.
    for (let run = 0; run <= eventLimits.triesMax; run++) await look(world);
  }
}

/**
 * One run of the worker for waiting events; it reports each event that cannot be applied. `checkRest` checks the
 * result.
 */
function look(world: EventWorld): Promise<void> {
  return new Promise((resolve) => {
    const deps = world.deps(new Process(resolve));
    expireWaiting(deps).then(resolve, () => resolve());
  });
}

/** Every good event is applied, none is a dead letter, and people and seats are what the newest events say. */
function checkRest(world: EventWorld): void {
  const { buried } = world.queue;
  if (buried.length > 0) throw new Violation("buried", `the queue buried ${buried.length} without a reason`);
  const dead = new Set(world.letters.map(eventOf));
  for (const { id, fate, type } of world.events) {
    if (fate === "good" && dead.has(id))
      throw new Violation("dead", `a good ${type} is a dead letter: ${reasonOf(world, id)}`);
    if (fate !== "good" && !dead.has(id)) throw new Violation("alive", `a ${fate} event is no dead letter`);
    const isWaitedFor = reasonOf(world, id)?.startsWith("It was received");
    // If the store is often slow or unavailable, or its calls fail, or moves are long, tries end for that reason: this does not count
    // against an event, and a deadly event seldom gets as far as ending its worker within the few receives of a
    // simulated life.
    const isTroubled = world.isSlow || world.isFlapping || world.isRough || world.isBusy;
    const mayPass =
      fate === "forbidden" || (fate === "lasting" && world.isSlow) || (fate === "deadly" && isTroubled);
    if (isWaitedFor && !mayPass)
      throw new Violation("patient", `a ${fate} event held up its group: ${reasonOf(world, id)}`);
  }
  if (world.movesReported > world.movesBegun.size)
    throw new Violation(
      "moving",
      `${world.movesReported} ends of ${world.movesBegun.size} moves are reported`,
    );
  const items = world.everything();
  if (items.some(({ pk }) => pk.startsWith("WAITING")))
    throw new Violation("waiting", "an event still waits");
  const at = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  for (const [key, event] of newest(world.events)) {
    if (!isWhatItSays(at.get(key), event))
      throw new Violation("missed", `${key} is not what ${event.type} at ${event.occurred_at} says`);
  }
  checkSent(world.events, ({ pk, sk }) => at.get(`${pk} ${sk}`), world.modeChanged);
  try {
    checkPeople(items);
  } catch (error) {
    throw new Violation("people", error instanceof Error ? error.message : String(error));
  }
}

/** The version of a pull request's pointer is stored in two parts. */
const isWhatItSays = (item: Item | undefined, event: SimulatedEvent): boolean =>
  event.type === "pull_request.finalized"
    ? item?.o === Date.parse(event.occurred_at) && item.e === event.id
    : item?.version === versionOf(event);

const reasonOf = (world: EventWorld, id: string): string | undefined =>
  world.letters.find((letter) => eventOf(letter) === id)?.reason;

/** The id of the event in a letter: an event that is sent again has a new message id. */
const eventOf = ({ body }: DeadLetter): string => envelope.parse(JSON.parse(body)).id;
const envelope = z.object({ id: z.string() });

/** The newest good event of each item, by the item's key. */
function newest(events: readonly SimulatedEvent[]): Map<string, SimulatedEvent> {
  const found = new Map<string, SimulatedEvent>();
  for (const event of events.filter(({ fate }) => fate === "good").toSorted(byVersion)) {
    const key = keyOf(event);
    if (key) found.set(`${key.pk} ${key.sk}`, event);
  }
  return found;
}

function keyOf({ type, data }: SimulatedEvent): Key | undefined {
  if (type === "workspace.saved") return kinds.tenant.key({ tenant: workspaceTenant("acme") });
  const organization = organizations.find(
    ({ id }) => JSON.stringify(nameOf(id)) === JSON.stringify({ ...nameOf(id), ...pick(data) }),
  );
  if (!organization) return undefined;
  if (type === "organization.saved") return kinds.organization.key({ organization: organization.uuid });
  const { uuid } = organization;
  const { user_id, repository_id, pr_url } = names.parse(data);
  if (type === "member.saved" && user_id !== undefined && users.includes(user_id))
    return kinds.member.key({ organization: uuid, userId: user_id });
  if (type === "repository.saved" && repository_id !== undefined)
    return kinds.repository.key({ organization: uuid, repositoryId: repository_id });
  if (type === "pull_request.finalized" && pr_url !== undefined)
    return kinds.pointer.key({ organization: uuid, pointerId: pointerIdOf(pr_url) });
  return undefined;
}

const names = z.object({
  user_id: z.string().optional(),
  repository_id: z.string().optional(),
  pr_url: z.string().optional(),
});

const pick = (data: unknown): object =>
  typeof data === "object" && data && "provider_organization_id" in data
    ? { provider_organization_id: data.provider_organization_id }
    : {};

/** A member's key works exactly while the member is active in the newest event. */
async function checkKeys(world: EventWorld): Promise<void> {
  const states = newest(world.events);
  const deps = world.deps(new Process());
  for (const { text, uuid, user } of world.keys) {
    const { pk, sk } = kinds.member.key({ organization: uuid, userId: user });
    const isActive = isActiveIn(states.get(`${pk} ${sk}`));
    const works = await authenticate(deps, { text }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AuthenticationError) return false;
        throw error;
      },
    );
    if (works !== isActive)
      throw new Violation("key", `the key of ${user} ${works ? "still works" : "is dead"}`);
  }
}

const isActiveIn = (event: SimulatedEvent | undefined): boolean =>
  typeof event?.data === "object" &&
  event.data !== null &&
  "active" in event.data &&
  event.data.active === true;
