import { writeFileSync } from "node:fs";
import { marshall } from "@aws-sdk/util-dynamodb";
import { CorruptItem } from "../../../lib/store/items/parse.ts";
import type { Item } from "../../../lib/store/table.ts";
import { kindOf, lastingKinds } from "../../store/item-kinds.ts";
import { parseByKind } from "../../store/item-parsers.ts";

const file = new URL("../../store/recorded-items.ndjson", import.meta.url);
/** Base64 takes the place of bytes. No secret is recorded, not even that of a test. */
const textOf = (item: Item): string =>
  JSON.stringify(marshall(item), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  ).replaceAll(/"secret":\{"S":"[^"]*"/g, '"secret":{"S":"bm90LWEtc2VjcmV0"');

/** Some scenarios begin with damaged items. */
function isWhole(item: Item): boolean {
  try {
    parseByKind(item);
    return true;
  } catch (error) {
    if (error instanceof CorruptItem) return false;
    throw error;
  }
}

/** Collects items of every kind while the scenarios run: of the items with the same attributes, the shortest. */
export class ItemRecording {
  readonly isWanted = process.env.RECORD_ITEMS === "1";
  readonly #texts = new Map<string, string>();

  readonly see = (items: readonly Item[]): void => {
    for (const item of items.filter(isWhole)) {
      const form = `${kindOf(item)}: ${Object.keys(item).sort()}`;
      const [text, known] = [textOf(item), this.#texts.get(form)];
      if (known === undefined || text.length < known.length) this.#texts.set(form, text);
    }
  };

  write(): void {
    const kinds = new Set([...this.#texts.keys()].map((form) => form.split(": ", 1)[0]));
    const missing = lastingKinds.filter((kind) => !kinds.has(kind));
    if (missing.length > 0) throw new Error(`No scenario stores: ${missing.join(", ")}.`);
    const texts = [...this.#texts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(file, texts.map(([, text]) => `${text}\n`).join(""));
  }
}
