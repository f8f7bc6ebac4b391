import * as kinds from "../contract/items.ts";
import type { AnyKind } from "../contract/kind.ts";
import { markdownTable, withParts } from "./marked-parts.ts";

const rows: ReadonlyArray<[string, AnyKind]> = Object.entries(kinds).toSorted(([one], [other]) =>
  one < other ? -1 : 1,
);
const code = (text: string): string => `\`${text}\``;

/** docs/change/item-growth.md: every kind of item, and what grows in it. */
export const itemsPage = (page: string): string =>
  withParts(page, {
    kinds: () =>
      markdownTable(
        ["Kind", "Keys", "What it is", "Owner", "When its organization moves"],
        rows.map(([name, { pk, sk, purpose, owner, moves = "" }]) => [
          ...[name, `${code(pk)} / ${code(sk)}`, purpose, owner, moves],
        ]),
      ),
    growth: () =>
      markdownTable(
        ["Kind", "What grows in it", "Bound", "What happens beyond it", "Test"],
        rows.flatMap(([name, { grows }]) =>
          grows ? [[name, grows.what, grows.bound, grows.beyond, code(grows.test)]] : [],
        ),
      ),
    fixed: () => `${rows.flatMap(([name, { grows }]) => (grows ? [] : [name])).join(", ")}.`,
  });
