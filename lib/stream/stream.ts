/**
 * The public part of the write-order stream. docs/change/stream.md explains it with a picture.
 *
 *   appendBatch       append.ts     events in, one outcome each; safe to send twice, late and out of order
 *   removals          removal.ts    what left a dataset or its filters, for readers that keep a mirror
 *   readPage          read-page.ts  a page of one dataset in write order, and where the next one begins
 *   moveOrganization  move.ts       moves the pull requests of an organization that changed tenant
 *   sweepParts        sweep.ts      deletes unused parts of large entries; sweep-some.ts: one scheduled run
 *   renumberStreams   repair.ts     after a restore: publishes appends and moves the numbers ahead
 *   mendStreams       mend.ts       then, beside the service: makes pointers and entries agree; repair-run.ts: its progress
 *
 * Payloads are opaque here: lib/metrics creates and reads them.
 */

import type { DatasetLetter } from "../contract/kind.ts";
import type { streamLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { AttributeValue, Table } from "../store/table.ts";

export const datasets = ["review-comments", "reviews", "mcp"] as const;
export type Dataset = (typeof datasets)[number];

const letters: Readonly<Record<Dataset, DatasetLetter>> = { "review-comments": "c", reviews: "r", mcp: "m" };
const names: Readonly<Record<DatasetLetter, Dataset>> = { c: "review-comments", r: "reviews", m: "mcp" };
export const letterOf = (dataset: Dataset): DatasetLetter => letters[dataset];
export const datasetOf = (letter: DatasetLetter): Dataset => names[letter];

export type StreamLimits = { readonly [Name in keyof typeof streamLimits]: number };

export type StreamDeps = {
  readonly table: Table;
  readonly clock: Clock;
  readonly random: Random;
  /** The limits of the contract, unless a test needs small ones. */
  readonly limits?: StreamLimits;
};

/** The content of one pull request in one dataset. */
export type EntryDraft = {
  /** Merge time (close time for unmerged ones): decides the week and is compared with the window. */
  readonly atMs: number;
  readonly repositoryId: string;
  readonly authorId: string | null;
  /** Readers filter by it too; it is also part of the payload. */
  readonly status?: string | undefined;
  /** Equal digests mean equal payloads. Time, repository and author are compared separately. */
  readonly digest: string;
  /** Bytes may have any size: above 32 KB they spill into parts. Any other value must be smaller. */
  readonly payload: AttributeValue;
  /** Size of the rendered record, so that a response that is too large is detected without reading its parts. */
  readonly renderedBytes: number;
};

/** The whole new state of one pull request. It is not, or no longer, in a dataset that is omitted. */
export type PullRequestChange = {
  /** Service UUID. */
  readonly organization: string;
  /** Stable within the organization: the `pr_url`. */
  readonly pullRequest: string;
  readonly occurredAtMs: number;
  /** The digits of `occurred_at` below the millisecond, without trailing zeros. */
  readonly occurredAtFiner?: string | undefined;
  readonly eventId: string;
  readonly datasets: { readonly [Name in Dataset]?: EntryDraft | undefined };
};

/**
 * appended: the change has new numbers · unchanged: newer, but equal, nothing moved · duplicate · older: ignored ·
 * elsewhere: the organization left this tenant, nothing was done; look up the tenant and send the event again.
 */
export type AppendOutcome = "appended" | "unchanged" | "duplicate" | "older" | "elsewhere";

export type StreamEntry = {
  readonly number: number;
  readonly organization: string;
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly atMs: number;
  readonly renderedBytes: number;
  /** Undefined while the entry is only a candidate and its payload is stored in parts. */
  readonly payload: AttributeValue | undefined;
};

/** Other writers won every race, or a transaction stays in flight. Nothing is lost: send the event again. */
export class StreamBusy extends Error {
  override readonly name = "StreamBusy";
}
