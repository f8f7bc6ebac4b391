import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { afterAll } from "vitest";

export type Heard = { readonly id: string; readonly type: string; readonly data: Record<string, unknown> };

export type Receiver = {
  readonly url: string;
  /** The rings that arrived, in their order. */
  readonly heard: Heard[];
  /** Decides about each ring; by default 204. */
  answer: (ring: Heard, response: ServerResponse) => void;
};

/** The retries of a webhook whose first ring has failed since 1970. */
export const failingForDays = {
  "metrics.review_comments": {
    failures: 9,
    since_ms: 1,
    due_ms: 1,
    id: "ring_old",
    place: "1970-01-01#ring_old",
    mark: "old",
  },
};

/** An attempt to send a ring of Learnings, for `attemptPut`. */
export const attemptOf = (id: string, status: number) => ({
  ring: { id, type: "learnings" } as const,
  message: { headers: { "webhook-id": id, "webhook-signature": "v1,hidden" }, body: "{}" },
  attempt: { status, ms: 1, answer: "Heard." },
  atMs: Date.now(),
});

const servers: Server[] = [];

/** Call it once in a test file: closes the receivers at its end. */
export function closeReceivers(): void {
  afterAll(() => {
    for (const server of servers) server.close();
  });
}

/** A program that listens on the same machine. */
export async function startReceiver(status = 204): Promise<Receiver> {
  const heard: Heard[] = [];
  const receiver: Receiver = {
    url: "",
    heard,
    answer: (_, response) => void response.writeHead(status).end(),
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { type, data } = JSON.parse(body);
    const ring = { id: String(request.headers["webhook-id"]), type, data };
    heard.push(ring);
    receiver.answer(ring, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return Object.assign(receiver, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}
