import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type DeployedFunction, FunctionFailed, type FunctionSettings } from "./deployed-function.ts";

export type ThreadRequest = {
  readonly id: number;
  readonly streaming: boolean;
  readonly event: unknown;
  readonly timeoutMs: number;
};

export type ThreadAnswer = { readonly id: number } & (
  | { readonly kind: "begun" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "chunk"; readonly chunk: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly message: string }
);

type Pending = {
  readonly onBegun: () => void;
  readonly onChunk: (chunk: Buffer) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
};

/** One function of the template in its own thread, started by its first call and kept warm. */
export class LambdaFunction implements DeployedFunction {
  readonly log: string[] = [];
  readonly #settings: FunctionSettings;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #calls = 0;

  constructor(settings: FunctionSettings) {
    this.#settings = settings;
  }

  get settings(): FunctionSettings {
    return this.#settings;
  }

  invoke = (event: unknown): Promise<unknown> => this.#call(event, false, () => {});

  async invokeStreaming(event: unknown, onChunk: (chunk: Buffer) => void): Promise<void> {
    await this.#call(event, true, onChunk);
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate();
    this.#thread = undefined;
  }

  #call(event: unknown, streaming: boolean, onChunk: (chunk: Buffer) => void): Promise<unknown> {
    const { timeoutSeconds, concurrencyMax } = this.#settings;
    if (this.#pending.size >= concurrencyMax) return Promise.reject(new FunctionFailed("Rate exceeded"));
    const timeoutMs = timeoutSeconds * 1000;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = this.#calls++;
    let overdue: NodeJS.Timeout | undefined;
    // Lambda ends the whole environment of a function that exceeds its timeout; loading the code does not count.
    const onBegun = () => {
      overdue = setTimeout(() => this.#fail(new FunctionFailed("Task timed out")), timeoutMs);
    };
    this.#pending.set(id, { onBegun, onChunk, resolve, reject });
    this.#thread ??= this.#start();
    this.#thread.postMessage({ id, streaming, event, timeoutMs } satisfies ThreadRequest);
    return promise.finally(() => {
      clearTimeout(overdue);
      this.#pending.delete(id);
    });
  }

  #start(): Worker {
    const { threadFile, directory, handler, environment, memoryMegabytes } = this.#settings;
    const [file = "", exportName = ""] = handler.split(".");
    const thread = new Worker(threadFile, {
      workerData: { file: join(directory, `${file}.mjs`), exportName },
      env: { ...environment },
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    thread.stdout.on("data", (chunk: Buffer) => this.log.push(chunk.toString()));
    thread.stderr.on("data", (chunk: Buffer) => this.log.push(chunk.toString()));
    thread.on("message", (answer: ThreadAnswer) => this.#receive(answer));
    thread.on("error", (error) => this.#fail(new FunctionFailed("The function ended.", { cause: error })));
    return thread;
  }

  #receive(answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (answer.kind === "begun") pending?.onBegun();
    else if (answer.kind === "chunk") pending?.onChunk(Buffer.from(answer.chunk));
    else if (answer.kind === "failure") pending?.reject(new FunctionFailed(answer.message));
    else pending?.resolve(answer.kind === "value" ? answer.value : undefined);
  }

  #fail(error: FunctionFailed): void {
    for (const { reject } of this.#pending.values()) reject(error);
    void this.stop();
  }
}
