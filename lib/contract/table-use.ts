import type * as kinds from "./items.ts";
import type { KindName, KindsThat } from "./kind-names.ts";

type Kinds = readonly KindName[];
type KindWithRights = KindsThat<{ readonly rights: readonly string[] }>;
/** All attributes of a kind that give rights, or one of them: `member`, `apiKey.revoked_at`. */
type Rights = {
  [Name in KindWithRights]: Name | `${Name}.${(typeof kinds)[Name]["rights"][number]}`;
}[KindWithRights];

/**
 * What a function does with the table, in kinds of items (lib/contract/items.ts) and in the words of `Table`
 * (lib/store/table.ts). IAM actions, partitions and denials follow in lib/contract/grants.ts.
 */
export type TableUse = {
  readonly reads?: {
    readonly get?: Kinds;
    readonly getMany?: Kinds;
    readonly query?: Kinds;
    /** Several items, or the result of a transaction, in one snapshot. */
    readonly snapshot?: Kinds;
    /** Over the vector index. */
    readonly search?: Kinds;
  };
  readonly writes?: {
    readonly put?: Kinds;
    readonly update?: Kinds;
    readonly delete?: Kinds;
    readonly many?: Kinds;
    /** Never as part of a transaction. */
    readonly alone?: true;
    /** What it writes, or compares while it writes, of the attributes that give rights; an operation's role is denied the others. */
    readonly rights?: readonly Rights[];
  };
  /** Its transactions check that an item is as expected. */
  readonly checks?: Kinds;
};
