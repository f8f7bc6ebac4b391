import type * as z from "zod";
import type { KeyKind, Permission } from "./access.ts";
import type { ErrorCode } from "./errors.ts";
import type { Only } from "./only.ts";
import type { TableUse } from "./table-use.ts";

/** How an operation treats a kind of key. A kind that is not `accepted` is refused. */
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
 * The owner of the window in which a call counts. `quota`: the organization, the workspace or the instance, by the kind
 * of key. `organization`: the organization that is acted on (a workspace-wide call counts in the workspace's window).
 */
export type BucketOwner = "quota" | "organization" | "key";
export type RateLimit = {
  readonly bucket: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
  readonly owner: BucketOwner;
};

/** The rule for `org_id` with a workspace token. */
export type OrganizationRule = "optional" | "required" | "refused" | "ignored";

/**
 * Which organizations an instance key acts on. `named`: the one that `org_id` names, all of them with `ALL`, its home
 * organization without `org_id`.
 */
export type InstanceScope = "authorized" | "home" | "named";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type AnswerSchema = { readonly description: string; readonly schema?: z.ZodType };

/** What it reads, writes and checks in the table beside the work of the chain is part of `TableUse`. */
export type Operation = TableUse & {
  /** The name in OpenAPI and in the client. */
  readonly id: string;
  /** functions/<source>.ts holds its handler. */
  readonly source: string;
  readonly method: Method;
  /** A request that changes nothing, although its method is not GET: its input does not fit a query. */
  readonly readOnly?: true;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters?: z.ZodObject;
  readonly query: z.ZodObject;
  /** Query parameters that may be sent several times; all others at most once. */
  readonly repeatableParameters?: readonly string[];
  readonly body?: z.ZodObject;
  /** A missing body means an empty object. */
  readonly bodyOptional?: boolean;
  readonly bodyBytesMax?: number;
  /** Arrays of the body whose length is checked before anything else in it. */
  readonly batch?: { readonly fields: readonly string[]; readonly elementsMax: number };
  /** Returns what is wrong with a well-formed request for the kind of key; undefined if nothing is. */
  problemFor?(kind: KeyKind, input: { readonly body: object | undefined }): string | undefined;
  /** The success response: one status, and its schema unless it has no body. */
  readonly answer: AnswerSchema & { readonly status: 200 | 201 | 204 };
  readonly keys: KeyPolicy;
  /** What the `only` of a narrow key must contain; null: every key may call it. */
  readonly only: Only | null;
  /** Parameters, fields of the body, or `name=value`, that only these kinds of key may send; other kinds get 403 KEY_TYPE_FORBIDDEN. */
  readonly keysOfParameter?: Readonly<Record<string, readonly KeyKind[]>>;
  /**
   * `enterprise`: organizations on other plans are removed from the scope; if none is left, the request is refused.
   * `enterprise_somewhere`: one organization on the plan is enough, and all stay in the scope.
   */
  readonly plan: "enterprise" | "enterprise_somewhere" | "any";
  /** Further states of the organization that are checked together with the plan. */
  readonly gates?: readonly ("subscription" | "self_hosted" | "metrics")[];
  /** `admin` means exactly `cr_admin`; null accepts every accepted key. */
  readonly needs: Permission | "admin" | null;
  /** What a request with this parameter (`name=value`) needs in addition to `needs`. */
  readonly needsOfParameter?: Readonly<Record<string, Permission | "admin">>;
  /** What a single kind of key needs in addition to `needs`. */
  readonly needsOfKind?: Readonly<Partial<Record<KeyKind, Permission>>>;
  /** User keys see only the repositories that their member can read; other kinds see all. */
  readonly readableOnly?: true;
  /** Which keys it acts on, in the words of the guide: only the data shows it. */
  readonly reach?: string;
  /** A key may always end itself: then nothing after its kind is checked, and the call is not counted. */
  readonly endsItself?: true;
  /** What the old value of a rotated key may do: nothing (409 `KEY_ROTATED`), or repeat the rotation. Default: everything. */
  readonly oldValue?: "refused" | "repeats";
  readonly organization: OrganizationRule;
  readonly instanceScope: InstanceScope;
  readonly rateLimit: RateLimit;
  /** Present if the operation has pages: what its cursors are bound to, and whether a walk can be resumed. */
  readonly paging?: {
    readonly bindsPageSize: boolean;
    readonly resumable: boolean;
    /** An organization that moved into the workspace is shown when its whole audit log has arrived there. */
    readonly waitsForLogs?: boolean;
    /** A restore of the table undoes what its cursors have passed: cursors from before the restore are refused. */
    readonly endsWithRestore?: boolean;
    readonly defaultSize: number;
  };
  /** Formats that are whole files: the response then has a file name for saving it. */
  readonly downloads?: readonly string[];
  /** Responses can exceed what Lambda buffers, so they are streamed. */
  readonly streaming: boolean;
  /** What it uses besides the table; each adds a grant and an environment variable. */
  readonly uses?: readonly "embedder"[];
  /** The advice in the 413 response, if the usual advice does not fit. */
  readonly narrowing?: string;
  /** Codes of the operation's own work, in addition to those that its policy implies. */
  readonly errors: readonly ErrorCode[];
};

/** The Learnings API came first and kept its plural; everything else answers with one `error`. */
export const errorShapeOf = (path: string): "error" | "errors" =>
  path.startsWith("/v1/learnings") ? "errors" : "error";

/** Whether the operation changes nothing: the limiter's outage lets it through, and callers may repeat it. */
export const isReadOnly = ({ method, readOnly }: Pick<Operation, "method" | "readOnly">): boolean =>
  method === "GET" || readOnly === true;

/** What an entry may leave out. */
const usual = { streaming: false, errors: [] } as const;
type Entered = Omit<Operation, keyof typeof usual> & Partial<Pick<Operation, keyof typeof usual>>;

/** Keeps the literal types of an entry while checking it against the model. */
export const operation = <const Entry extends Entered>(
  entry: Entry,
): Omit<typeof usual, keyof Entry> & Entry => ({ ...usual, ...entry });
