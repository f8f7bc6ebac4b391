import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  type BufferedAnswer,
  type ContestantArgument,
  type ContestantReply,
  type ContestantRequest,
  contestantReply,
} from "./messages.ts";

/** The contestant that only makes the store's calls. */
export const storeAlone = "the store's calls alone";

/** One of several ways to answer the same request, in its own process: no contestant warms or slows another's code. */
export type Contestant = {
  readonly name: string;
  /** CPU time of its process for each of this many requests. */
  cpuMicroseconds(requests: number): Promise<number>;
  /** The DynamoDB calls of one warm request. */
  calls(): Promise<readonly string[]>;
  answerTo(event: string): Promise<BufferedAnswer>;
  /** A digest of the records of a streamed answer. */
  digestOfData(): Promise<string>;
  stop(): Promise<void>;
};

export async function startContestant(
  name: string,
  argument: ContestantArgument,
  environment: Readonly<Record<string, string>>,
): Promise<Contestant> {
  const child = fork(fileURLToPath(new URL("./contestant.ts", import.meta.url)), [JSON.stringify(argument)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
  });
  const gone = new AbortController();
  child.once("exit", () => gone.abort(new Error(`${name} ended.`)));
  const received = async (): Promise<ContestantReply> => {
    const [message] = await once(child, "message", { signal: gone.signal });
    return contestantReply.parse(message);
  };
  const ask = (request: ContestantRequest): Promise<ContestantReply> => {
    const reply = received();
    child.send(request);
    return reply;
  };
  await received();
  return {
    name,
    cpuMicroseconds: async (requests) => (await ask({ requests })).cpuMicrosecondsEach ?? Number.NaN,
    calls: async () => (await ask({ callsOfOne: true })).calls ?? [],
    answerTo: async (event) => (await ask({ answerTo: event })).answer ?? { statusCode: 0, body: "" },
    digestOfData: async () => (await ask({ digestOfData: true })).digest ?? "",
    stop: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

export type Rounds = {
  readonly rounds: number;
  readonly requestsPerRound: number;
  /** Runs before the rounds, until the compiler is done with the code. */
  readonly warmUpRequests: number;
};

/** Microseconds of CPU per request, by contestant, one value per round. */
export type CpuRounds = ReadonlyMap<string, readonly number[]>;

/**
 * In turn, each round beginning with another contestant, so that other work on the machine affects all of them equally.
 */
export async function cpuRounds(contestants: readonly Contestant[], options: Rounds): Promise<CpuRounds> {
  const { rounds, requestsPerRound, warmUpRequests } = options;
  const measured = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.cpuMicroseconds(warmUpRequests);
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)])
      measured.get(contestant.name)?.push(await contestant.cpuMicroseconds(requestsPerRound));
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The median of the ratios of every round: a disturbance of a round affects both of its sides. */
export const medianRatio = (measured: CpuRounds, one: string, other: string): number =>
  median(
    (measured.get(one) ?? []).map((value, round) => value / (measured.get(other)?.[round] ?? Number.NaN)),
  );
