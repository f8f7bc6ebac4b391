import { type Cell, forbiddenSelectors, kindsWithRole, wideKinds } from "./cells.ts";
import { kinds, roles, rows } from "./table.ts";
import { plans } from "./world.ts";

const tenantKinds = ["workspace", "instance", "standalone"];
const names = rows.map(({ operation }) => operation);
/** Rows that need a permission from user keys only. */
const namesOfUserKeys = rows
  .filter(({ needsOfUserKeys }) => needsOfUserKeys !== "-")
  .map(({ operation }) => operation);

const product = (...axes: ReadonlyArray<readonly string[]>): string[][] =>
  axes.reduce<string[][]>((made, axis) => made.flatMap((one) => axis.map((each) => [...one, each])), [[]]);

/** Every short run must contain these combinations. No operation checks the plan for an agentic key. */
const combinations: readonly string[][] = [
  ...product(names, plans),
  ...product(names, tenantKinds),
  ...product(names, [...kinds, "lost admin"]),
  ...product(names, roles),
  ...product(names, kindsWithRole, ["cr_admin"]),
  ...product(namesOfUserKeys, ["user"], roles),
  ...product(names, ["organization_ids own", ...forbiddenSelectors]),
  ...product(wideKinds, ["organization_ids own", ...forbiddenSelectors]).filter(
    ([kind, selector]) => kind !== "workspace" || selector !== "unauthorized",
  ),
  ...product(
    kinds.filter((kind) => kind !== "agentic"),
    plans,
  ),
  ...product(["organization", "user", "legacy", "agentic"], tenantKinds),
];

const nameOf = (values: readonly string[]): string => values.join(" · ");

/** The combinations that no cell contains. */
export function unmet(cells: readonly Cell[]): string[] {
  const met = new Set<string>();
  for (const { row, caller, selection } of cells) {
    const { kind, role, tenant, isOwnerAdmin } = caller;
    const { operation } = row;
    const { plan } = tenant.home;
    const isPlain = plan === "enterprise" && selection.selector === "none";
    const brought = [
      [operation, plan],
      [operation, tenant.kind],
      [operation, isOwnerAdmin ? kind : "lost admin"],
      [operation, kind, isPlain ? role : selection.selector],
      ...(isPlain && row[kind] === "y" ? [[operation, role]] : []),
      ...(wideKinds.includes(kind)
        ? [
            [operation, selection.selector],
            [kind, selection.selector],
          ]
        : []),
      [kind, plan],
      [kind, tenant.kind],
    ];
    for (const values of brought) met.add(nameOf(values));
  }
  return combinations.map(nameOf).filter((name) => !met.has(name));
}
