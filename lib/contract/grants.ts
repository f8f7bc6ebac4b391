import { type Operation, type RightsAttribute, rightsAttributes, type TableAction } from "./operation.ts";

/** DynamoDB actions, allowed only on partitions whose keys begin with one of `partitions`. */
export type TableGrant = {
  readonly actions: readonly TableAction[];
  readonly partitions: readonly string[];
  /** Valid only inside a transaction of this kind. */
  readonly inside?: Transaction;
  /** Never a part of a transaction. */
  readonly alone?: true;
};

type Transaction = "TransactGetItems" | "TransactWriteItems";

/** What a function does in transactions, in addition to its grants. */
export type Transactions = {
  /**
   * Partitions from which it reads several items, or the result of a transaction, in one snapshot (TransactGetItems).
   */
  readonly snapshotPartitions?: readonly string[];
  /** Writes that it may make, but never as part of a transaction. */
  readonly writesAlone?: readonly TableAction[];
};

/** The actions that can be part of a transaction that writes. */
const transactedWrites: readonly TableAction[] = [
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "ConditionCheckItem",
];

/**
 * What a role may do inside transactions. AWS does not document which leading keys IAM checks there: those of each
 * item, of all items of one action, or of the whole transaction. So inside a transaction, and only there, every write
 * of the role is allowed on all partitions that it may write to in a transaction. Reads are allowed on the
 * partitions from which the function reads snapshots, and on no others. This works under each of these interpretations;
 * see docs/change/decisions/0014-roles-work-under-every-reading-of-iam-inside-transactions.md.
 */
export function transactionGrants(
  grants: readonly TableGrant[],
  { snapshotPartitions = [], writesAlone = [] }: Transactions,
): readonly TableGrant[] {
  const parts = grants.filter(
    ({ alone, actions }) => !alone && actions.some((action) => transactedWrites.includes(action)),
  );
  const writes = transactedWrites.filter(
    (action) => !writesAlone.includes(action) && parts.some((part) => part.actions.includes(action)),
  );
  const inside = (operation: Transaction, actions: readonly TableAction[], partitions: readonly string[]) =>
    actions.length === 0 || partitions.length === 0
      ? []
      : [{ actions, partitions: [...new Set(partitions)].toSorted(), inside: operation }];
  return [
    ...inside("TransactGetItems", ["GetItem"], snapshotPartitions),
    ...inside(
      "TransactWriteItems",
      writes,
      parts.flatMap((part) => part.partitions),
    ),
  ];
}

/**
 * A member's long list of repositories is stored in several items of the organization, which are read in one snapshot.
 */
export const operationTransactions = ({
  readableOnly,
  snapshotPartitions = [],
}: Pick<Operation, "readableOnly" | "snapshotPartitions">): Transactions => ({
  snapshotPartitions: [...(readableOnly ? ["ORG#"] : []), ...snapshotPartitions],
});

/**
 * An audit entry is put in the transaction of its change. Outside transactions no role may update or delete an entry.
 * IAM cannot tell a put of a new entry from one over an old entry: only the code's condition does.
 */
const auditLog = "AUDIT#";

/** Reads for authentication, the cursor keys, and the time of the last recorded refusal. */
const readByChain: TableGrant = {
  actions: ["GetItem", "BatchGetItem", "Query"],
  partitions: [
    ...["KEY#", "USED#", "KEYS#"],
    // An organization with its people, and a tenant with its organizations.
    ...["ORG#", "PEOPLE#", "MEMBERS#", "ROLES#", "SEATS#", "TENANT#", "ORGS#"],
    ...["CURSOR-KEYS", "REFUSED#"],
  ],
};

/**
 * What the chain itself does in every operation. These grants cover reads in the partitions of organizations and
 * tenants, so an operation that only reads there adds no actions of its own.
 */
export const chainGrants: readonly TableGrant[] = [
  readByChain,
  /** The limiter's slots, and the last use of the key. */
  { actions: ["UpdateItem"], partitions: ["LIMIT#", "USED#"], alone: true },
  /** Refused uses of real keys. */
  { actions: ["PutItem"], partitions: [auditLog, "REFUSED#"] },
];

/**
 * The attributes that the role of an operation may not write, whatever its grants allow: other functions write other
 * attributes of the same items.
 */
export const deniedAttributes = ({
  writesRights = [],
}: Pick<Operation, "writesRights">): readonly RightsAttribute[] =>
  [...new Set<RightsAttribute>(Object.values(rightsAttributes).flat())].filter(
    (name) => !writesRights.includes(name),
  );

/** What a worker may do. If it writes audit entries, its puts may be in the same transaction as their audit entry. */
export function workerGrants({
  tableActions,
  tablePartitions,
  readPartitions = [],
  writesAudit = false,
}: {
  readonly tableActions: readonly TableAction[];
  readonly tablePartitions: readonly string[];
  readonly readPartitions?: readonly string[];
  readonly writesAudit?: boolean;
}): readonly TableGrant[] {
  if (!writesAudit && readPartitions.length === 0)
    return [{ actions: tableActions, partitions: tablePartitions }];
  const reads = tableActions.filter((action) => readByChain.actions.includes(action));
  const puts = tableActions.filter((action) => action === "PutItem");
  const others = tableActions.filter((action) => ![...reads, ...puts].includes(action));
  return [
    { actions: reads, partitions: [...tablePartitions, ...readPartitions] },
    { actions: puts, partitions: [...tablePartitions, ...(writesAudit ? [auditLog] : [])] },
    { actions: others, partitions: tablePartitions },
  ];
}

/**
 * What an operation adds. IAM needs one statement that allows all keys of a call: a batch of reads may include items of
 * the chain, and puts are in one transaction with their audit entry. All other writes stay in the operation's own
 * partitions.
 */
export function ownGrants({
  tableActions,
  tablePartitions = [],
  readPartitions = [],
  writePartitions = [],
  updatePartitions = [],
  checkPartitions = [],
}: Pick<
  Operation,
  | "tableActions"
  | "tablePartitions"
  | "readPartitions"
  | "writePartitions"
  | "updatePartitions"
  | "checkPartitions"
>): readonly TableGrant[] {
  const reads = tableActions.filter((action) => readByChain.actions.includes(action));
  const puts = tableActions.filter((action) => action === "PutItem");
  const checks = tableActions.filter((action) => action === "ConditionCheckItem");
  const updates = updatePartitions.length > 0 ? tableActions.filter((action) => action === "UpdateItem") : [];
  const others = tableActions.filter(
    (action) => ![...reads, ...puts, ...updates, ...checks].includes(action),
  );
  const grants = [
    { actions: reads, partitions: [...readByChain.partitions, ...tablePartitions, ...readPartitions] },
    { actions: puts, partitions: [...tablePartitions, ...writePartitions, auditLog] },
    { actions: updates, partitions: [...tablePartitions, ...writePartitions, ...updatePartitions] },
    { actions: others, partitions: [...tablePartitions, ...writePartitions] },
    { actions: checks, partitions: [...tablePartitions, ...checkPartitions] },
  ];
  return grants.filter(({ actions }) => actions.length > 0);
}
