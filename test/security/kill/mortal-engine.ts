import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type EngineCommand, freePort } from "../../../cli/local/engine/child.ts";
import { chooseEngine, type EngineKind } from "../../../cli/local/engine/engine.ts";

const readyWithinMs = 20_000;

/** The embedded engine at an address that stays, on a file that stays, in processes that do not. */
export class MortalEngine {
  readonly endpoint: string;
  readonly kind: EngineKind;
  readonly #command: EngineCommand;
  #child: ChildProcess | undefined;

  private constructor(port: number, kind: EngineKind, databaseFile: string) {
    this.endpoint = `http://127.0.0.1:${port}`;
    this.kind = kind;
    this.#command = kind.command(port, databaseFile);
  }

  static async start(fileOf: (kind: EngineKind) => string): Promise<MortalEngine> {
    const kind = chooseEngine();
    const engine = new MortalEngine(await freePort(), kind, fileOf(kind));
    await engine.revive();
    return engine;
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
      fetch(this.endpoint, { signal: AbortSignal.timeout(1_000) }).then(
        () => true,
        () => false,
      );
    for (const startedMs = performance.now(); performance.now() - startedMs < readyWithinMs; ) {
      if (child.exitCode !== null) throw new Error(`The engine ended with ${child.exitCode}.`);
      if (await isUp()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error("The engine did not come back.");
  }
}
