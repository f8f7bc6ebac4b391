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
  /** When this value changes, the section is read again; by default, when other organizations are chosen. */
  keyOf?(context: Context): unknown;
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

/** The records of one section: read once, kept, and computed for the current view. */
export class SectionSource<Records, Data> {
  readonly #options: SourceOptions<Records, Data>;
  readonly #deps: SourceDeps;
  #key: string | undefined;
  #latest: Context | undefined;
  #records: Records | undefined;
  #reading = new AbortController();
  #settled: Promise<void> = Promise.resolve();
  #isRefused = false;

  constructor(options: SourceOptions<Records, Data>, deps: SourceDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  refusal(context: Context): string | null {
    return this.#options.refusal(context);
  }

  /** Reads if necessary, and sends the figures of this context. */
  update(context: Context): void {
    this.#latest = context;
    const wanted = this.#keyFor(context);
    if (wanted === this.#key) this.sendAgain();
    else {
      this.#key = wanted;
      this.#settled = this.#read(context);
    }
  }

  /** Reads nothing; says whether the key may read it. */
  offer(context: Context): boolean {
    const sentence = this.refusal(context);
    if (sentence !== null) this.#send({ status: "left-out", sentence });
    else if (this.#isRefused) this.#send({ status: "unread" });
    this.#isRefused = sentence !== null;
    return !this.#isRefused;
  }

  /** Sends the figures again, if there are some. */
  sendAgain(): void {
    if (this.#records !== undefined && this.#latest)
      this.#send({ status: "ready", data: this.#options.figures(this.#records, this.#latest) });
  }

  records(): Records | undefined {
    return this.#records;
  }

  /** Only if they were read for such a context. */
  recordsFor(context: Context): Records | undefined {
    return this.#keyFor(context) === this.#key ? this.#records : undefined;
  }

  /** Edits the kept records after a change that this page made itself. */
  change(edit: (records: Records) => Records): void {
    this.#records = this.#records && edit(this.#records);
    this.sendAgain();
  }

  /** Resolves when the current read is over, whether it succeeds or fails. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** The next update reads again. */
  forget(): void {
    this.#key = undefined;
    this.#reading.abort();
  }

  #keyFor(context: Context): string {
    return JSON.stringify(this.#options.keyOf?.(context) ?? context.narrowing);
  }

  #send(state: SectionState<Data>): void {
    this.#deps.send(this.#options.message(state));
  }

  async #read(context: Context): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.#records = undefined;
    if (!this.offer(context)) return;
    const onProgress = (records: number, recordsMax: number | null = null) => {
      if (!signal.aborted) this.#send({ status: "loading", records, recordsMax });
    };
    onProgress(0);
    const { identity, narrowing } = context;
    const metrics = metricsFilters(identity.key.kind, narrowing);
    const reading = { client: this.#deps.client, signal, onProgress, narrowing, metrics };
    try {
      const records = await this.#options.read(reading, context);
      if (signal.aborted) return;
      this.#records = records;
      // Others first: a section that says that it is ready is the last one that changes.
      this.#options.onRead?.();
      this.sendAgain();
    } catch (error) {
      if (!signal.aborted) this.#send(this.#deps.onFault(error));
    }
  }
}
