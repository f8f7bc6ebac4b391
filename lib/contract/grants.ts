import type { TableAction } from "./operation.ts";

/** DynamoDB actions, on the partitions whose keys begin with one of `partitions` (all of them if absent). */
export type TableGrant = {
  readonly actions: readonly TableAction[];
  readonly partitions?: readonly string[];
};

/**
 * What the chain itself does in every operation. Operations add their own `tableActions`, so a function that
 * declares none can touch nothing but these partitions. An item fetched alongside authentication from
 * another partition (the stream's head, say) needs `BatchGetItem` among the operation's own actions. What lies in the
 * partitions of organizations and tenants is read with these; test/e2e fails on an action that nobody needs.
 */
export const chainGrants: readonly TableGrant[] = [
  /** Authentication, the keys that sign cursors, and when a refusal was last written down. */
  {
    actions: ["GetItem", "BatchGetItem", "Query"],
    partitions: ["KEY#", "ORG#", "TENANT#", "CURSOR-KEYS", "REFUSED#"],
  },
  /** The limiter's slots, and `last_used_at` of the key. */
  { actions: ["UpdateItem"], partitions: ["LIMIT#", "KEY#"] },
  /** Refused uses of real keys, and the first signing key of a new table. */
  { actions: ["PutItem"], partitions: ["AUDIT#", "REFUSED#", "CURSOR-KEYS"] },
];
