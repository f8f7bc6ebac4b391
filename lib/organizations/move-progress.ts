import * as kinds from "../contract/items.ts";
import { type MovingItem, parseMoving } from "../store/items/moving.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { type AttributeValue, type Item, type Table, writeIf } from "../store/table.ts";

/** The organization, and the event that began its move. */
type Moving = Pick<OrganizationItem, "uuid" | "arrived">;

/** The note of a move that an event begins. The event's worker has the first turn. */
export const newMove = ({ uuid, arrived }: Moving, busyUntilMs: number): Item => ({
  ...kinds.moving.key({ organization: uuid }),
  ...(arrived !== undefined && { arrived }),
  busy_until_ms: busyUntilMs,
});

/** In the move's note, so that a later run does not read again what has moved. Notes of other moves are not used. */
export class MoveProgress {
  readonly #table: Table;
  readonly #organization: Moving;
  #done: readonly string[];
  after: string | undefined;

  private constructor(table: Table, organization: Moving, note: MovingItem | undefined) {
    this.#table = table;
    this.#organization = organization;
    this.#done = note?.done ?? [];
    this.after = note?.after;
  }

  static async read(table: Table, organization: Moving): Promise<MoveProgress> {
    const item = await table.get(kinds.moving.key({ organization: organization.uuid }));
    const note = item && parseMoving(item);
    return new MoveProgress(table, organization, note?.arrived === organization.arrived ? note : undefined);
  }

  isDone(kind: string): boolean {
    return this.#done.includes(kind);
  }

  async finish(kind: string): Promise<void> {
    this.#done = [...this.#done, kind];
    await this.#set("done", this.#done);
  }

  async reach(after: string): Promise<void> {
    this.after = after;
    await this.#set("after", after);
  }

  /** Tells other runs that a process works on the move. */
  async takeTurn(busyUntilMs: number): Promise<void> {
    await this.#set("busy_until_ms", busyUntilMs);
  }

  /** If the note is gone, another run has ended the move. */
  async #set(name: string, value: AttributeValue): Promise<void> {
    const { uuid, arrived } = this.#organization;
    const when = {
      all: [
        { present: "pk" },
        arrived === undefined ? { absent: "arrived" } : { equals: ["arrived", arrived] as const },
      ],
    };
    await writeIf(
      this.#table,
      { update: kinds.moving.key({ organization: uuid }), change: { set: [[name, value]] }, when },
      { idempotent: true },
    );
  }
}
