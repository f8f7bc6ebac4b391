import type { Client } from "../../lib/client/client.ts";
import { metricsFilters } from "../../lib/report/metrics-filters.ts";
import type { KeyIdentity, SectionFault, SectionMessage, SectionState, ShownView } from "../protocol.ts";
import type { FetchDeps, Narrowing } from "./read.ts";

/** What a section is read and computed for. */
export type Context = {
  readonly identity: KeyIdentity;
  readonly view: ShownView;
  readonly narrowing: Narrowing;
};

export type SourceOptions<Records, Data> = {
  /** Why the key may not read it, as a sentence; then no request is sent. */
  refusal(context: Context): string | null;
  /** When this value changes, the section is read again; otherwise the kept records are used. */
  keyOf(context: Context): unknown;
  read(reading: FetchDeps, context: Context): Promise<Records>;
  figures(records: Records, context: Context): Data;
  message(state: SectionState<Data>): SectionMessage;
  /** Notifies other sections that depend on these records. */
  onRead?(): void;
};

export type SourceDeps = {
  readonly client: Client;
  send(message: SectionMessage): void;
  onFault(error: unknown): SectionFault;
};

export type SectionSource<Records> = {
  /** Why the key may not read it, as a sentence. */
  refusal(context: Context): string | null;
  /** Reads if necessary, and sends the figures of this context. */
  update(context: Context): void;
  /** Reads nothing; says whether the key may read it. */
  offer(context: Context): void;
  /** Sends the figures again, if there are some. */
  sendAgain(): void;
  records(): Records | undefined;
  /** Only if they were read for such a context. */
  recordsFor(context: Context): Records | undefined;
  /** Edits the kept records after a change that this page made itself. */
  change(edit: (records: Records) => Records): void;
  /** Resolves when the current read is over, whether it succeeds or fails. */
  settled(): Promise<void>;
  /** The next update reads again. */
  forget(): void;
};

/** The records of one section: read once, kept, and computed for the current view. */
export function createSource<Records, Data>(
  options: SourceOptions<Records, Data>,
  { client, send, onFault }: SourceDeps,
): SectionSource<Records> {
  let key: string | undefined;
  let latest: Context | undefined;
  let records: Records | undefined;
  let reading = new AbortController();
  let settled: Promise<void> = Promise.resolve();
  let isRefused = false;

  const sendAgain = () => {
    if (records !== undefined && latest)
      send(options.message({ status: "ready", data: options.figures(records, latest) }));
  };

  const sendRefusal = (context: Context): boolean => {
    const sentence = options.refusal(context);
    if (sentence !== null) send(options.message({ status: "left-out", sentence }));
    else if (isRefused) send(options.message({ status: "unread" }));
    isRefused = sentence !== null;
    return isRefused;
  };

  const read = async (context: Context) => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    records = undefined;
    if (sendRefusal(context)) return;
    const onProgress = (count: number, countMax?: number) => {
      if (!signal.aborted)
        send(options.message({ status: "loading", records: count, recordsMax: countMax ?? null }));
    };
    onProgress(0);
    try {
      const answer = await options.read(
        {
          ...{ client, signal, onProgress, narrowing: context.narrowing },
          metrics: metricsFilters(context.identity.key.kind, context.narrowing),
        },
        context,
      );
      if (signal.aborted) return;
      records = answer;
      sendAgain();
      options.onRead?.();
    } catch (error) {
      if (!signal.aborted) send(options.message(onFault(error)));
    }
  };

  return {
    refusal: options.refusal,
    offer: sendRefusal,
    update(context) {
      latest = context;
      const wanted = JSON.stringify(options.keyOf(context));
      if (wanted === key) sendAgain();
      else {
        key = wanted;
        settled = read(context);
      }
    },
    sendAgain,
    records: () => records,
    recordsFor: (context) => (JSON.stringify(options.keyOf(context)) === key ? records : undefined),
    change(edit) {
      if (records === undefined) return;
      records = edit(records);
      sendAgain();
    },
    settled: () => settled,
    forget() {
      key = undefined;
      reading.abort();
    },
  };
}
