export type FunctionSettings = {
  readonly id: string;
  /** The script of a thread: lambda-thread.ts, bundled. */
  readonly threadFile: string;
  /** The bundle's folder. */
  readonly directory: string;
  /** `<file>.<export>`, as the template has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Concurrent calls that Lambda accepts; the next one is refused. */
  readonly concurrencyMax: number;
};

export class FunctionFailed extends Error {
  override readonly name = "FunctionFailed";
}

/** One function of the template: in a thread by default, on AWS's runtime client in `npm run test:ric`. */
export interface DeployedFunction {
  /** Its standard output, which CloudWatch would store. */
  readonly log: string[];
  readonly settings: FunctionSettings;
  invoke(event: unknown): Promise<unknown>;
  invokeStreaming(event: unknown, onChunk: (chunk: Buffer) => void): Promise<void>;
  stop(): Promise<void>;
}
