import type { EngineCommand } from "./child.ts";
import type { EngineProxy } from "./durable-proxy.ts";

/** A program that speaks DynamoDB's protocol on this machine. */
export type EngineKind = {
  readonly name: string;
  /** True where vector indexes exist; elsewhere vectors are searched one by one. */
  readonly vectorIndex: boolean;
  /** True where consumed capacity is counted as DynamoDB counts it. */
  readonly countsCapacity: boolean;
  /** False where starting takes seconds. */
  readonly startsAtOnce: boolean;
  /** The file or folder in the data directory that the engine keeps its data in. */
  readonly dataPath: string;
  readonly dataIsFolder: boolean;
  /** Why it cannot run here; undefined when it can. */
  missing(): string | undefined;
  /** Without a path it keeps everything in memory. */
  command(port: number, dataPath: string | undefined, options?: CommandOptions): EngineCommand;
  /** For data on disk: where clients connect instead of the engine. */
  startProxy?(enginePort: number, dataPath: string): Promise<EngineProxy>;
};

export type CommandOptions = {
  /** Tens of thousands of calls are coming: what makes each call cheaper may take its time first. */
  readonly isForManyCalls?: boolean;
};
