import { spawnSync } from "node:child_process";
import { beforeEach, describe, expect, test } from "vitest";
import { type DataDirectory, dataDirectory, writeOwner } from "../../lib/local/data-directory.ts";
import { claimDirectory, localServiceUrl, takeOver } from "../../lib/local/ownership.ts";
import { tryLock } from "../../lib/runtime/file-lock.ts";
import { useDev } from "../cli/support.ts";

const dev = useDev();
let directory: DataDirectory;
beforeEach(async () => {
  directory = dataDirectory(await dev.folder());
});

/** Each sleep is a step of the test. */
function steppedClock() {
  let nowMs = 0;
  let steps = 0;
  const plan = new Map<number, () => Promise<void>>();
  return {
    at: (step: number, act: () => Promise<void>) => plan.set(step, act),
    clock: {
      nowMs: () => nowMs,
      async sleep(ms: number) {
        nowMs += ms;
        await plan.get(++steps)?.();
        if (steps > 20_000) throw new Error("The wait does not end.");
      },
    },
  };
}

/** What a service leaves that was killed: the file says that it serves, and its process is gone. */
async function killedService(): Promise<number> {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const endpoint = "http://127.0.0.1:9";
  await writeOwner(directory, {
    process_id: pid,
    role: "service",
    engine: "dynoxide",
    endpoint,
    url: endpoint,
  });
  return pid;
}

const claim = (clock = steppedClock().clock) => claimDirectory(directory, clock, { role: "command" });
const owned = async (entry: ReturnType<typeof claim>) => {
  const found = await entry;
  return found.kind === "owner" ? found : expect.fail("The directory belongs to somebody else.");
};

describe("after a service was killed, while a command has the data", () => {
  test("a start waits for the command, however long it takes, and says for whom it waits", async () => {
    await killedService();
    const command = await owned(claim());
    const { clock, at } = steppedClock();
    const said: string[] = [];
    // Ten minutes.
    at(12_000, () => command.release());
    const service = await takeOver(directory, clock, (sentence) => said.push(sentence));
    expect(said).toEqual([
      `Process ${process.pid}, a command of this tool, uses the data in ${directory.path}. Waiting until it has ended.`,
    ]);
    await service.release();
  });

  test("another command waits too, and does not call the engine that was killed", async () => {
    await killedService();
    const command = await owned(claim());
    const { clock, at } = steppedClock();
    at(10, () => command.release());
    await (await owned(claim(clock))).release();
  });

  test("no service runs", async () => {
    await killedService();
    const command = await owned(claim());
    expect(await localServiceUrl(directory)).toBeUndefined();
    await command.release();
  });
});

test("a start after a kill is not refused because somebody looks at the lock in that moment", async () => {
  await killedService();
  const look = tryLock(directory.lockFile);
  const { clock, at } = steppedClock();
  at(1, async () => look?.release());
  await (await takeOver(directory, clock)).release();
});

test("a start beside a running service is refused at once, and names it", async () => {
  const running = await owned(claim());
  const endpoint = "http://127.0.0.1:9";
  await running.announce({ role: "service", engine: "dynoxide", endpoint, url: endpoint });
  await expect(takeOver(directory, steppedClock().clock)).rejects.toThrow(
    `The data directory ${directory.path} is in use by process ${process.pid}, which serves ${endpoint}; ` +
      "stop that first, or choose another with --data DIR.",
  );
  await running.release();
});

test("a service in another container is found, although its process is not visible here", async () => {
  const processId = await killedService();
  const lock = tryLock(directory.lockFile);
  expect(await claim()).toMatchObject({ kind: "guest", owner: { process_id: processId } });
  lock?.release();
});

test("a start is refused if nobody says for half a minute who has the data", async () => {
  const lock = tryLock(directory.lockFile);
  await expect(takeOver(directory, steppedClock().clock)).rejects.toThrow(
    `The data directory ${directory.path} is in use; stop that first, or choose another with --data DIR.`,
  );
  lock?.release();
});
