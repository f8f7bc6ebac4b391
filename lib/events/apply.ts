import { eventLimits } from "../contract/limits.ts";
import { eventQueueSettings } from "../contract/platform.ts";
import { describeError } from "../runtime/log.ts";
import { OneAtATime } from "../runtime/one-at-a-time.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { versionOf } from "../store/items/version.ts";
import { ReadAhead } from "../store/read-ahead.ts";
import type { Key, ReadOptions, Table } from "../store/table.ts";
import { checkData, checkOccurredAt } from "./check.ts";
import { deadLetter } from "./dead-letter.ts";
import {
  type EventReference,
  EventRefused,
  type PlatformEvent,
  readMessage,
  readReferenced,
} from "./envelope.ts";
import { eventErrorKind, WaitingEventFailed } from "./error-kind.ts";
import { eventTypeNamed } from "./event-type-named.ts";
import type { CheckedEvent, Dependency, EventType } from "./event-types.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";
import { type CountedTry, countTry, forgetTries, isSuspect, takeBack } from "./tries.ts";
import { keepWaiting, stopWaiting, waitingPages } from "./waiting.ts";

/** A message, parsed as far as possible without the bucket. */
type Opened<Message> = {
  readonly message: Message;
  readonly content: PlatformEvent | EventReference | EventRefused;
};

type Ready = {
  readonly message: QueueMessage;
  readonly type: EventType<unknown>;
  /** Without the received data: a large event would otherwise be in memory twice, with what was made of it. */
  readonly event: Pick<PlatformEvent, "id" | "occurred_at">;
  readonly checked: CheckedEvent<unknown>;
};

/**
 * Applies messages one after another. A message that can never be applied goes to the dead letters; a message that came
 * too early waits. Both count as done, and the next ones continue: every event is the whole state of its subject, or a
 * delta that counts once, so no event needs the one before it. `onDone` is called for every message that the queue may
 * delete. An error ends the group for now; the messages without `onDone` must be delivered again, in their order.
 */
export async function applyInOrder<Message extends QueueMessage>(
  deps: EventDeps,
  messages: readonly Message[],
  onDone: (message: Message) => Promise<void> | void,
): Promise<void> {
  for (const run of runsOf(messages.map(open))) {
    const isApplied = run.length > 1 && (await applyTogether(deps, run));
    for (const opened of run) {
      if (!isApplied) await applyAlone(deps, opened);
      await onDone(opened.message);
    }
  }
}

/** An event that fails stays and does not block the others. They get the receives of the event they waited for. */
export async function drain(deps: EventDeps, dependency: Key, receives: number): Promise<void> {
  const failures: unknown[] = [];
  for await (const waiting of waitingPages(deps, dependency)) {
    let left = waiting.map((message) => ({ ...message, receives }));
    while (left.length > 0) {
      const done = new Set<QueueMessage>();
      try {
        await applyInOrder(deps, left, async (message) => {
          await stopWaiting(deps.table, message.item);
          done.add(message);
        });
        break;
      } catch (error) {
        if (error instanceof TimeUp) throw error;
        failures.push(error);
        left = left.filter((message) => !done.has(message)).slice(1);
      }
    }
  }
  if (failures.length > 0)
    throw new WaitingEventFailed("Events that waited could not be applied.", { cause: failures[0] });
}

function open<Message extends QueueMessage>(message: Message): Opened<Message> {
  try {
    return { message, content: readMessage(message.body) };
  } catch (error) {
    if (error instanceof EventRefused) return { message, content: error };
    throw error;
  }
}

/** Groups consecutive events of one type, up to the type's maximum. A referenced event is large, so it is alone. */
function runsOf<Message extends QueueMessage>(
  opened: ReadonlyArray<Opened<Message>>,
): Array<Array<Opened<Message>>> {
  const runs: Array<Array<Opened<Message>>> = [];
  let joinable: { readonly type: string; room: number } | undefined;
  for (const each of opened) {
    const { content, message } = each;
    const type = "data" in content && !isSuspect(message) ? content.type : undefined;
    if (joinable && joinable.type === type && joinable.room > 0) {
      runs.at(-1)?.push(each);
      joinable.room--;
      continue;
    }
    runs.push([each]);
    joinable = type === undefined ? undefined : { type, room: (eventTypeNamed(type)?.eventsMax ?? 1) - 1 };
  }
  return runs;
}

