import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as z from "zod";

const answerSchema = z.object({ overdue: z.int(), failures: z.array(z.string()) });
export type Reads = z.output<typeof answerSchema>;

/** Loads the bundle and answers messages with the result of its handler. `aheadMs` moves the wall clock forward. */
const script = `
  const { handler } = await import(process.argv[1]);
  const now = Date.now;
  process.on("message", async ({ aheadMs, ...event }) => {
    Date.now = () => now() + aheadMs;
    process.send(await handler(event));
  });
  process.send("ready");`;

/** A built function in its own process, which can be frozen as Lambda freezes one between two requests. */
export class FreezableProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(bundle: string, environment: NodeJS.ProcessEnv): Promise<FreezableProcess> {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script, bundle], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    await once(child, "message");
    return new FreezableProcess(child);
  }

  async read(reads: number, aheadMs = 0): Promise<Reads> {
    const answer = once(this.#child, "message");
    this.#child.send({ reads, aheadMs });
    return answerSchema.parse((await answer)[0]);
  }

  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}
