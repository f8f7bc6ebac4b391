import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import {
  deniedAttributes,
  operationGrants,
  type TableAction,
  type TableGrant,
  workerGrants,
} from "../../lib/contract/grants.ts";
import { isOf } from "../../lib/contract/kind.ts";
import type { KindName } from "../../lib/contract/kind-names.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { environmentVariables } from "../../lib/contract/platform.ts";
import type { TableUse } from "../../lib/contract/table-use.ts";
import { internalFunctions, workers } from "../../lib/contract/workers.ts";
import { required } from "../../lib/runtime/required.ts";
import type { Condition, Key, Path, Range, Table, TransactionWrite } from "../../lib/store/table.ts";
import type { VectorSearch } from "../../lib/store/vectors.ts";
import { anyKind, kindNames, kindOf } from "../store/item-kinds.ts";

/**
 * The table as the role of a function sees it: a call that the function's contract does not grant is refused, in a
 * sentence with the line to add. The IAM proxy of `test/system/e2e` judges the same calls by the deployed template.
 */

type Place = "reads" | "writes" | "checks";
type Access = {
  readonly action: TableAction;
  readonly place: Place;
  /** In the words of `TableUse`. */
  readonly verb: string;
  readonly partition: string;
  /** The kinds that the item can be of, or the items of the range. */
  kinds(): readonly KindName[];
  readonly inside?: "TransactGetItems" | "TransactWriteItems";
  readonly attributes?: readonly string[];
};
type Role = {
  readonly id: string;
  readonly grants: readonly TableGrant[];
  /** Attributes that give rights and are not its to write. */
  readonly denied: readonly string[];
};

/** The function that runs, and what it was refused: its own code may catch the error. */
type Running = { readonly role: Role; readonly refused: Set<string> };
const running = new AsyncLocalStorage<Running>();

class NotGranted extends Error {
  override readonly name = "NotGranted";
}

const roles: ReadonlyMap<string, Role> = new Map([
  ...operations.map((operation: Operation): [string, Role] => [
    operation.id,
    {
      id: operation.id,
      grants: operationGrants(operation),
      denied: deniedAttributes(operation),
    },
  ]),
  ...[...workers, ...internalFunctions].map((each: TableUse & { readonly id: string }): [string, Role] => [
    each.id,
    { id: each.id, grants: workerGrants(each), denied: [] },
  ]),
]);

