import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Change } from "./change.ts";
import { chooseChange, readReached, seatVariable } from "./workplace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const script = fileURLToPath(new URL("tests.ts", import.meta.url));

const answerSchema = z.object({
  modules: z.array(z.object({ file: z.string(), ms: z.number(), failures: z.array(z.string()) })),
  errors: z.array(z.string()),
});
type Answer = z.output<typeof answerSchema>;

const failuresOf = ({ modules, errors }: Answer): readonly string[] => [
  ...modules.flatMap(({ file, failures }) =>
    failures.map((failure) => `${relative(root, file)}: ${failure}`),
  ),
  ...errors,
];

export type TestFile = { readonly file: string; readonly reached: ReadonlySet<string>; readonly ms: number };

/** A process that runs tests, one change after the other. */
export class Tester {
  readonly #seat: string;
  #running: ChildProcess | undefined;

  constructor(seat: string) {
    this.#seat = seat;
  }

  stop(): void {
    this.#running?.kill("SIGKILL");
    this.#running = undefined;
  }

  async #process(): Promise<ChildProcess> {
    if (this.#running?.connected) return this.#running;
    const env = { ...process.env, [seatVariable]: this.#seat };
    this.#running = fork(script, { cwd: root, stdio: ["ignore", "ignore", "inherit", "ipc"], env });
    await once(this.#running, "message");
    return this.#running;
  }

  /** Undefined: the tests did not end in time. */
  async #run(files: readonly string[], limitMs: number): Promise<Answer | undefined> {
    const child = await this.#process();
    const done = new AbortController();
    const ended = Promise.race([
      once(child, "message", { signal: done.signal }),
      once(child, "exit", { signal: done.signal }),
      setTimeout(limitMs, undefined, { signal: done.signal }),
    ]);
    child.send({ files: files.map((file) => join(root, file)) });
    const [answer] = (await ended) ?? [];
    done.abort();
    if (typeof answer === "object" && answer !== null) return answerSchema.parse(answer);
    if (!child.connected) throw new Error("The process that runs the tests ended.");
    this.stop();
    return undefined;
  }

  /** Runs the tests without a change, and answers which places of changes each file reaches. */
  async explore(files: readonly string[]): Promise<readonly TestFile[]> {
    chooseChange(this.#seat, null);
    const answer = await this.#run(files, 1_800_000);
    if (!answer) throw new Error("The tests do not end without a change.");
    const failures = failuresOf(answer);
    if (failures.length > 0) throw new Error(["Tests fail without a change:", ...failures].join("\n"));
    return answer.modules.map(({ file, ms }) => ({
      file: relative(root, file),
      reached: new Set(readReached(file)),
      ms,
    }));
  }

  /** The test that fails with the change; undefined if none does. */
  async notice({ id }: Change, tests: readonly TestFile[]): Promise<string | undefined> {
    chooseChange(this.#seat, id);
    const files = tests.filter(({ reached }) => reached.has(id)).sort((one, other) => one.ms - other.ms);
    // A few quick files mostly notice it; then all others.
    for (const some of [files.slice(0, 4), files.slice(4)]) {
      if (some.length === 0) continue;
      const names = some.map(({ file }) => file);
      // As on the same machine before, and far more: a change can make a loop endless.
      const answer = await this.#run(names, 60_000 + 10 * some.reduce((sum, { ms }) => sum + ms, 0));
      if (!answer) return `${names.join(", ")}: do not end`;
      const [failure] = failuresOf(answer);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }
}
