import { Fault } from "../contract/fault.ts";

/** The record is as asked for, the index is not: the caller may repeat the request, and the reconciler is told. */
export const indexRefreshFailed = (cause: unknown): Fault =>
  new Fault(
    "INDEX_REFRESH_FAILED",
    "The change is stored, but the review index does not follow it yet. Repeat the same request.",
    { cause },
  );
