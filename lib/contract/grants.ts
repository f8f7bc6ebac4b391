import type { Operation, TableAction } from "./operation.ts";

/** DynamoDB actions, on the partitions whose keys begin with one of `partitions` and on no others. */
export type TableGrant = {
  readonly actions: readonly TableAction[];
  readonly partitions: readonly string[];
};

/** An entry of the audit log is put in the transaction of its change; no function may change or delete one. */
const auditLog = "AUDIT#";

/** Authentication, the keys that sign cursors, and when a refusal was last written down. */
const readByChain: TableGrant = {
  actions: ["GetItem", "BatchGetItem", "Query"],
  partitions: ["KEY#", "ORG#", "TENANT#", "CURSOR-KEYS", "REFUSED#"],
};

/**
 * What the chain itself does in every operation. What lies in the partitions of organizations and tenants is read with
 * these, so an operation that only reads there adds no actions of its own.
 */
export const chainGrants: readonly TableGrant[] = [
  readByChain,
  /** The limiter's slots, and `last_used_at` of the key. */
  { actions: ["UpdateItem"], partitions: ["LIMIT#", "KEY#"] },
  /** Refused uses of real keys, and the first signing key of a new table. */
  { actions: ["PutItem"], partitions: [auditLog, "REFUSED#", "CURSOR-KEYS"] },
];

/**
 * What an operation adds. IAM looks for one statement that allows all keys of a call: a batch of reads may take items
 * of the chain along, and puts go with their audit entry. All other writes stay in the operation's own partitions.
 */
export function ownGrants({
  tableActions,
  tablePartitions = [],
}: Pick<Operation, "tableActions" | "tablePartitions">): readonly TableGrant[] {
  const reads = tableActions.filter((action) => readByChain.actions.includes(action));
  const puts = tableActions.filter((action) => action === "PutItem");
  const others = tableActions.filter((action) => ![...reads, ...puts].includes(action));
  const grants = [
    { actions: reads, partitions: [...readByChain.partitions, ...tablePartitions] },
    { actions: puts, partitions: [...tablePartitions, auditLog] },
    { actions: others, partitions: tablePartitions },
  ];
  return grants.filter(({ actions }) => actions.length > 0);
}
