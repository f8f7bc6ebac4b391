import { expect, test } from "vitest";
import { chainGrants, ownGrants, workerGrants } from "../../lib/contract/grants.ts";
import type { Operation, TableAction } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { workers } from "../../lib/contract/workers.ts";

const auditLog = "AUDIT#";
const reads: readonly TableAction[] = ["GetItem", "BatchGetItem", "Query"];
const byId = (operations satisfies readonly Operation[]).map(
  (operation) => [operation.id, operation] as const,
);

test.each<readonly [string, Operation]>(byId)(
  "%s may do its own work; beyond it, it may only add to the audit log and check named items",
  (_, operation) => {
    const { tableActions, tablePartitions = [], checkPartitions = [], writePartitions = [] } = operation;
    const { updatePartitions = [] } = operation;
    const own = ownGrants(operation);
    const pairs = own.flatMap(({ actions, partitions }) =>
      actions.flatMap((action) => partitions.map((partition) => ({ action, partition }))),
    );
    const readable = operation.readPartitions ?? [];
    for (const { action, partition } of pairs.filter((pair) => readable.includes(pair.partition)))
      expect(reads, partition).toContain(action);
    for (const action of tableActions)
      for (const partition of tablePartitions) expect(pairs).toContainEqual({ action, partition });
    const beyond = pairs.filter(
      ({ action, partition }) => !reads.includes(action) && !tablePartitions.includes(partition),
    );
    const additions = tableActions.includes("PutItem") ? [{ action: "PutItem", partition: auditLog }] : [];
    const checks = checkPartitions.map((partition) => ({ action: "ConditionCheckItem", partition }));
    const writes = tableActions
      .filter((action) => !reads.includes(action))
      .flatMap((action) => writePartitions.map((partition) => ({ action, partition })));
    const updates = updatePartitions.map((partition) => ({ action: "UpdateItem", partition }));
    expect(beyond).toEqual([...additions, ...updates, ...writes, ...checks]);
    const onAuditLog = [...chainGrants, ...own].filter(({ partitions }) => partitions.includes(auditLog));
    const changing = onAuditLog.flatMap(({ actions }) => actions).filter((action) => !reads.includes(action));
    expect(new Set(changing)).toEqual(new Set(["PutItem"]));
  },
);

test.each<readonly [string, Operation]>(byId)(
  "%s has no grant without actions or partitions: IAM treats a condition without keys as met",
  (_, operation) => {
    for (const { actions, partitions } of ownGrants(operation))
      expect([actions.length, partitions.length]).not.toContain(0);
  },
);

test("a batch of reads may include items of the request chain, a put its audit entry, other writes nothing", () => {
  const tableActions = ["BatchGetItem", "PutItem", "DeleteItem"] as const;
  const [readByChain] = chainGrants;
  expect(ownGrants({ tableActions, tablePartitions: ["THING#"] })).toEqual([
    { actions: ["BatchGetItem"], partitions: [...(readByChain?.partitions ?? []), "THING#"] },
    { actions: ["PutItem"], partitions: ["THING#", auditLog] },
    { actions: ["DeleteItem"], partitions: ["THING#"] },
  ]);
});

test("only what creates, rotates, tests or rings a webhook reads the secrets of webhooks, or their key", () => {
  const grants = [
    ...operations.map((each: Operation) => ({ id: each.id, own: [...chainGrants, ...ownGrants(each)] })),
    ...workers.map((each) => ({ id: each.id, own: workerGrants(each) })),
  ];
  for (const partition of ["WEBHOOK-SECRETS#w1", "WEBHOOK-KEY"]) {
    const readers = grants.filter(({ own }) =>
      own.some(
        ({ actions, partitions }) =>
          actions.some((action) => reads.includes(action)) &&
          partitions.some((prefix) => partition.startsWith(prefix)),
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
