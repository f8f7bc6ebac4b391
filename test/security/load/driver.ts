/**
 * Load, from a process of its own: requests at the times of a plan, over a fixed number of connections, whatever
 * the answers are. The plan comes on standard input, what became of each request goes to standard output.
 */
import { Agent, request } from "node:http";

export type Shot = {
  readonly atMs: number;
  /** Whose window it counts in. */
  readonly bucket: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: string;
};

export type Plan = { readonly url: string; readonly connections: number; readonly shots: readonly Shot[] };

/** Times are the host's, as the service's own stamps are. Status 0: no answer. */
export type Outcome = {
  readonly bucket: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
};

/** A server closes a connection that was idle; a request that crosses the close was never looked at. */
function send(url: string, agent: Agent, shot: Shot, isSecond = false): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { method, path, key, body } = shot;
  const headers = { "x-service-api-key": key, ...(body && { "content-type": "application/json" }) };
  const outgoing = request(`${url}${path}`, { method, agent, headers }, (answer) => {
    answer.resume();
    answer.on("end", () => resolve(answer.statusCode ?? 0));
    answer.on("error", () => resolve(0));
  });
  outgoing.on("error", () => resolve(outgoing.reusedSocket && !isSecond ? send(url, agent, shot, true) : 0));
  outgoing.end(body);
  return promise;
}

async function fire({ url, connections, shots }: Plan): Promise<Outcome[]> {
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const startMs = Date.now();
  const answers = shots.map(async (shot, index) => {
    await new Promise((resolve) => setTimeout(resolve, shot.atMs));
    const sentMs = Date.now();
    const agent = agents[index % connections] ?? new Agent();
    const status = await send(url, agent, shot);
    return { bucket: shot.bucket, sentMs, receivedMs: Date.now(), status };
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
