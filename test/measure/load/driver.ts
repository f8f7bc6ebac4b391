/**
 * Generates load in its own process: sends requests at planned times over a fixed number of connections, regardless of
 * the answers. The plan comes on standard input, the outcome of each request goes to standard output.
 */
import { Agent, request } from "node:http";

export type Shot = {
  readonly atMs: number;
  /** The owner of the window that it counts in. */
  readonly bucket: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: string;
};

export type Plan = { readonly url: string; readonly connections: number; readonly shots: readonly Shot[] };

/** Times are the host's, with fractions. Status 0: no answer. */
export type Outcome = {
  readonly bucket: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  /** Sent a second time, because the first met a connection that was just being closed. */
  readonly isRepeated: boolean;
};

const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * A server closes idle connections, and a request may be sent at the same moment. Only reads are sent again: a change
 * without an answer may have been made.
 */
async function send(url: string, agent: Agent, shot: Shot): Promise<{ status: number; isRepeated: boolean }> {
  const first = await sendOnce(url, agent, shot);
  if (first !== "closed") return { status: first, isRepeated: false };
  if (shot.method !== "GET") return { status: 0, isRepeated: false };
  const second = await sendOnce(url, agent, shot);
  return { status: second === "closed" ? 0 : second, isRepeated: true };
}

function sendOnce(url: string, agent: Agent, shot: Shot): Promise<number | "closed"> {
  const { promise, resolve } = Promise.withResolvers<number | "closed">();
  const { method, path, key, body } = shot;
  const headers = { "x-service-api-key": key, ...(body && { "content-type": "application/json" }) };
  const outgoing = request(`${url}${path}`, { method, agent, headers }, (answer) => {
    answer.resume();
    answer.on("end", () => resolve(answer.statusCode ?? 0));
    answer.on("error", () => resolve(0));
  });
  outgoing.on("error", () => resolve(outgoing.reusedSocket ? "closed" : 0));
  outgoing.end(body);
  return promise;
}

async function fire({ url, connections, shots }: Plan): Promise<Outcome[]> {
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const startMs = Date.now();
  const answers = shots.map(async (shot, index) => {
    await new Promise((resolve) => setTimeout(resolve, shot.atMs));
    const sentMs = nowMs();
    const agent = agents[index % connections] ?? new Agent();
    const answered = await send(url, agent, shot);
    return { bucket: shot.bucket, sentMs, receivedMs: nowMs(), ...answered };
  });
  const outcomes = await Promise.all(answers);
  for (const agent of agents) agent.destroy();
  process.stderr.write(`${shots.length} requests in ${Date.now() - startMs} ms\n`);
  return outcomes;
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const plan: Plan = JSON.parse(Buffer.concat(chunks).toString());
process.stdout.write(JSON.stringify(await fire(plan)));
