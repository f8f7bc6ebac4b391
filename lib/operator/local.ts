import { localEmbedder } from "../index/local-embedder.ts";
import { type LocalBackend, openBackend } from "../local/backend.ts";
import {
  type DataDirectory,
  dataDirectory,
  engineOfData,
  enginePath,
  holdsData,
  prepareDirectory,
} from "../local/data-directory.ts";
import { type Engine, engineNamed, startEngine } from "../local/engine/engine.ts";
import { createQueuePoller } from "../local/ingest.ts";
import { claimDirectory, type Ownership } from "../local/ownership.ts";
import { systemClock } from "../runtime/clock.ts";
import { auditRetentionDays } from "../runtime/environment.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import type { Connection } from "./connection.ts";
import { operatorDeps } from "./operator-deps.ts";

const pollMs = 100;

type LocalOptions = {
  readonly create: boolean;
  /** The command that starts the service on the same folder. */
  readonly toStart?: string;
  readonly onWait?: (sentence: string) => void;
};

/** Uses the engine of a running service; otherwise starts its own for the duration of the command. */
export async function connectLocally(
  path: string,
  { create, toStart, onWait }: LocalOptions,
): Promise<Connection> {
  const directory = dataDirectory(path);
  if (!create && !holdsData(directory))
    throw new OperatorError(
      `There is no data in ${directory.path} yet; start the service first${toStart === undefined ? "." : `: ${toStart}`}`,
    );
  await prepareDirectory(directory);
  const entry = await claimDirectory(directory, systemClock, {
    role: "command",
    onWait,
  });
  if (entry.kind === "owner") return connectAsOwner(directory, entry);
  const backend = await openBackend({ endpoint: entry.endpoint, kind: engineNamed(entry.engine) }, directory);
  return {
    ...connectionOf(backend),
    settle: () => untilEmpty(backend).then(() => true),
    close: async () => backend.close(),
  };
}

async function connectAsOwner(directory: DataDirectory, ownership: Ownership): Promise<Connection> {
  let engine: Engine | undefined;
  const leave = async () => {
    await engine?.stop();
    await ownership.release();
  };
  try {
    const kind = engineOfData(directory);
    engine = await startEngine({ kind, dataPath: enginePath(directory, kind) });
    await ownership.announce({ role: "command", engine: kind.name, endpoint: engine.endpoint, url: null });
    const backend = await openBackend(engine, directory);
    return {
      ...connectionOf(backend),
      settle: async () => {
        await createQueuePoller(backend, () => undefined).drain();
        return true;
      },
      async close() {
        backend.close();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

function connectionOf({ table, vectors, queue, bucket }: LocalBackend): Omit<Connection, "settle" | "close"> {
  return {
    table,
    audited: operatorDeps(table, auditRetentionDays()),
    vectors,
    embedder: async () => localEmbedder,
    bucket,
    queue: queue.events,
    waitsAfterSend: true,
    async *failedEvents() {
      for (const letter of await queue.listDeadLetters())
        yield {
          letterId: letter.sk,
          id: letter.id,
          group: letter.group,
          reason: letter.reason,
          failedAt: letter.failed_at,
          body: letter.body,
          redrive: () => queue.redrive(letter),
          drop: () => queue.dropDeadLetter(letter),
        };
    },
  };
}

/** The service applies the events; this only watches. If a message keeps failing, this keeps waiting until Ctrl-C. */
async function untilEmpty({ queue }: LocalBackend): Promise<void> {
  while ((await queue.groups()).length > 0) await systemClock.sleep(pollMs);
}
