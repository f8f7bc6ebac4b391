import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import { portForLater } from "../../lib/local/engine/child.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { pythonTool } from "../support/python-environment.ts";

export const region = "eu-west-1";

export type Emulator = {
  readonly url: string;
  /** Operations that `verify` leaves out, because they cannot work here. */
  readonly notShown: readonly OperationId[];
  /** What it and the deployed functions printed. */
  readonly log: () => string;
  stop(): Promise<void>;
};

const readyMsMax = 60_000;

/** MiniStack with the stand-ins of `emulator.py`, on a free port of this machine. */
export async function startEmulator(): Promise<Emulator> {
  const bin = await pythonTool("ministack");
  const folder = await mkdtemp(join(tmpdir(), "emulator-"));
  const port = await portForLater();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(join(bin, "python"), [join(import.meta.dirname, "emulator.py")], {
    // A group of its own: its functions are processes, and end with it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: folder,
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_HOST: "127.0.0.1",
      MINISTACK_REGION: region,
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    const ended = once(child, "exit");
    if (child.pid !== undefined && isRunning) process.kill(-child.pid, "SIGKILL");
    if (isRunning) await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const untilMs = systemClock.nowMs() + readyMsMax;
  while (!(await answers(url))) {
    if (child.exitCode !== null || systemClock.nowMs() > untilMs) {
      await stop();
      throw new Error(`The emulator did not start:\n${printed}`);
    }
    await systemClock.sleep(200);
  }
  const named = new Set(Array.from(printed.matchAll(/^Not shown: (\w+) works$/gm), ([, name]) => name));
  const notShown = operations.flatMap(({ id }) => (named.has(id) ? [id] : []));
  return { url, notShown, log: () => printed, stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );

/** All that AWS's tools need to reach the emulator; nothing of the machine's own account. */
export const emulatorVariables = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_ACCESS_KEY_ID: "emulator",
  AWS_SECRET_ACCESS_KEY: "emulator",
  AWS_REGION: region,
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
});

/** `npm run emulator`: until Ctrl-C. */
if (import.meta.main) {
  const { url, log, notShown, stop } = await startEmulator();
  const variables = Object.entries(emulatorVariables(url)).map(([name, value]) => `${name}=${value}`);
  console.log(
    log()
      .match(/^(Stand-in|Not shown): .+$/gm)
      ?.join("\n"),
  );
  console.log(`\nIn another terminal:\n\nexport ${variables.join(" ")}`);
  console.log(
    `\nAfter the deployment:\n\nnpx --no-install review-api verify --stack ReviewApi --without ${notShown.join(",")}`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void stop().then(() => process.exit()));
}
