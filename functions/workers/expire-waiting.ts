import { workerDependencies } from "../../lib/events/dependencies.ts";
import { expireWaiting } from "../../lib/events/expire.ts";

/** Behind the clock: events that waited too long for what they need. */
export async function handler(): Promise<void> {
  await expireWaiting(workerDependencies());
}
