import * as kinds from "../../lib/contract/items.ts";
import { type AnyKind, isOf } from "../../lib/contract/kind.ts";
import type { KindName } from "../../lib/contract/kind-names.ts";
import { required } from "../../lib/runtime/required.ts";
import type { Key } from "../../lib/store/table.ts";

// Each name of the module is a kind.
export const kindNames = Object.keys(kinds) as readonly KindName[];
const all: Readonly<Record<KindName, AnyKind>> = { ...kinds };
export const anyKind = (name: KindName): AnyKind => all[name];

/** The kind of an item, by its keys. */
export function kindOf(key: Key): KindName {
  const inPartition = kindNames.filter((name) => isOf({ pk: all[name].pk, sk: "{name}" }, key));
  const found = inPartition.filter((name) => isOf(all[name], key));
  // Earlier releases wrote other sort keys of the kind that had its partitions alone; this kind came later.
  const [kind, ...others] = found.length > 0 ? found : inPartition.filter((name) => name !== "tenantNews");
  if (others.length > 0) throw new Error(`${key.pk} / ${key.sk} is of several kinds: ${found}.`);
  return required(kind, `kind of the item ${key.pk} / ${key.sk}`);
}
