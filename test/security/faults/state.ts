import type { Item, Key, Table } from "../../../lib/store/table.ts";

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

export async function readAll(table: Table): Promise<Map<string, Item>> {
  const items = new Map<string, Item>();
  let resume: Key | undefined;
  do {
    const page = await table.scanPage({}, resume);
    for (const item of page.items) items.set(nameOf(item), item);
    resume = page.resume;
  } while (resume);
  return items;
}

/** Puts the table back as it was. */
export async function restore(table: Table, before: ReadonlyMap<string, Item>): Promise<void> {
  const now = await readAll(table);
  const gone = [...now]
    .filter(([name]) => !before.has(name))
    .map(([, { pk, sk }]) => ({ delete: { pk, sk } }));
  const changed = [...before].filter(([name, item]) => stable(now.get(name)) !== stable(item));
  await table.writeMany([...gone, ...changed.map(([, item]) => ({ put: item }))]);
}

/** JSON with the fields in one order: the store keeps none. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

export type State = {
  /** Everything that is not counted, dated or logged, with ids that are drawn anew left out. */
  readonly things: readonly string[];
  /** What the audit log tells, in no order. */
  readonly told: readonly string[];
};

/** The table as two runs of the same request must leave it. */
export function stateOf(items: ReadonlyMap<string, Item>, before: ReadonlyMap<string, Item>): State {
  const known = stable([...before.values()]);
  const withoutNewIds = (value: unknown): string => {
    const text = JSON.stringify(value).replaceAll(uuid, (id) => (known.includes(id) ? id : "a new id"));
    return stable(JSON.parse(text));
  };
  const all = [...items.values()];
  const things = all
    .filter(({ pk }) => !/^(LIMIT|REFUSED|AUDIT|CURSOR-KEYS)/.test(pk))
    .map(({ last_used_at_ms: _, ...item }) => withoutNewIds(item));
  const entries = all
    .filter((item) => item.pk.startsWith("AUDIT#") && !before.has(nameOf(item)))
    .map(({ pk, action, resource_type, resource_id, summary, actor, metadata }) =>
      withoutNewIds({ pk, action, resource_type, resource_id, summary, actor, metadata }),
    );
  return { things: things.sort(), told: entries.sort() };
}
