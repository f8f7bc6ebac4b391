import type { KindName } from "../../../lib/contract/kind-names.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { internalFunctions, workers } from "../../../lib/contract/workers.ts";
import { anyKind, kindNames } from "../../store/item-kinds.ts";
import { partOf, type StackTemplate } from "../infra/support.ts";
import type { Account } from "./account.ts";
import { allows, denies, roleStatements, type Statement } from "./policy.ts";

/** A kind of item in the table, and a partition of it. */
export type ItemKind = { readonly name: KindName; readonly partition: string; readonly example: string };

export const itemKinds = (): readonly ItemKind[] =>
  kindNames.map((name) => {
    const { pk: partition } = anyKind(name);
    const example = partition.replace(/\{(tenant|pool)\}/, "w#acme").replaceAll(/\{.*?\}/g, "1");
    return { name, partition, example };
  });

const reads = ["GetItem", "BatchGetItem", "Query", "Scan"];
const writes = ["PutItem", "UpdateItem", "DeleteItem"];
const single = [...reads, ...writes, "BatchWriteItem"];
const insideTransactions = {
  TransactGetItems: ["GetItem"],
  TransactWriteItems: [...writes, "ConditionCheckItem"],
};

/** One cell's place: an action, alone or as part of a transaction, and an attribute that it writes. */
type Way = {
  readonly action: string;
  readonly enclosing?: string | undefined;
  readonly attribute?: string | undefined;
};

const ways: readonly Way[] = [
  ...single.map((action) => ({ action, enclosing: undefined })),
  ...Object.entries(insideTransactions).flatMap(([operation, actions]) =>
    actions.map((action) => ({ action, enclosing: operation })),
  ),
];

export const operationIds: readonly string[] = operations.map(({ id }) => id);
const roleIds = [...operationIds, ...[...workers, ...internalFunctions].map(({ id }) => id)];

export class RoleMatrix {
  readonly #statements: ReadonlyMap<string, readonly Statement[]>;
  readonly #tableArn: string;

  constructor(template: StackTemplate, account: Account, tableArn: string) {
    this.#tableArn = tableArn;
    this.#statements = new Map(
      roleIds.map((id) => [id, roleStatements(template, account, partOf(id, "Function"))]),
    );
  }

  /**
   * The roles that may do this to an item of the kind. A transaction of one item is the most that a role can be
   * allowed: `ForAllValues` only becomes stricter with more keys.
   */
  allowed(kind: Pick<ItemKind, "example">, { action, enclosing, attribute }: Way): string[] {
    const partitions = [kind.example];
    const access = {
      action: `dynamodb:${action}`,
      resource: this.#tableArn,
      partitions,
      ...(attribute && { attributes: [attribute] }),
      ...(enclosing !== undefined && { enclosing: { operation: enclosing, partitions } }),
    };
    return roleIds.filter((id) => {
      const statements = this.#statements.get(id) ?? [];
      return (
        statements.some((each) => allows(each, access)) && !statements.some((each) => denies(each, access))
      );
    });
  }

  /** The operations whose roles may write an item of the kind, or this attribute of it, in any way. */
  operationsThatWrite(kind: ItemKind, attribute?: string): string[] {
    const written = ways
      .filter(({ action }) => action === "BatchWriteItem" || writes.includes(action))
      .filter(({ action }) => !attribute || action !== "DeleteItem")
      .flatMap((way) => this.allowed(kind, { ...way, attribute }));
    return operationIds.filter((id) => written.includes(id));
  }

  /** Kinds of one partition have the same rights: IAM does not see sort keys. */
  toString(): string {
    const partitions = Map.groupBy(itemKinds(), ({ example }) => JSON.stringify(this.#rows({ example })));
    return [...partitions.values()]
      .map((kinds) => {
        const names = kinds.map(({ name, partition }) => `${name} (${partition})`);
        const rows = [
          ...this.#rows(kinds[0] ?? { example: "" }),
          ...kinds.flatMap((kind) => this.#rights(kind)),
        ];
        return [...names, ...rows.map((row) => `    ${row}`)].join("\n");
      })
      .join("\n\n")
      .concat("\n");
  }

  #rights(kind: ItemKind): string[] {
    const cells = (anyKind(kind.name).rights ?? []).map((attribute) => {
      const written = ways.filter(({ action }) => action === "PutItem" || action === "UpdateItem");
      const roles = written.flatMap((way) => this.allowed(kind, { ...way, attribute }));
      return { attribute, roles: shown(roleIds.filter((id) => roles.includes(id))) };
    });
    return [...Map.groupBy(cells, ({ roles }) => roles)].map(
      ([roles, same]) => `any write of ${same.map(({ attribute }) => attribute).join(", ")}: ${roles}`,
    );
  }

  /** A role may use what it holds alone in transactions too: their rows show only what they add. */
  #rows(kind: Pick<ItemKind, "example">): string[] {
    const cells = ways.map((way) => {
      const roles = this.allowed(kind, way);
      const alone = way.enclosing === undefined ? [] : this.allowed(kind, { action: way.action });
      return { ...way, roles: shown(roles.filter((id) => !alone.includes(id))) };
    });
    const held = cells.filter(({ roles }) => roles !== "");
    const together = Map.groupBy(held, ({ enclosing, roles }) => `${enclosing ?? ""} ${roles}`);
    return [...together.values()].map((same) => {
      const actions = same.map(({ action }) => action).join(", ");
      const [{ enclosing, roles } = { enclosing: undefined, roles: "" }] = same;
      return `${enclosing === undefined ? actions : `only in ${enclosing}, ${actions}`}: ${roles}`;
    });
  }
}

function shown(roles: readonly string[]): string {
  const isEvery = operationIds.every((id) => roles.includes(id));
  const named = isEvery ? roles.filter((id) => !operationIds.includes(id)) : roles;
  return [...(isEvery ? ["every operation"] : []), ...named].join(", ");
}
