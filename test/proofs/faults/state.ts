import { createHash } from "node:crypto";
import * as z from "zod";
import type { Item, Key, Table } from "../../../lib/store/table.ts";
import { scanAll } from "../../support/scan-all.ts";

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** JSON with sorted fields, because the store keeps no order; bytes as their digest. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Uint8Array) return createHash("sha256").update(inner).digest("base64url");
    return typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  });

const drawn =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bk[a-z2-7]{16}\b|\b[0-9a-f]{64}\b/g;
const dated = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Seconds or milliseconds of the present time. */
const counted = /(?<=":)1[789]\d{8}(?:\d{3})?(?=[,}])/g;
/** Counters, logs, and the notes that may lead the reconciler to a Learning, or ring a webhook, once too often. */
const uncompared = /^(LIMIT|REFUSED|USED|AUDIT|CURSOR-KEYS|STALE|NEWS)/;

type ItemText = { readonly text: string; readonly words: readonly string[] };

function makeText(item: Item): ItemText {
  const text = stable(item);
  return { text, words: [drawn, dated, counted].flatMap((form) => text.match(form) ?? []) };
}

/** Most items are the same in every reading of a table, and serializing them takes long. */
const textsMade = new Map<string, ItemText>();
function textOf(item: Item): ItemText {
  // Bytes are longer as JSON than their digest.
  if (Object.values(item).some((value) => value instanceof Uint8Array)) return makeText(item);
  const json = JSON.stringify(item);
  const made = textsMade.get(json) ?? makeText(item);
  textsMade.set(json, made);
  return made;
}

export type TableState = {
  /** Everything except counters and logs, without values that are random or dated in every run. */
  readonly things: readonly string[];
  /** The entries of the audit log, in no order. */
  readonly audited: readonly string[];
};

/** The contents of a table, and the state that a run made of them. */
export class TableContents {
  readonly items: ReadonlyMap<string, Item>;
  readonly #texts = new Map<string, string>();
  readonly #known = new Set<string>();

  constructor(items: Iterable<Item> = []) {
    this.items = new Map([...items].map((item) => [nameOf(item), item]));
    for (const [name, item] of this.items) {
      const { text, words } = textOf(item);
      this.#texts.set(name, text);
      for (const word of words) this.#known.add(word);
    }
  }

  static async read(table: Table): Promise<TableContents> {
    return new TableContents(await scanAll(table));
  }

  /** Changes the table from `now` to exactly these contents. */
  async restore(table: Table, now: TableContents): Promise<void> {
    const gone = [...now.items]
      .filter(([name]) => !this.items.has(name))
      .map(([, { pk, sk }]) => ({ delete: { pk, sk } }));
    const changed = [...this.items].filter(([name]) => now.#texts.get(name) !== this.#texts.get(name));
    await table.writeMany([...gone, ...changed.map(([, item]) => ({ put: item }))]);
  }

  /** The state that two equal runs from these contents must leave. */
  stateAfter(now: TableContents): TableState {
    const things: string[] = [];
    const audited: string[] = [];
    for (const [name, item] of now.items) {
      const text = now.#texts.get(name) ?? "";
      if (uncompared.test(item.pk)) {
        if (item.pk.startsWith("AUDIT#") && !this.items.has(name))
          audited.push(this.#plain(stable(entryOf(item))));
        continue;
      }
      things.push(this.#texts.get(name) === text ? text : this.#plain(stable(item)));
    }
    return { things: things.sort(), audited: audited.sort() };
  }

  #plain(text: string): string {
    const unless = (word: string, other: string) => (this.#known.has(word) ? word : other);
    const plain = text
      .replaceAll(drawn, (id) => unless(id, "a new id"))
      .replaceAll(dated, (time) => unless(time, "a new time"))
      .replaceAll(counted, (time) => unless(time, "0"));
    // Sorts again: the random values had decided the order of the fields.
    return stable(JSON.parse(plain));
  }
}

const entry = z.object({ action: z.string(), resource_id: z.string().nullable() });

/** The subject of a log entry, without its details. */
export function subjectOf(audited: string): string {
  const { action, resource_id } = entry.parse(JSON.parse(audited));
  return `${action} ${resource_id}`;
}

const entryOf = ({ pk, action, resource_type, resource_id, summary, actor, metadata }: Item) => ({
  pk,
  action,
  resource_type,
  resource_id,
  summary,
  actor,
  metadata,
});
