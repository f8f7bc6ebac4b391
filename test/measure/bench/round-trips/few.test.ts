import { readFileSync } from "node:fs";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { expect, test } from "vitest";
import { isOf, partsOf } from "../../../../lib/contract/kind.ts";
import { plural } from "../../../../lib/contract/plural.ts";
import { required } from "../../../../lib/runtime/required.ts";
import { StoreMeter } from "../../../../lib/store/meter.ts";
import { readFew } from "../../../../lib/store/table.ts";
import { asItem } from "../../../../lib/store/values.ts";
import { anyKind, kindNames } from "../../../store/item-kinds.ts";
import { useStore } from "../../../support/engine.ts";

const store = useStore();
const recorded = readFileSync(new URL("../../../store/recorded-items.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => asItem(unmarshall(JSON.parse(line))));

/** Fills one range with as many items as the kind's row allows, and reads all of them. */
async function lineOf(name: (typeof kindNames)[number]): Promise<string> {
  const kind = anyKind(name);
  const { most } = required(kind.few, "number of items in a range");
  const sample = required(
    recorded.find((item) => isOf(kind, item)),
    `recorded item of the kind ${name}`,
  );
  const [, last = ""] = /\{(\w+)!?\}$/.exec(kind.sk) ?? [];
  const { [last]: _, ...parts } = required(partsOf(kind, sample), "parts of a key");
  const { table } = store();
  await table.writeMany(
    Array.from({ length: most }, (_, index) => ({
      put: { ...sample, ...kind.key({ ...parts, [last]: `id-${index}` }) },
    })),
  );
  const meter = new StoreMeter();
  const items = await readFew(table.metered(meter), { ...kind, few: required(kind.few, "few") }, parts);
  expect(items).toHaveLength(most);
  return `${name}: ${plural(most, "item")}, ${plural(meter.calls.length, "page")}, ${meter.readUnits} read units\n`;
}

test("a full range that a request reads whole ends at the committed page", async () => {
  const lines: string[] = [];
  for (const name of kindNames.filter((each) => anyKind(each).few)) lines.push(await lineOf(name));
  await expect(lines.join("")).toMatchFileSnapshot("./few.txt");
});
