import type { Clock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../errors.ts";
import {
  type DataDirectory,
  type DirectoryOwner,
  readOwner,
  removeOwner,
  writeOwner,
} from "./data-directory.ts";
import { isLocked, type Lock, tryLock } from "./lock.ts";

/** The data directory belongs to this process until `release`. */
export type Ownership = {
  readonly kind: "owner";
  /** Publishes for other processes who we are and how to reach our engine. */
  announce(owner: Omit<DirectoryOwner, "process_id">): Promise<void>;
  withdraw(): Promise<void>;
  release(): Promise<void>;
};

/** A service owns the directory and lets others use its engine. */
export type OwnedElsewhere = { readonly kind: "guest"; readonly owner: DirectoryOwner };

/** A Java engine takes seconds to start, and every command before this one starts its own. */
const waitMs = 30_000;
const pollMs = 50;

/** Becomes the owner, or the guest of a running service; waits while another command owns the directory. */
export async function claimDirectory(
  directory: DataDirectory,
  clock: Clock,
): Promise<Ownership | OwnedElsewhere> {
  const deadlineMs = clock.nowMs() + waitMs;
  for (;;) {
    const lock = tryLock(directory.lockFile);
    if (lock) return own(directory, lock);
    const owner = await readOwner(directory);
    if (owner?.role === "service" && owner.url !== null) return { kind: "guest", owner };
    if (clock.nowMs() >= deadlineMs) throw new OperatorError(inUse(directory, owner));
    await clock.sleep(pollMs);
  }
}

/** The address of the service that runs on the directory now. */
export async function localServiceUrl(directory: DataDirectory): Promise<string | undefined> {
  const owner = isLocked(directory.lockFile) ? await readOwner(directory) : undefined;
  return owner?.url ?? undefined;
}

/** For callers that cannot be a guest. */
export async function takeOver(directory: DataDirectory, clock: Clock): Promise<Ownership> {
  const entry = await claimDirectory(directory, clock);
  if (entry.kind === "owner") return entry;
  throw new OperatorError(inUse(directory, entry.owner));
}

function own(directory: DataDirectory, lock: Lock): Ownership {
  return {
    kind: "owner",
    announce: (owner) => writeOwner(directory, { ...owner, process_id: process.pid }),
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
