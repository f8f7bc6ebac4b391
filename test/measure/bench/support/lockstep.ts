import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { awsLimits } from "../../../../lib/contract/limits.ts";
import { chooseEngine, engineClient } from "../../../../lib/local/engine/engine.ts";
import { answerSearchVectors } from "../../../../lib/local/engine/search-vectors.ts";
import { callsUnderWay } from "./meters.ts";

/**
 * A store that answers in rounds: all requests that are pending when nothing can continue without an answer are
 * answered together. So the rounds of a request are its sequential trips, regardless of the machine's speed; timing
 * alone would count two concurrent chains of calls sometimes as three trips and sometimes as four.
 */
export type Lockstep = {
  readonly endpoint: string;
  /** The rounds since they were last taken, each with the operations requested in it. */
  takeRounds(): string[][];
  close(): void;
};

type Held = {
  readonly operation: string;
  readonly body: Buffer;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
};

type Answer = { readonly status: number; readonly body: Buffer };

/** Turns of the event loop in which work after an answer begins its next call. */
const turnsOfWork = 20;
/** Work in other threads (files, compression) needs time, not turns. */
const quietMs = 3;

/** `note` learns of every call. */
export async function startLockstep(
  engine: string,
  note: (call: { operation: string; body: string }) => void = () => {},
): Promise<Lockstep> {
  let held: Held[] = [];
  let rounds: string[][] = [];
  let isWaiting = false;

  async function waitForAll(): Promise<void> {
    for (;;) {
      const count = held.length;
      for (let turn = 0; turn < turnsOfWork; turn++) await nextTurn();
      await sleep(quietMs);
      // A call without a free connection arrives only after another one was answered.
      const expected = Math.min(callsUnderWay(), awsLimits.connectionsMax);
      if (held.length === count && held.length >= expected) return;
    }
  }

  async function answerRound(): Promise<void> {
    if (isWaiting) return;
    isWaiting = true;
    await waitForAll();
    const round = held;
    held = [];
    isWaiting = false;
    rounds.push(round.map(({ operation }) => operation).toSorted());
    const answers = await Promise.all(round.map((each) => forward(engine, each)));
    for (const [index, { status, body }] of answers.entries())
      round[index]?.response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(body);
  }

  const server = createServer(async (incoming, response) => {
    const body = await bytesOf(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    note({ operation, body: body.toString() });
    held.push({ operation, body, incoming, response });
    await answerRound();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    takeRounds: () => {
      const taken = rounds;
      rounds = [];
      return taken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function forward(engine: string, { operation, incoming, body }: Held): Promise<Answer> {
  if (operation === "SearchVectors" && !chooseEngine().vectorIndex) return await searched(engine, body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(engine, { method: "POST", headers: incoming.headers }, resolve).on("error", reject).end(body);
  });
  return { status: answer.statusCode ?? 500, body: await bytesOf(answer) };
}

/** The engine has no vector index: an exact search answers. */
async function searched(engine: string, body: Buffer): Promise<Answer> {
  const client = engineClient(engine);
  try {
    const found = await answerSearchVectors(client, JSON.parse(body.toString()));
    return { status: 200, body: Buffer.from(JSON.stringify(found)) };
  } finally {
    client.destroy();
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** "BatchGetItem + Query · UpdateItem" */
export const roundsInWords = (rounds: readonly (readonly string[])[]): string =>
  rounds.map(roundInWords).join(" · ");

const roundInWords = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => (length > 1 ? `${length} ${name}` : name))
    .join(" + ");