/** Returns whether all events are applied. If one of them is faulty, it shows when each is tried alone. */
async function applyTogether(deps: EventDeps, run: readonly Opened<QueueMessage>[]): Promise<boolean> {
  try {
    await applyRun(deps, run);
    return true;
  } catch (error) {
    if (eventErrorKind(error) === "passing") throw error;
    return false;
  }
}

/** Applies one message and handles its errors. An error that is thrown leaves the message to its next delivery. */
async function applyAlone(deps: EventDeps, opened: Opened<QueueMessage>): Promise<void> {
  const { message } = opened;
  // An event that did not begin is not to blame for the time-out, not even at its last receive.
  deps.checkTime?.();
  const counted = isSuspect(message) ? await countTry(deps, message) : undefined;
  // The message is already a dead letter, but the queue was not informed.
  if (counted?.givenUp !== undefined && counted.givenUp === message.sending) return;
  if (counted && counted.count > eventLimits.triesMax) {
    const reason = `It was tried ${counted.count - 1} times, and the last time the worker stopped.`;
    await deadLetter(deps, message, reason);
    return;
  }
  const begunMs = deps.clock.nowMs();
  let isApplied = false;
  try {
    // The tries are deleted before the waiting events are processed: their errors are not this event's fault.
    await applyRun(deps, [opened], async () => {
      if (counted) await forgetTries(deps, message);
      isApplied = true;
    });
  } catch (error) {
    if (isApplied) leaveToScheduledWorker(deps, message, error);
    else await failTry(deps, message, error, { counted, begunMs });
  }
}

/** The event is applied, and some events that wait for it are not: they block its group for a limited time only. */
function leaveToScheduledWorker(
  deps: EventDeps,
  { id, group, receives = 0 }: QueueMessage,
  error: unknown,
): void {
  if (receives < eventLimits.receivesForWaiting) throw error;
  deps.log("warn", "Events that waited for an applied one are left to the scheduled worker.", {
    messageId: id,
    group,
    error: describeError(error),
  });
}

/** A try counts if the event may be to blame for its end, and at the last receives, before the queue gives it up. */
async function failTry(
  deps: EventDeps,
  message: QueueMessage,
  error: unknown,
  { counted, begunMs }: { readonly counted: CountedTry | undefined; readonly begunMs: number },
): Promise<void> {
  const kind = eventErrorKind(error);
  if (kind === "event") return await deadLetter(deps, message, reasonOf(error));
  const { receivesMax = eventQueueSettings.workerReceivesMax } = deps;
  const { id, receives = 0 } = message;
  const isOld = receives >= receivesMax;
  if (kind === "passing" && !isOld && !isTooLong(deps, error, begunMs)) {
    if (counted) await takeBack(deps, id, counted.id);
    throw error;
  }
  const { count } = counted ?? (await countTry(deps, message));
  if (count < eventLimits.triesMax) throw error;
  const times = isOld ? `was received ${receives} times` : `failed ${count} times`;
  await deadLetter(deps, message, `It ${times}. ${reasonOf(error)}`);
}

/** The event had most of a delivery's time, and the store and the bucket always answered quickly. */
const isTooLong = (
  { clock, timeBudgetMs = Number.POSITIVE_INFINITY, slowestAnswerMs }: EventDeps,
  error: unknown,
  begunMs: number,
): boolean =>
  error instanceof TimeUp &&
  (slowestAnswerMs?.() ?? 0) <= eventLimits.quickAnswerMsMax &&
  clock.nowMs() - begunMs >= timeBudgetMs / 2;

