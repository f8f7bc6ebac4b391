import { readFileSync } from "node:fs";
import { required } from "../../lib/runtime/required.ts";
import type { Key } from "../../lib/store/table.ts";

const layout = readFileSync(new URL("../../lib/store/layout.ts", import.meta.url), "utf8");
const isRemoval = (pk: string) => pk.endsWith("#removed");
/** The part of a key before its first variable part. */
const fixedPart = (key: string): string => key.replace(/<.*/, "");

/** The rows of the table at the top of the layout, most specific first. */
const rows = layout
  .split("\n")
  .filter((line) => line.startsWith(" * | "))
  .slice(1)
  .map((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, name = "", pk = "", sk = "", example = ""] = cells;
    const [examplePk = "", exampleSk = ""] = example.split(" / ");
    return { name, pk: fixedPart(pk), sk: fixedPart(sk), example: { pk: examplePk, sk: exampleSk } };
  })
  .toSorted((one, other) => other.pk.length + other.sk.length - one.pk.length - one.sk.length);

/** The kind of an item, by its keys. Kinds whose keys begin in the same way count as one. */
export const kindOf = ({ pk, sk }: Key): string => {
  const row = rows.find(
    (each) =>
      pk.startsWith(each.pk) && sk.startsWith(each.sk) && isRemoval(pk) === isRemoval(each.example.pk),
  );
  return required(row, `kind of the item ${pk} / ${sk}`).name;
};

const passingKinds = new Set(["failed tries of an event", "repair in progress", "request made once"]);

/** The kinds that outlast the work on them. */
export const lastingKinds: readonly string[] = [...new Set(rows.map(({ example }) => kindOf(example)))]
  .filter((kind) => !passingKinds.has(kind))
  .sort();
