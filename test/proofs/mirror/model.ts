import { ReviewApiError } from "../../../lib/client/error.ts";
import type { Dice } from "../../../lib/local/demo/dice.ts";
import type { Disk, OpenFile } from "../../../lib/mirror/disk.ts";
import type { ExportFormat } from "../../../lib/mirror/format.ts";
import { identityFields } from "../../../lib/mirror/identity.ts";
import type { MirrorChange } from "../../../lib/mirror/journal.ts";
import { csvTableOf, layoutOf, type RecordFields } from "../../../lib/mirror/layout.ts";
import type { ExportPage, ExportWalk } from "../../../lib/mirror/sources.ts";

const identity = { thing: "id", organization: ["provider", "organization_id"] };
const columns = [...identityFields(identity), "text"].map((name) => ({
  name,
  cell: (record: RecordFields) => String(record[name]),
}));

type Thing = { readonly fields: RecordFields; number: number; text: string | null };
type Organization = { number: number; isVisible: boolean };

const names = ["=1", "2", '3,"x"\n'] as const;

/**
 * The part of the service that a mirror uses: things of organizations, each at the number of its last change, and pages
 * in the order of numbers. A thing that left the scope is reported once; a thing that came into it is sent again.
 */
export class Service {
  readonly #things = new Map<string, Thing>();
  readonly #organizations = new Map<string, Organization>();
  readonly #dice: Dice;
  #next = 1;
  #refusedUpTo = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  change(): void {
    const what = this.#dice.weigh([
      ["write", 60],
      ["remove", 20],
      ["flip", 15],
      ["refuse", 5],
    ]);
    const name = this.#dice.pick(names);
    if (what === "refuse") this.#refusedUpTo = this.#next - 1;
    else if (what === "flip") this.#flip(name);
    else this.#put(name, what === "write");
  }

  #put(name: string, isWritten: boolean): void {
    const id = `${this.#dice.below(6)}`;
    const fields = { provider: "github", organization_id: name, id: `thing ${id}` };
    const number = this.#next++;
    const text = isWritten ? `=${number} "quoted",\r\nsecond line` : null;
    this.#things.set(`${name} ${id}`, { fields, number, text });
  }

  #flip(name: string): void {
    const isVisible = this.#organizations.get(name)?.isVisible ?? true;
    this.#organizations.set(name, { number: this.#next++, isVisible: !isVisible });
    for (const thing of this.#things.values())
      if (!isVisible && thing.fields.organization_id === name) thing.number = this.#next++;
  }

  /** `beforePage`: runs while the walk is under way. */
  walk(format: ExportFormat, pageSizeMax: number, beforePage: () => void = () => undefined): ExportWalk {
    const table = csvTableOf<RecordFields, RecordFields>(columns, (record) => [record]);
    return {
      identity,
      layout: layoutOf(format, table, identityFields(identity)),
      pageSizeMax,
      onlyGrows: false,
      isAmbiguous: async () => false,
      page: async ({ cursor, limit }) => {
        beforePage();
        return await this.#page(cursor === undefined ? undefined : Number(cursor), limit);
      },
    };
  }

  async #page(cursor: number | undefined, limit: number): Promise<ExportPage> {
    if (cursor !== undefined && cursor <= this.#refusedUpTo && cursor > 0) throw await refusal();
    const changes = this.#changesInOrder()
      .filter(
        ({ number, change }) => number > (cursor ?? 0) && (cursor !== undefined || change.kind === "written"),
      )
      .toSorted((one, other) => one.number - other.number);
    const page = changes.slice(0, limit);
    const isLast = changes.length <= limit;
    const place = String(isLast ? this.#next - 1 : page.at(-1)?.number);
    return {
      changes: page.map(({ change }) => change),
      nextCursor: isLast ? null : place,
      resumeCursor: isLast ? place : null,
    };
  }

  #changesInOrder(): Array<{ readonly number: number; readonly change: MirrorChange }> {
    const left = [...this.#organizations].map(([name, { number }]) => ({
      number,
      change: { kind: "left", fields: { provider: "github", organization_id: name } } as const,
    }));
    const things = [...this.#things.values()]
      .filter(({ fields }) => this.#organizations.get(String(fields.organization_id))?.isVisible ?? true)
      .map(({ fields, number, text }) => {
        const change: MirrorChange =
          text === null
            ? { kind: "removed", fields }
            : { kind: "written", fields, json: JSON.stringify({ ...fields, text }) };
        return { number, change };
      });
    return [...left, ...things];
  }
}

const refusal = (): Promise<ReviewApiError> =>
  ReviewApiError.from(
    Response.json(
      {
        error: {
          code: "INVALID_CURSOR",
          message: "cursor: is older than 30 days. Start again without a cursor.",
        },
      },
      { status: 400 },
    ),
  );

export class Crash extends Error {}

/** Ends the process at one of its steps: before, in the middle of, or right after the step. */
export class CrashingDisk implements Disk {
  readonly #disk: Disk;
  readonly #dice: Dice;
  #stepsLeft: number;
  isDead = false;

  constructor(disk: Disk, dice: Dice, steps: number) {
    this.#disk = disk;
    this.#dice = dice;
    this.#stepsLeft = steps;
  }

  async #step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new Crash();
    if (this.#stepsLeft-- > 0) return await work();
    this.isDead = true;
    if (this.#dice.percent(50)) await work();
    throw new Crash();
  }

  openAt = (file: string, bytes: number, mode?: number): Promise<OpenFile> =>
    this.#open(() => this.#disk.openAt(file, bytes, mode));
  appendAt = (file: string, bytes: number): Promise<OpenFile> =>
    this.#open(() => this.#disk.appendAt(file, bytes));

  async #open(open: () => Promise<OpenFile>): Promise<OpenFile> {
    const opened: OpenFile[] = [];
    await this.#step(async () => void opened.push(await open())).catch(async (error: unknown) => {
      for (const each of opened) await each.close();
      throw error;
    });
    const [handle] = opened;
    if (!handle) throw new Crash();
    return {
      write: async (content) => {
        const part = content.subarray(0, this.#dice.below(content.length + 1));
        if (this.#stepsLeft === 0 && !this.isDead) await handle.write(part);
        await this.#step(() => (this.isDead ? Promise.resolve() : handle.write(content)));
      },
      sync: () => this.#step(() => handle.sync()),
      close: () => handle.close(),
    };
  }

  replace = (from: string, to: string): Promise<void> => this.#step(() => this.#disk.replace(from, to));
  remove = (file: string): Promise<void> => this.#step(() => this.#disk.remove(file));
}
