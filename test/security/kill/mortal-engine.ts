import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { engineBinary, freePort } from "../../../cli/local/engine.ts";

const readyWithinMs = 20_000;

/** The embedded engine at an address that stays, on a file that stays, in processes that do not. */
export class MortalEngine {
  readonly endpoint: string;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, databaseFile: string) {
    this.endpoint = `http://127.0.0.1:${port}`;
    this.#options = ["--host", "127.0.0.1", "--port", String(port), "--db-path", databaseFile];
  }

  static async start(databaseFile: string): Promise<MortalEngine> {
    const engine = new MortalEngine(await freePort(), databaseFile);
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
    const child = spawn(engineBinary(), this.#options, { stdio: "ignore" });
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
