import { createHash } from "node:crypto";
import { v5 } from "uuid";
import * as z from "zod";
import { identityNamespace, organizationUuid } from "../contract/identity.ts";
import { eventLimits } from "../contract/limits.ts";
import { identifier } from "../contract/parameters.ts";
import type { EventReference } from "./envelope.ts";
import type { EventBucket, EventQueue, QueueMessage } from "./ports.ts";
import { organizationNameSchema } from "./schemas.ts";

/** An event as its sender has it: the envelope is valid; the worker validates the data. */
export type OutgoingEvent = {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: unknown;
};

/** Sends events in their order; large ones through the bucket. */
export async function sendEvents(
  queue: EventQueue,
  bucket: EventBucket,
  events: readonly OutgoingEvent[],
): Promise<void> {
  const messages: QueueMessage[] = [];
  for (const event of events) messages.push(await toMessage(bucket, event));
  await queue.send(messages);
}

async function toMessage(bucket: EventBucket, event: OutgoingEvent): Promise<QueueMessage> {
  const content = sendable(JSON.stringify(event));
  const isLarge = Buffer.byteLength(content) >= eventLimits.inlineBytesMax;
  const body = isLarge ? await storeByReference(bucket, event, content) : content;
  return { id: event.id, group: groupOf(event), body };
}

/** Stores an event in the bucket; returns the message that refers to it. */
async function storeByReference(bucket: EventBucket, event: OutgoingEvent, content: string): Promise<string> {
  // The digest separates two contents with one event id, so that neither changes while a message waits.
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  const { id, type, occurred_at } = event;
  const message: EventReference = { id, type, occurred_at, reference: `${id}-${digest}.json` };
  await bucket.put(message.reference, Buffer.from(content));
  return JSON.stringify(message);
}

/** JSON may hold these two characters unescaped; SQS accepts them only escaped. */
const sendable = (json: string): string =>
  json.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

const ownId = z.object({ id: identifier });

/**
 * Groups what must stay in order: an instance with all its organizations, an organization, a workspace. Names are
 * derived, because SQS accepts 128 plain characters and ids may hold any. An event that names none of them has its own
 * group.
 */
export function groupOf({ id, type, data }: OutgoingEvent): string {
  const own = ownId.safeParse(data);
  if (type === "workspace.saved" && own.success) return named("workspace", own.data.id);
  if (type === "instance.saved" && own.success) return named("instance", own.data.id);
  const organization = organizationNameSchema.safeParse(data);
  if (!organization.success) return named("event", id);
  const { instance_id } = organization.data;
  return instance_id === null
    ? `organization.${organizationUuid(organization.data)}`
    : named("instance", instance_id);
}

const named = (kind: string, id: string): string =>
  `${kind}.${v5(JSON.stringify([kind, id]), identityNamespace)}`;
