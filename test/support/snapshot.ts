import type { Item, Key, Table } from "../../lib/store/table.ts";
import { scanAll } from "./scan-all.ts";

/** A table as it was, to which it returns. What stands between the handlers and the engine notes every call. */
export type Snapshot = {
  note(call: { readonly operation: string; readonly body: string }): void;
  restore(): Promise<void>;
};

export async function snapshotOf(table: Table): Promise<Snapshot> {
  const nameOf = ({ pk, sk }: Key): string => `${pk}\0${sk}`;
  const before = new Map((await scanAll(table)).map((item) => [nameOf(item), item]));
  const written = new Map<string, Key>();
  return {
    note({ operation, body }) {
      if (/Put|Update|Delete|Write/.test(operation))
        for (const key of keysIn(JSON.parse(body))) written.set(nameOf(key), key);
    },
    async restore() {
      const writes = [...written].map(([name, key]): { put: Item } | { delete: Key } => {
        const item = before.get(name);
        return item ? { put: item } : { delete: key };
      });
      await table.writeMany(writes);
      written.clear();
    },
  };
}

/** Every key in a call of DynamoDB, as `{ pk: { S }, sk: { S } }` at any depth. */
function keysIn(value: unknown): Key[] {
  if (typeof value !== "object" || value === null) return [];
  const [pk, sk] = ["pk", "sk"].map((name) => Reflect.get(Object(Reflect.get(value, name)), "S"));
  if (typeof pk === "string" && typeof sk === "string") return [{ pk, sk }];
  return Object.values(value).flatMap(keysIn);
}
