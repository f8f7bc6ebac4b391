import * as kinds from "./items.ts";
import type { AnyKind } from "./kind.ts";
import type { KindName } from "./kind-names.ts";
import type { Operation } from "./operation.ts";
import type { TableUse } from "./table-use.ts";

/** The actions that can be part of a transaction that writes. */
const transacted = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"] as const;
export type TableAction =
  | (typeof transacted)[number]
  | ("GetItem" | "BatchGetItem" | "Query" | "SearchVectors" | "BatchWriteItem");

/** DynamoDB actions, allowed only on partitions whose keys match one of the patterns. */
export type TableGrant = {
  readonly actions: readonly TableAction[];
  readonly partitions: readonly string[];
  /** Valid only inside a transaction of this kind. */
  readonly inside?: "TransactGetItems" | "TransactWriteItems";
  /** Never a part of a transaction. */
  readonly alone?: true;
};

type Kinds = readonly KindName[];
const allKinds: Readonly<Record<KindName, AnyKind>> = { ...kinds };

/** As IAM compares them: `TEAMS#*`, or the whole key if all items of the kind are in one partition. */
const partitionsOf = (names: Kinds): readonly string[] => [
  ...new Set(names.map((name) => allKinds[name].pk.replace(/\{.*/s, "*"))),
];

/** Reads for authentication, the cursor keys, and the time of the last recorded refusal. */
const readByChain: Kinds = [
  ...(["apiKey", "keyList", "keyUse", "keyRow"] as const),
  // An organization with its people, and a tenant with its organizations.
  ...(["organization", "people", "member", "role", "person", "tenant", "tenantOrganization"] as const),
  ...(["cursorKeys", "refusal"] as const),
];

/**
 * What the chain itself does in every operation. These grants cover reads in the partitions of organizations and
 * tenants, so an operation that only reads there says nothing of it.
 */
export const chainGrants: readonly TableGrant[] = [
  { actions: ["GetItem", "BatchGetItem", "Query"], partitions: partitionsOf(readByChain) },
  /** The limiter's slots, and the last use of the key. */
  { actions: ["UpdateItem"], partitions: partitionsOf(["limit", "keyUse"]), alone: true },
  /** Refused uses of real keys. */
  { actions: ["PutItem"], partitions: partitionsOf(["audit", "refusal"]) },
];

/**
 * What a function adds. IAM needs one statement that allows all keys of a call, so the grants of an operation include
 * `others`: a batch of reads may include items of the chain, and puts are in one transaction with their audit entry.
 * All other writes stay in the operation's own partitions.
 */
function ownGrants(
  { reads = {}, writes = {}, checks = [] }: TableUse,
  others: { readonly reads: Kinds; readonly puts: Kinds },
): readonly TableGrant[] {
  const beside = (also: Kinds, own: Kinds = []): Kinds => (own.length > 0 ? [...also, ...own] : []);
  const uses: ReadonlyArray<readonly [TableAction, Kinds]> = [
    ["GetItem", beside(others.reads, reads.get)],
    ["BatchGetItem", beside(others.reads, reads.getMany)],
    ["Query", beside(others.reads, reads.query)],
    ["SearchVectors", reads.search ?? []],
    ["PutItem", beside(others.puts, writes.put)],
    ["UpdateItem", writes.update ?? []],
    ["DeleteItem", writes.delete ?? []],
    ["BatchWriteItem", writes.many ?? []],
    ["ConditionCheckItem", checks],
  ];
  const used = uses.map(([action, names]) => ({ action, partitions: partitionsOf(names) }));
  const together = Map.groupBy(used, ({ partitions }) => partitions.join());
  return [...together.values()].flatMap((same) => {
    const [{ partitions } = { partitions: [] }] = same;
    return partitions.length > 0 ? [{ actions: same.map(({ action }) => action), partitions }] : [];
  });
}

/**
 * What a role may do inside transactions. AWS does not document which leading keys IAM checks there: those of each
 * item, of all items of one action, or of the whole transaction. So inside a transaction, and only there, every write
 * of the role is allowed on all partitions that it may write to in a transaction. Reads are allowed on the
 * partitions from which the function reads snapshots, and on no others. This works under each of these interpretations;
 * see docs/change/decisions/0014-roles-work-under-every-reading-of-iam-inside-transactions.md.
 */
function withTransactions(
  grants: readonly TableGrant[],
  snapshot: Kinds,
  isAlone = false,
): readonly TableGrant[] {
  const parts = grants.filter(
    (grant) => !isAlone && !grant.alone && transacted.some((action) => grant.actions.includes(action)),
  );
  const writes = transacted.filter((action) => parts.some(({ actions }) => actions.includes(action)));
  const partitions = [...new Set(parts.flatMap((part) => part.partitions))].toSorted();
  const snapshots = partitionsOf(snapshot).toSorted();
  const inside: readonly TableGrant[] = [
    { actions: ["GetItem"], partitions: snapshots, inside: "TransactGetItems" },
    { actions: writes, partitions, inside: "TransactWriteItems" },
  ];
  return [...grants, ...inside.filter((each) => each.partitions.length > 0)];
}

/**
 * Everything that the role of an operation may do. An audit entry is put in the transaction of its change; outside
 * transactions no role may update or delete an entry. IAM cannot tell a put of a new entry from one over an old entry:
 * only the code's condition does.
 */
export function operationGrants(
  operation: TableUse & Pick<Operation, "readableOnly">,
): readonly TableGrant[] {
  const own = ownGrants(operation, { reads: readByChain, puts: ["audit"] });
  const { alone } = operation.writes ?? {};
  const grants = [...chainGrants, ...own.map((grant) => ({ ...grant, ...(alone && { alone }) }))];
  // A member's long list of repositories is stored in several items of the organization.
  const snapshot = [
    ...(operation.readableOnly ? (["memberReads"] as const) : []),
    ...(operation.reads?.snapshot ?? []),
  ];
  return withTransactions(grants, snapshot);
}

export const workerGrants = (worker: TableUse): readonly TableGrant[] =>
  withTransactions(
    ownGrants(worker, { reads: [], puts: [] }),
    worker.reads?.snapshot ?? [],
    worker.writes?.alone,
  );

/**
 * The attributes that the role of an operation may not write, whatever its grants allow: other functions write other
 * attributes of the same items.
 */
export function deniedAttributes({ writes }: TableUse): readonly string[] {
  const given: readonly string[] = writes?.rights ?? [];
  const rights = Object.entries(allKinds).flatMap(([name, { rights: own = [] }]) =>
    own.map((attribute) => ({
      attribute,
      isGiven: given.includes(name) || given.includes(`${name}.${attribute}`),
    })),
  );
  const allowed = rights.filter(({ isGiven }) => isGiven).map(({ attribute }) => attribute);
  return [...new Set(rights.map(({ attribute }) => attribute))]
    .filter((each) => !allowed.includes(each))
    .toSorted();
}
