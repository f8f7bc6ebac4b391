import { type EventType, eventTypes } from "./event-types.ts";

/** Undefined for a type that this release does not know. */
export const eventTypeNamed = (name: string): EventType<unknown> | undefined =>
  Object.hasOwn(eventTypes, name) ? eventTypes[name] : undefined;
