import type { EngineCommand } from "./child.ts";
import type { EngineProxy } from "./durable-proxy.ts";

/** A program that implements DynamoDB's protocol on this machine. */
export type EngineKind = {
  readonly name: string;
  /** True if vector indexes exist; otherwise vectors are compared one by one. */
  readonly vectorIndex: boolean;
  /** True if consumed capacity is counted as in DynamoDB. */
  readonly countsCapacity: boolean;
  /** False if starting takes seconds. */
  readonly startsAtOnce: boolean;
  /** The file or folder in the data directory where the engine keeps its data. */
  readonly dataPath: string;
  readonly dataIsFolder: boolean;
  /** Why it cannot run here; undefined if it can. */
  missing(): string | undefined;
  /** Without a path the engine keeps everything in memory. */
  command(port: number, dataPath: string | undefined, options?: CommandOptions): EngineCommand;
  /** For data on disk: the proxy that clients connect to instead of the engine. */
  startProxy?(enginePort: number, dataPath: string): Promise<EngineProxy>;
};

export type CommandOptions = {
  /** Tens of thousands of calls follow: a slower start is acceptable if it makes each call cheaper. */
  readonly isForManyCalls?: boolean;
};
