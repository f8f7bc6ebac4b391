export type FunctionSettings = {
  readonly id: string;
  /** What a thread runs: lambda-thread.ts, bundled. */
  readonly threadFile: string;
  /** Folder of the bundle. */
  readonly directory: string;
  /** `<file>.<export>`, as the template has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Calls at once that Lambda takes; the next one is turned away. */
  readonly concurrencyMax: number;
};

export class FunctionFailed extends Error {
  override readonly name = "FunctionFailed";
}

/** One function of the template: in a thread by default, on AWS's runtime client in `npm run test:ric`. */
export interface DeployedFunction {
  /** Everything it wrote to standard output: what CloudWatch would hold of it. */
  readonly log: string[];
  readonly settings: FunctionSettings;
  invoke(event: unknown): Promise<unknown>;
  invokeStreaming(event: unknown, onChunk: (chunk: Buffer) => void): Promise<void>;
  stop(): Promise<void>;
}
