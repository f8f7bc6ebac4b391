import type { KeyKind } from "../../lib/contract/access.ts";
import type { Only } from "../../lib/contract/only.ts";
import type { Operation } from "../../lib/contract/operation.ts";

export type RequestLimit = {
  readonly bucket: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
};

/** What the worker knows about an operation. */
export type OperationPolicy = {
  readonly limit: RequestLimit;
  readonly kinds: readonly KeyKind[];
  readonly plan: Operation["plan"];
  /** The organizations must send their metrics. */
  readonly needsMetrics: boolean;
  /** With an instance key, only the key's home counts. */
  readonly actsOnHome: boolean;
  /** A permission, or `admin`. */
  readonly needs: string | null;
  readonly needsOfKind: Readonly<Partial<Record<KeyKind, string>>>;
  readonly only: Only | null;
  /** By `name=value` of a parameter: what a request with it requires in addition. */
  readonly parameters: Readonly<Record<string, { kinds?: readonly KeyKind[]; needs?: string }>>;
};