/** A refusal has a message of our own; for other errors, the part that may be logged. */
const reasonOf = (error: unknown): string =>
  error instanceof EventRefused ? error.message : (describeError(error)[0] ?? "No reason is known.");

/** A large event is held in memory several times: all groups of the worker process large events one at a time. */
const largeEvents = new OneAtATime();

async function applyRun(
  deps: EventDeps,
  run: readonly Opened<QueueMessage>[],
  onApplied: () => Promise<void> = async () => {},
): Promise<void> {
  const isLarge = run.some(({ content }) => "reference" in content);
  const apply = () => applyReady(deps, run);
  const known = await (isLarge ? largeEvents.run(apply) : apply());
  await onApplied();
  // Not inside `largeEvents`: the waiting events may include large ones.
  const receives = Math.max(...run.map(({ message }) => message.receives ?? 1));
  for (const key of known) await drain(deps, key, receives);
}

/** Returns the keys of the items that now exist, for which other events may wait. */
async function applyReady(deps: EventDeps, run: readonly Opened<QueueMessage>[]): Promise<Key[]> {
  const events: Ready[] = [];
  for (const opened of run) events.push(await checkEvent(deps, opened));
  const { judged, ahead } = await withDependencies(deps, events);
  const ready = judged.filter(({ missing }) => !missing).map(({ event }) => event);
  const [first] = ready;
  const checked = ready.map((event) => event.checked);
  if (first) await first.type.apply(deps, checked, ahead);
  const known: Key[] = [];
  for (const { event, missing } of judged) {
    const key = missing ? await wait(deps, event, missing) : event.type.provides(event.checked.data);
    if (key) known.push(key);
  }
  for (const { missing } of judged) deps.onOutcome?.(missing ? "waiting" : "applied");
  return known;
}

type Judged = { readonly event: Ready; readonly missing: Dependency | undefined };

/** One read for a whole run: its events mostly need the same few items. What their type reads first comes with it. */
async function withDependencies(
  deps: EventDeps,
  events: readonly Ready[],
): Promise<{ readonly judged: readonly Judged[]; readonly ahead: ReadAhead }> {
  const needs = events.map((event) => ({ event, need: event.type.dependency(event.checked.data) }));
  const data = events.map(({ checked }) => checked.data);
  const reads = events[0]?.type.reads?.(deps, data) ?? [];
  const keys = [...needs.flatMap(({ need }) => need?.key ?? []), ...reads];
  const options: ReadOptions = reads.length > 0 ? {} : { only: ["pk"] };
  const ahead = await new ReadAhead().read(deps.table, keys, options);
  const isMissing = (need: Dependency | undefined) => need && !ahead.get(need.key);
  const judged = needs.map(({ event, need }) => ({ event, missing: isMissing(need) ? need : undefined }));
  return { judged, ahead };
}

async function checkEvent(
  { bucket, clock }: EventDeps,
  { message, content }: Opened<QueueMessage>,
): Promise<Ready> {
  if (content instanceof EventRefused) throw content;
  const hasWaited = "item" in message;
  // A host accepted a waiting event already; our clock may be behind that host's.
  if (!hasWaited) checkOccurredAt(content, clock.nowMs());
  const event = "data" in content ? content : await fetchReferenced(bucket, content);
  const { type, data } = checkData(event, clock.nowMs());
  const { id, occurred_at } = event;
  return {
    message,
    type,
    event: { id, occurred_at },
    checked: { id: event.id, version: versionOf(event), data, hasWaited },
  };
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
 * The event is stored first, then the dependency is checked again. An arriving dependency is also written first and
 * then looks for waiting events, so at least one of the two sees the other. Returns the dependency's key if it exists
 * now.
 */
async function wait(
  deps: EventDeps,
  { message, event }: Ready,
  dependency: Dependency,
): Promise<Key | undefined> {
  await keepWaiting(deps, message, event, dependency);
  return (await isKnown(deps.table, dependency.key)) ? dependency.key : undefined;
}
