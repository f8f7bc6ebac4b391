import type { Clock } from "../runtime/clock.ts";
import { isLocked, type Lock, tryLock } from "../runtime/file-lock.ts";
import { OperatorError, systemCode } from "../runtime/operator-error.ts";
import {
  type DataDirectory,
  type DirectoryOwner,
  readOwner,
  removeOwner,
  writeOwner,
} from "./data-directory.ts";

/** The data directory belongs to this process until `release`. */
export type Ownership = {
  readonly kind: "owner";
  /** Publishes for other processes who we are and how to reach our engine. */
  announce(owner: Omit<DirectoryOwner, "process_id">): Promise<void>;
  withdraw(): Promise<void>;
  release(): Promise<void>;
};

/** A service owns the directory and lets others use its engine. */
export type OwnedElsewhere = {
  readonly kind: "guest";
  readonly owner: DirectoryOwner;
  readonly engine: string;
  readonly endpoint: string;
};

/** For a service that starts, which can take long with a Java engine, and for an owner that does not say who it is. */
const waitMs = 30_000;
const pollMs = 50;
/** Most commands end before a person wonders. */
const silentMs = 2_000;
/** A killed service leaves its file, and another process may look at the lock in this moment. */
const looksMax = 4;

export type Claim = {
  readonly role: DirectoryOwner["role"];
  readonly onWait?: ((sentence: string) => void) | undefined;
};

/** Becomes the owner, or the guest of a running service; waits while another command owns the directory. */
export async function claimDirectory(
  directory: DataDirectory,
  clock: Clock,
  { role, onWait }: Claim,
): Promise<Ownership | OwnedElsewhere> {
  const startedMs = clock.nowMs();
  let deadlineMs = startedMs + waitMs;
  let isTold = false;
  for (let looks = 1; ; looks++) {
    const lock = tryLock(directory.lockFile);
    if (lock) return await own(directory, lock, role);
    const owner = await readOwner(directory);
    if (owner?.role === "service" && owner.url !== null && (isRunning(owner) || looks >= looksMax)) {
      const { engine, endpoint } = owner;
      if (engine !== undefined && endpoint !== undefined) return { kind: "guest", owner, engine, endpoint };
    }
    const nowMs = clock.nowMs();
    if (owner?.role === "command") {
      // A command ends by itself.
      deadlineMs = nowMs + waitMs;
      if (!isTold && nowMs >= startedMs + silentMs) {
        isTold = true;
        onWait?.(
          `Process ${owner.process_id}, a command of this tool, uses the data in ${directory.path}. Waiting until it has ended.`,
        );
      }
    }
    if (nowMs >= deadlineMs) throw new OperatorError(inUse(directory, owner));
    await clock.sleep(pollMs);
  }
}

/** A process in another container is not visible here, so false is only a doubt. */
function isRunning({ process_id }: DirectoryOwner): boolean {
  try {
    return process.kill(process_id, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** The address of the service that runs on the directory now. */
export async function localServiceUrl(directory: DataDirectory): Promise<string | undefined> {
  const owner = isLocked(directory.lockFile) ? await readOwner(directory) : undefined;
  return owner?.url ?? undefined;
}

/** For callers that cannot be a guest. */
export async function takeOver(
  directory: DataDirectory,
  clock: Clock,
  onWait?: Claim["onWait"],
): Promise<Ownership> {
  const entry = await claimDirectory(directory, clock, { role: "service", onWait });
  if (entry.kind === "owner") return entry;
  throw new OperatorError(inUse(directory, entry.owner));
}

async function own(directory: DataDirectory, lock: Lock, role: DirectoryOwner["role"]): Promise<Ownership> {
  const announce: Ownership["announce"] = (owner) =>
    writeOwner(directory, { ...owner, process_id: process.pid });
  // At once: a killed service may have left a file that still says that it serves.
  await announce({ role, url: null }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  return {
    kind: "owner",
    announce,
    withdraw: () => removeOwner(directory),
    async release() {
      await removeOwner(directory);
      lock.release();
    },
  };
}

function inUse({ path }: DataDirectory, owner: DirectoryOwner | undefined): string {
  const who = owner ? ` by process ${owner.process_id}` : "";
  const where = owner?.url ? `, which serves ${owner.url}` : "";
  return `The data directory ${path} is in use${who}${where}; stop that first, or choose another with --data DIR.`;
}
