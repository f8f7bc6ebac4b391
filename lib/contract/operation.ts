import type * as z from "zod";
import type { KeyKind, Permission } from "./access.ts";
import type { ErrorCode } from "./errors.ts";

/** How an operation treats a kind of key. A kind that is not accepted here is refused. */
export type KeyPolicy = Readonly<Record<KeyKind, "accepted" | "forbidden" | "gone">>;

export const everyKey: KeyPolicy = {
  organization: "accepted",
  user: "accepted",
  workspace: "accepted",
  instance: "accepted",
  legacy: "accepted",
  agentic: "forbidden",
};
export const noLegacyKey: KeyPolicy = { ...everyKey, legacy: "gone" };

/**
 * Whose window a call counts in. `quota`: the organization, the workspace or the instance, by the kind of
 * key. `organization`: the organization acted on (a workspace-wide call counts in the workspace's window).
 */
export type BucketOwner = "quota" | "organization" | "key";
export type RateLimit = {
  readonly bucket: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
  readonly owner: BucketOwner;
};

/** What a workspace token must do with `org_id`. */
export type OrganizationRule = "optional" | "required" | "refused" | "ignored";

/**
 * Which organizations an instance key acts on. `named`: the one that `org_id` names, all of them with `ALL`,
 * its home without.
 */
export type InstanceScope = "authorized" | "home" | "named";

/** DynamoDB actions the operation's own work needs, beyond what the chain itself uses. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "ConditionCheckItem"
  | "SearchVectors";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type AnswerSchema = { readonly description: string; readonly schema?: z.ZodType };

export type Operation = {
  /** The name in OpenAPI and in the client. */
  readonly id: string;
  /** functions/<source>.ts holds its handler. */
  readonly source: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters?: z.ZodObject;
  readonly query: z.ZodObject;
  /** Query parameters that may be given several times; all others at most once. */
  readonly repeatableParameters?: readonly string[];
  readonly body?: z.ZodObject;
  /** No body at all means an empty object. */
  readonly bodyOptional?: boolean;
  readonly bodyBytesMax?: number;
  /** Arrays of the body whose length is judged before anything else in it. */
  readonly batch?: { readonly fields: readonly string[]; readonly elementsMax: number };
  /** What is wrong with a well-formed request, given the kind of key; undefined when nothing is. */
  problemFor?(kind: KeyKind, input: { readonly body: object | undefined }): string | undefined;
  /** The success answer: one status, and its schema unless it has no body. */
  readonly answer: AnswerSchema & { readonly status: 200 | 201 | 204 };
  readonly keys: KeyPolicy;
  /** Parameters, or `name=value`, that only these kinds of key may send; other kinds get 403 KEY_TYPE_FORBIDDEN. */
  readonly keysOfParameter?: Readonly<Record<string, readonly KeyKind[]>>;
  /**
   * `enterprise`: organizations on other plans are left out of the scope, none left is refused.
   * `enterprise_somewhere`: one on the plan is enough and all stay in the scope.
   */
  readonly plan: "enterprise" | "enterprise_somewhere" | "any";
  /** Further states of the organization that are checked together with the plan. */
  readonly gates?: readonly ("subscription" | "self_hosted" | "metrics")[];
  /** `admin` is exactly `cr_admin`; null lets every accepted key through. */
  readonly needs: Permission | "admin" | null;
  /** What a request with this parameter (`name=value`) needs beyond `needs`. */
  readonly needsOfParameter?: Readonly<Record<string, Permission | "admin">>;
  /** What a single kind of key needs beyond `needs`. */
  readonly needsOfKind?: Readonly<Partial<Record<KeyKind, Permission>>>;
  /** User keys cover only the repositories that their member can read; other kinds are not bound to a person's. */
  readonly readableOnly?: true;
  /** The key that the path names needs neither role nor permission: it acts on itself. */
  readonly allowsOwnKey?: boolean;
  readonly organization: OrganizationRule;
  readonly instanceScope: InstanceScope;
  readonly rateLimit: RateLimit;
  /** Present when the operation pages: what its cursors are bound to, and whether a walk can be resumed. */
  readonly paging?: {
    readonly bindsPageSize: boolean;
    readonly resumable: boolean;
    /** A restore of the table takes back what its cursors have passed: those from before are refused. */
    readonly endsWithRestore?: boolean;
    readonly defaultSize: number;
  };
  /** Formats that are whole files: the answer then carries a name to save it under. */
  readonly downloads?: readonly string[];
  /** Answers can exceed what Lambda buffers, so they are streamed. */
  readonly streaming: boolean;
  readonly tableActions: readonly TableAction[];
  /** Partitions of which it reads several items, or the outcome of a transaction, in one snapshot (TransactGetItems). */
  readonly snapshotPartitions?: readonly string[];
  /** What those actions are about, by the beginnings of partition keys (lib/store/layout.ts). */
  readonly tablePartitions?: readonly string[];
  /** Partitions that it reads beside those, and never writes. */
  readonly readPartitions?: readonly string[];
  /** What it uses beside the table; each brings its grant and its environment variable. */
  readonly uses?: readonly "embedder"[];
  /** What the 413 tells a caller to do, where the usual advice does not fit. */
  readonly narrowing?: string;
  /** Codes of the operation's own work, beyond those its policy implies. */
  readonly errors: readonly ErrorCode[];
};

/** Learnings came first and kept their plural; everything else answers with one `error`. */
export const errorShapeOf = (path: string): "error" | "errors" =>
  path.startsWith("/v1/learnings") ? "errors" : "error";

/** Keeps the literal types of an entry while checking it against the model. */
export const operation = <const Entry extends Operation>(entry: Entry): Entry => entry;
