import { eventLimits } from "../contract/limits.ts";
import type { Key, Table } from "../store/table.ts";
import {
  check,
  type EventReference,
  EventRefused,
  type PlatformEvent,
  readMessage,
  readReferenced,
  versionOf,
} from "./envelope.ts";
import { type CheckedEvent, type Dependency, type EventType, eventTypes } from "./event-types.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";
import { keepWaiting, stopWaiting, waitingPages } from "./waiting.ts";

/** A message as far as it could be read without the bucket. */
type Opened<Message> = {
  readonly message: Message;
  readonly content: PlatformEvent | EventReference | EventRefused;
};

/** An event that is ready to be applied by its type. */
type Ready = {
  readonly message: QueueMessage;
  readonly type: EventType<unknown>;
  readonly event: PlatformEvent;
  readonly checked: CheckedEvent<unknown>;
};

/**
 * Applies messages one after another. A bad one goes to the dead letters, one that came too early waits; both
 * count as done. `onDone` hears of every message that may be forgotten; what is thrown is a passing fault, and
 * the messages not heard of by then are to be delivered again.
 */
export async function applyInOrder<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  onDone: (message: Message) => Promise<void> | void,
): Promise<void> {
  for (const run of runsOf(messages.map(open))) {
    await applyRun(deps, run);
    for (const { message } of run) await onDone(message);
  }
}

/** Applies whatever waits for this item, which is known by now. */
export async function drain(deps: EventDeps, dependency: Key): Promise<void> {
  for await (const messages of waitingPages(deps.table, dependency)) {
    await applyInOrder(deps, messages, ({ item }) => stopWaiting(deps.table, item));
  }
}

export async function deadLetter(deps: EventDeps, message: QueueMessage, reason: string): Promise<void> {
  const { id, group, body } = message;
  const shortReason = reason.slice(0, eventLimits.reasonCharactersMax).toWellFormed();
  await deps.deadLetters.send([{ id, group, body, reason: shortReason }]);
  deps.onOutcome?.("dead");
  deps.log("warn", "An event went to the dead letters.", { messageId: id, group, reason: shortReason });
}

function open<Message extends QueueMessage>(message: Message): Opened<Message> {
  try {
    return { message, content: readMessage(message.body) };
  } catch (error) {
    if (error instanceof EventRefused) return { message, content: error };
    throw error;
  }
}

const typeOf = (name: string): EventType<unknown> | undefined =>
  Object.hasOwn(eventTypes, name) ? eventTypes[name] : undefined;

/** Consecutive events of one type, as many as the type takes at once. A referenced one, being large, is alone. */
function runsOf<Message>(opened: ReadonlyArray<Opened<Message>>): Array<Array<Opened<Message>>> {
  const runs: Array<Array<Opened<Message>>> = [];
  let joinable: { readonly type: string; room: number } | undefined;
  for (const each of opened) {
    const { content } = each;
    const type = "data" in content ? content.type : undefined;
    if (joinable && joinable.type === type && joinable.room > 0) {
      runs.at(-1)?.push(each);
      joinable.room--;
      continue;
    }
    runs.push([each]);
    joinable = type === undefined ? undefined : { type, room: (typeOf(type)?.eventsMax ?? 1) - 1 };
  }
  return runs;
}

async function applyRun(deps: EventDeps, run: readonly Opened<QueueMessage>[]): Promise<void> {
  const events: Ready[] = [];
  for (const opened of run) {
    await orDeadLetter(deps, opened.message, async () => {
      events.push(await checkEvent(deps, opened));
    });
  }
  const ready: Ready[] = [];
  for (const { event, missing } of await withDependencies(deps.table, events)) {
    if (missing) await orDeadLetter(deps, event.message, () => wait(deps, event, missing));
    else ready.push(event);
  }
  await applyReady(deps, ready);
}

/** One read for a whole run, whose events mostly need the same few things. */
async function withDependencies(
  table: Table,
  events: readonly Ready[],
): Promise<ReadonlyArray<{ readonly event: Ready; readonly missing: Dependency | undefined }>> {
  const needs = events.map((event) => ({ event, need: event.type.dependency(event.checked.data) }));
  const dependent = needs.flatMap(({ event, need }) => (need ? [{ event, need }] : []));
  const keys = dependent.map(({ need }) => need.key);
  const items = keys.length > 0 ? await table.getMany(keys, { only: ["pk"] }) : [];
  const known = new Set(dependent.flatMap(({ event }, index) => (items[index] ? [event] : [])));
  return needs.map(({ event, need }) => ({ event, missing: known.has(event) ? undefined : need }));
}

async function applyReady(deps: EventDeps, ready: readonly Ready[]): Promise<void> {
  const [first, second] = ready;
  if (!first) return;
  try {
    await first.type.apply(
      deps,
      ready.map(({ checked }) => checked),
    );
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    // One of several is bad: alone, each shows whether it is the one.
    if (second) for (const each of ready) await applyReady(deps, [each]);
    else await deadLetter(deps, first.message, error.message);
    return;
  }
  for (const { type, checked } of ready) {
    deps.onOutcome?.("applied");
    const provided = type.provides(checked.data);
    if (provided) await drain(deps, provided);
  }
}

async function checkEvent({ bucket }: EventDeps, { message, content }: Opened<QueueMessage>): Promise<Ready> {
  if (content instanceof EventRefused) throw content;
  const event = "data" in content ? content : await fetchReferenced(bucket, content);
  const type = typeOf(event.type);
  if (!type) throw new EventRefused(`type: ${event.type} is not known`);
  const data = check(type.schema, event.data);
  return { message, type, event, checked: { id: event.id, version: versionOf(event), data } };
}

async function fetchReferenced(
  bucket: EventDeps["bucket"],
  reference: EventReference,
): Promise<PlatformEvent> {
  const content = await bucket.get(reference.reference);
  if (!content) throw new EventRefused("reference: there is nothing of this name in the bucket");
  if (content.byteLength > eventLimits.eventBytesMax) {
    throw new EventRefused(`reference: the event is larger than ${eventLimits.eventBytesMax} bytes`);
  }
  return readReferenced(reference, content);
}

const isKnown = async (table: Table, key: Key): Promise<boolean> =>
  (await table.get(key, { only: ["pk"] })) !== undefined;

/**
 * First it is stored, then we look again: whatever arrives writes itself first and then looks for who waits,
 * so at least one of the two sees the other.
 */
async function wait(deps: EventDeps, { message, event }: Ready, dependency: Dependency): Promise<void> {
  await keepWaiting(deps, message, event, dependency);
  deps.onOutcome?.("waiting");
  if (await isKnown(deps.table, dependency.key)) await drain(deps, dependency.key);
}

async function orDeadLetter(
  deps: EventDeps,
  message: QueueMessage,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    await deadLetter(deps, message, error.message);
  }
}
