import { sendEvents } from "../../../lib/events/send.ts";
import { systemClock, toTimestamp } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { World } from "../../support/world.ts";
import type { Deployment } from "./deployment.ts";

/** The world of the other tests, sent through the deployed queue and its function. */
export class QueuedWorld extends World {
  readonly #deployment: () => Deployment;
  #count = 0;

  constructor(deployment: () => Deployment) {
    super(() => deployment().store.table);
    this.#deployment = deployment;
  }

  override async sendEvent(type: string, data: object): Promise<void> {
    const returned = await this.send(type, data);
    if (returned.length > 0) throw new Error(`${type} is to come again.`);
  }

  /** Returns the messages to redeliver. */
  async send(type: string, data: object): Promise<readonly string[]> {
    const { deliver, iamProxy } = this.#deployment();
    const event = {
      id: systemRandom.uuid(),
      type,
      occurred_at: toTimestamp(systemClock.nowMs() + this.#count++),
      data,
    };
    let returned: readonly string[] = [];
    await sendEvents(
      {
        send: async (messages) => {
          returned = await deliver(messages);
        },
      },
      {
        put: async (name, content) => void iamProxy.objects.set(name, Buffer.from(content)),
        get: async () => undefined,
      },
      [event],
    );
    return returned;
  }
}
