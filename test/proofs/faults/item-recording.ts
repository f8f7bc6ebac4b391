import { writeFileSync } from "node:fs";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { KindName } from "../../../lib/contract/kind-names.ts";
import { CorruptItem } from "../../../lib/store/items/parse.ts";
import type { Item } from "../../../lib/store/table.ts";
import { kindNames, kindOf } from "../../store/item-kinds.ts";
import { parseByKind } from "../../store/item-parsers.ts";
import type { Call } from "./fault.ts";

const passingKinds: readonly KindName[] = ["once", "tries", "repairRun", "repairBoundary", "repairSegment"];
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

  /** Kinds that do not outlast the work on them are seen when they are put. */
  seePuts({ body }: Pick<Call, "body">): void {
    const put: Item[] = [];
    if (!body.includes('"Item":')) return;
    JSON.parse(body, (name, value) => {
      // The keys of an item are text in the protocol of DynamoDB.
      if (name === "Item") put.push(unmarshall(value) as Item);
      return value;
    });
    this.see(put.filter((item) => passingKinds.includes(kindOf(item))));
  }

  write(): void {
    const kinds = new Set([...this.#texts.keys()].map((form) => form.split(": ", 1)[0]));
    const missing = kindNames.filter((kind) => !kinds.has(kind));
    if (missing.length > 0) throw new Error(`No scenario stores: ${missing.join(", ")}.`);
    const texts = [...this.#texts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(file, texts.map(([, text]) => `${text}\n`).join(""));
  }
}
