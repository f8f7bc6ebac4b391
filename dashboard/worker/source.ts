import type { Client } from "../../lib/client/client.ts";
import type { Identity, SectionMessage, SectionState, ShownView } from "../protocol.ts";
import type { Narrowing, Reading } from "./read.ts";

/** What a section is read and computed for. */
export type Context = {
  readonly identity: Identity;
  readonly view: ShownView;
  readonly narrowing: Narrowing;
};

export type SourceOptions<Records, Data> = {
  /** Why the key may not read it, in a sentence; then nobody asks. */
  refusal(identity: Identity): string | null;
  /** When this changes, it is read anew; for everything else what was read serves. */
  keyOf(context: Context): unknown;
  read(reading: Reading, context: Context): Promise<Records>;
  figures(records: Records, context: Context): Data;
  message(state: SectionState<Data>): SectionMessage;
  /** For others that wait for what was read. */
  onRead?(): void;
};

export type Surroundings = {
  readonly client: Client;
  tell(message: SectionMessage): void;
  onFault(error: unknown): SectionState<never>;
};

export type Source<Records> = {
  /** Reads if need be, and tells the figures of this context. */
  update(context: Context): void;
  /** Tells the figures again, where there are some. */
  tellAgain(): void;
  records(): Records | undefined;
  /** Changes what was read, after a change that this page made itself. */
  change(edit: (records: Records) => Records): void;
  /** When the read that goes on is over, however it ends. */
  settled(): Promise<void>;
  /** The next update reads anew. */
  forget(): void;
};

/** One section's records: read once, kept, and computed for whatever is shown. */
export function createSource<Records, Data>(
  options: SourceOptions<Records, Data>,
  { client, tell, onFault }: Surroundings,
): Source<Records> {
  let key: string | undefined;
  let latest: Context | undefined;
  let records: Records | undefined;
  let reading = new AbortController();
  let settled: Promise<void> = Promise.resolve();

  const tellAgain = () => {
    if (records !== undefined && latest)
      tell(options.message({ status: "ready", data: options.figures(records, latest) }));
  };

  const read = async (context: Context) => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    records = undefined;
    const sentence = options.refusal(context.identity);
    if (sentence !== null) {
      tell(options.message({ status: "left-out", sentence }));
      return;
    }
    const onProgress = (count: number, countMax?: number) => {
      if (!signal.aborted)
        tell(options.message({ status: "loading", records: count, recordsMax: countMax ?? null }));
    };
    onProgress(0);
    try {
      const answer = await options.read(
        { client, signal, narrowing: context.narrowing, onProgress },
        context,
      );
      if (signal.aborted) return;
      records = answer;
      tellAgain();
      options.onRead?.();
    } catch (error) {
      if (!signal.aborted) tell(options.message(onFault(error)));
    }
  };

  return {
    update(context) {
      latest = context;
      const wanted = JSON.stringify(options.keyOf(context));
      if (wanted === key) tellAgain();
      else {
        key = wanted;
        settled = read(context);
      }
    },
    tellAgain,
    records: () => records,
    change(edit) {
      if (records === undefined) return;
      records = edit(records);
      tellAgain();
    },
    settled: () => settled,
    forget() {
      key = undefined;
      reading.abort();
    },
  };
}
