import { expect, test } from "vitest";
import {
  chainGrants,
  operationGrants,
  type TableAction,
  type TableGrant,
  workerGrants,
} from "../../lib/contract/grants.ts";
import * as kinds from "../../lib/contract/items.ts";
import { operations } from "../../lib/contract/operations.ts";
import type { TableUse } from "../../lib/contract/table-use.ts";
import { workers } from "../../lib/contract/workers.ts";

const auditLog = "AUDIT#*";
const reads: readonly TableAction[] = ["GetItem", "BatchGetItem", "Query"];
type Named = TableUse & { readonly id: string };
const named = (operations satisfies readonly Named[]).map((operation): [string, Named] => [
  operation.id,
  operation,
]);
const own = (use: TableUse) => operationGrants(use).slice(chainGrants.length);
const pairs = (grants: readonly TableGrant[]) =>
  grants.flatMap(({ actions, partitions }) =>
    actions.flatMap((action) => partitions.map((partition) => `${action} ${partition}`)),
  );

test.each(named)(
  "%s may do what it says with each kind, and can only add to the audit log",
  (_, operation) => {
    const { reads: read = {}, writes = {}, checks = [] } = operation;
    const wanted: ReadonlyArray<readonly [TableAction, readonly (keyof typeof kinds)[] | undefined]> = [
      ["GetItem", read.get],
      ["BatchGetItem", read.getMany],
      ["Query", read.query],
      ["PutItem", writes.put],
      ["UpdateItem", writes.update],
      ["DeleteItem", writes.delete],
      ["BatchWriteItem", writes.many],
      ["ConditionCheckItem", checks],
    ];
    const grants = own(operation);
    const single = grants.filter(({ inside }) => !inside);
    for (const [action, names = []] of wanted)
      expect(single.filter(({ actions }) => actions.includes(action)).length).toBe(names.length > 0 ? 1 : 0);
    const said = wanted.flatMap(([action, names = []]) =>
      names.map((name) => `${action} ${{ ...kinds }[name].pk.replace(/\{.*/, "*")}`),
    );
    expect(said.filter((pair) => !pairs(single).includes(pair))).toEqual([]);
    const written = pairs(single).filter((pair) => !reads.some((action) => pair.startsWith(`${action} `)));
    const additions = writes.put ? [`PutItem ${auditLog}`] : [];
    const search = read.search ? ["SearchVectors VECTOR#*"] : [];
    expect(new Set(written)).toEqual(
      new Set([...said.filter((pair) => written.includes(pair)), ...additions, ...search]),
    );
    const changing = [...chainGrants, ...single]
      .filter(({ partitions }) => partitions.includes(auditLog))
      .flatMap(({ actions }) => actions)
      .filter((action) => !reads.includes(action));
    expect(new Set(changing)).toEqual(new Set(["PutItem"]));
  },
);

test.each(named)(
  "%s has no grant without actions or partitions: IAM treats a condition without keys as met",
  (_, operation) => {
    for (const { actions, partitions } of operationGrants(operation))
      expect([actions.length, partitions.length]).not.toContain(0);
  },
);

test("a batch of reads may include items of the request chain, a put its audit entry, other writes nothing", () => {
  const use = {
    reads: { getMany: ["team"], snapshot: ["moving"] },
    writes: { put: ["team"], delete: ["team"] },
  } as const;
  const [readByChain] = chainGrants;
  expect(own(use)).toEqual([
    { actions: ["BatchGetItem"], partitions: [...(readByChain?.partitions ?? []), "TEAMS#*"] },
    { actions: ["PutItem"], partitions: [auditLog, "TEAMS#*"] },
    { actions: ["DeleteItem"], partitions: ["TEAMS#*"] },
    { actions: ["GetItem"], partitions: ["MOVING"], inside: "TransactGetItems" },
    {
      actions: ["PutItem", "DeleteItem"],
      partitions: [auditLog, "REFUSED#*", "TEAMS#*"],
      inside: "TransactWriteItems",
    },
  ]);
});

test("a function that writes alone has no grant inside transactions", () => {
  expect(workerGrants({ writes: { put: ["sweeper"], alone: true } })).toEqual([
    { actions: ["PutItem"], partitions: ["SWEEPER"] },
  ]);
});

test("only what creates, rotates, tests or rings a webhook reads the secrets of webhooks, or their key", () => {
  const every: readonly Named[] = workers;
  const grants = [
    ...named.map(([id, each]) => ({ id, all: operationGrants(each) })),
    ...every.map((each) => ({ id: each.id, all: workerGrants(each) })),
  ];
  for (const partition of ["WEBHOOK-SECRETS#*", "WEBHOOK-KEY"]) {
    const readers = grants.filter(({ all }) =>
      all.some(
        ({ actions, partitions }) =>
          actions.some((action) => reads.includes(action)) && partitions.includes(partition),
      ),
    );
    expect(readers.map(({ id }) => id).toSorted()).toEqual([
      "createWebhook",
      "ringWebhooks",
      "rotateWebhook",
      "testWebhook",
    ]);
  }
});
