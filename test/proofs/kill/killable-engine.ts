import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { type EngineCommand, portForLater } from "../../../lib/local/engine/child.ts";
import type { EngineProxy } from "../../../lib/local/engine/durable-proxy.ts";
import { chooseEngine } from "../../../lib/local/engine/engine.ts";
import type { EngineKind } from "../../../lib/local/engine/kind.ts";

/** The engine at a fixed address and on a permanent file, in processes that are killed. */
export class KillableEngine {
  readonly kind: EngineKind;
  readonly #command: EngineCommand;
  /** The address of the engine itself. If the engine has a proxy, clients use `endpoint` instead. */
  readonly address: string;
  #proxy: EngineProxy | undefined;
  #child: ChildProcess | undefined;

  private constructor(kind: EngineKind, port: number, path: string) {
    this.kind = kind;
    this.#command = kind.command(port, path);
    this.address = `http://127.0.0.1:${port}`;
  }

  get endpoint(): string {
    return this.#proxy?.endpoint ?? this.address;
  }

  static async start(pathOf: (kind: EngineKind) => string): Promise<KillableEngine> {
    const kind = chooseEngine();
    const path = pathOf(kind);
    const port = await portForLater();
    if (kind.dataIsFolder) await mkdir(path);
    const engine = new KillableEngine(kind, port, path);
    await engine.revive();
    engine.#proxy = await kind.startProxy?.(port, path);
    return engine;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#proxy?.close();
  }

  /** `kill -9`, of exactly the process that was started here. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async revive(): Promise<void> {
    const child = spawn(this.#command.program, this.#command.options, { stdio: "ignore" });
    this.#child = child;
    const isUp = () =>
      fetch(this.address, { signal: AbortSignal.timeout(1_000) }).then(
        () => true,
        () => false,
      );
    const { readyWithinMs } = this.#command;
    for (const startedMs = performance.now(); performance.now() - startedMs < readyWithinMs; ) {
      if (child.exitCode !== null) throw new Error(`The engine ended with ${child.exitCode}.`);
      if (await isUp()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.kill();
    throw new Error("The engine did not come back.");
  }
}