/** Runs a function with its own grants. What it is refused fails the test, each refusal once. */
export async function asFunction<Answer>(id: string, run: () => Promise<Answer>): Promise<Answer> {
  const role = required(roles.get(id), `function ${id} in the contract`);
  const refused = new Set<string>();
  const [outcome] = await Promise.allSettled([running.run({ role, refused }, run)]);
  if (refused.size > 0) throw new NotGranted([...refused].join("\n"));
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

/** In place. Outside `asFunction` it stays the whole table: tests read and write as they like. */
const guardTable = (table: Table): Table => Object.assign(table, grantedTable({ ...table }));

export const grantedTable = (table: Table): Table => ({
  get: guarded((key) => [reading("GetItem", "get", key)], table.get),
  getMany: guarded((keys) => keys.map((key) => reading("BatchGetItem", "getMany", key)), table.getMany),
  transactGet: guarded(
    (keys) => keys.map((key) => ({ ...reading("GetItem", "snapshot", key), inside: "TransactGetItems" })),
    table.transactGet,
  ),
  queryPage: guarded((range) => [querying(range)], table.queryPage),
  write: guarded((write) => [writing(write)], table.write),
  transact: guarded(
    (writes) => writes.map((write) => ({ ...writing(write), inside: "TransactWriteItems" })),
    table.transact,
  ),
  writeMany: guarded(
    (writes) => writes.map((write) => ({ ...writing(write), action: "BatchWriteItem", verb: "many" })),
    table.writeMany,
  ),
  // No function has a grant for it, and the operator has no role here.
  scanPage: table.scanPage,
});

const vectorAccess: Access = {
  action: "SearchVectors",
  place: "reads",
  verb: "search",
  partition: anyKind("vector").pk,
  kinds: () => ["vector"],
};
export const grantedVectors = ({ search }: VectorSearch): VectorSearch => ({
  search: guarded((..._given) => [vectorAccess], search),
});

const guarded =
  <Given extends readonly unknown[], Answer>(
    accesses: (...given: Given) => readonly Access[],
    call: (...given: Given) => Answer,
  ) =>
  (...given: Given): Answer => {
    const { role, refused } = running.getStore() ?? {};
    for (const access of role ? accesses(...given) : []) {
      const sentence = role && refusal(role, access);
      if (sentence === undefined) continue;
      refused?.add(sentence);
      throw new NotGranted(sentence);
    }
    return call(...given);
  };

/** Undefined if the role may do it. Inside a transaction each line is needed all the same: IAM may read it either way. */
function refusal(role: Role, access: Access): string | undefined {
  const { action, place, verb, partition, inside, attributes = [] } = access;
  noteUse(role.id, access);
  const isGranted = role.grants.some(
    (grant) =>
      grant.actions.includes(action) &&
      grant.partitions.some((pattern) => matches(pattern, partition)) &&
      (inside === "TransactWriteItems"
        ? !grant.inside && !grant.alone
        : !grant.inside || grant.inside === inside),
  );
  const attribute = place === "reads" ? undefined : attributes.find((each) => role.denied.includes(each));
  if (isGranted && attribute === undefined) return undefined;
  const named = access
    .kinds()
    .map((kind) => `"${kind}"`)
    .join(" or ");
  const line = place === "checks" ? `checks: [${named}]` : `${place}: { ${verb}: [${named}] }`;
  if (!isGranted)
    return `${role.id} may not ${action} ${partition}: its contract lacks ${line}, which its IAM role is made from.`;
  return `${role.id} may not write or compare ${attribute} of ${partition}, which gives rights: its contract lacks writes: { rights: [${named.replaceAll(/"$/g, `.${attribute}"`)}] }.`;
}

const matches = (pattern: string, partition: string): boolean =>
  pattern.endsWith("*") ? partition.startsWith(pattern.slice(0, -1)) : pattern === partition;

const reading = (action: TableAction, verb: string, key: Key): Access => ({
  action,
  place: "reads",
  verb,
  partition: key.pk,
  kinds: () => [kindOf(key)],
});

const querying = (range: Range): Access => ({
  action: "Query",
  place: "reads",
  verb: "query",
  partition: range.pk,
  kinds: () => kindsIn(range),
});

function kindsIn({ pk, beginsWith = "" }: Range): readonly KindName[] {
  const inPartition = kindNames.filter((name) =>
    isOf({ pk: anyKind(name).pk, sk: "{any!}" }, { pk, sk: "any" }),
  );
  return inPartition.filter((name) => {
    const [start = ""] = anyKind(name).sk.split("{", 1);
    return start.startsWith(beginsWith) || beginsWith.startsWith(start);
  });
}

function writing(write: TransactionWrite): Access {
  const compared = attributesIn(write.when);
  const of = (action: TableAction, verb: string, key: Key, changed: readonly string[] = []): Access => ({
    action,
    place: action === "ConditionCheckItem" ? "checks" : "writes",
    verb,
    partition: key.pk,
    kinds: () => [kindOf(key)],
    attributes: [...changed, ...compared],
  });
  if ("put" in write) return of("PutItem", "put", write.put, Object.keys(write.put));
  if ("delete" in write) return of("DeleteItem", "delete", write.delete);
  if ("check" in write) return of("ConditionCheckItem", "checks", write.check);
  const { set = [], setOnce = [], add = [], remove = [] } = write.change;
  const paths = [...[...set, ...setOnce, ...add].map(([path]) => path), ...remove];
  return of("UpdateItem", "update", write.update, paths.map(topOf));
}

const topOf = (path: Path): string => (typeof path === "string" ? path : path[0]);

function attributesIn(condition: Condition | undefined): string[] {
  if (!condition) return [];
  if ("all" in condition) return condition.all.flatMap(attributesIn);
  if ("any" in condition) return condition.any.flatMap(attributesIn);
  if ("absent" in condition) return [topOf(condition.absent)];
  if ("present" in condition) return [topOf(condition.present)];
  return Object.values(condition).map(([path]) => topOf(path));
}

const guardedObjects = new WeakSet<object>();
const once = <Guarded extends object>(object: Guarded, guard: (object: Guarded) => unknown): void => {
  if (guardedObjects.has(object)) return;
  guardedObjects.add(object);
  guard(object);
};

/** The stores that the handlers of this test file share: each is made from the environment when it is first asked for. */
export async function guardStores(): Promise<void> {
  // Imported here: where the engine has no vector index, an exact search must take its place before.
  const { dependencies } = await import("../../lib/http/dependencies.ts");
  const { workerDependencies } = await import("../../lib/events/dependencies.ts");
  const { openStore } = await import("../../lib/store/open.ts");
  const { table } = dependencies();
  once(table, () => {
    const { metered } = table;
    table.metered = (meter) => grantedTable(metered(meter));
  });
  const store = openStore();
  once(store.table, guardTable);
  once(store.vectors, () => Object.assign(store.vectors, grantedVectors(store.vectors)));
  // Only ingest and expireWaiting have these variables.
  if (process.env[environmentVariables.eventsBucket] !== undefined)
    once(workerDependencies().table, guardTable);
}

/** A handler that runs with the grants of its function. */
export const withGrants =
  <Given extends readonly unknown[], Answer>(id: string, handler: (...given: Given) => Promise<Answer>) =>
  async (...given: Given): Promise<Answer> => {
    await guardStores();
    return await asFunction(id, () => handler(...given));
  };

const noted = new Set<string>();

/** With `USED_GRANTS`, the file that `npm run grants` reads: every line of a contract that a test used. */
function noteUse(id: string, { place, verb, kinds }: Access): void {
  const file = process.env.USED_GRANTS;
  if (file === undefined) return;
  for (const kind of kinds()) {
    const line = `${id} ${place === "checks" ? place : `${place}.${verb}`} ${kind}`;
    if (noted.has(line)) continue;
    noted.add(line);
    appendFileSync(file, `${line}\n`);
  }
}
