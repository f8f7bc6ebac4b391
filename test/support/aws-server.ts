import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AwsIdentity } from "../../lib/runtime/aws-identity.ts";
import { type SignedRequest, signatureProblem } from "./aws-signature.ts";

export const testIdentity = {
  region: "eu-test-1",
  credentials: async () => ({ accessKeyId: "AKIDTEST", secretAccessKey: "kept", sessionToken: "session" }),
} satisfies AwsIdentity;

/** An answer, or another fate of a request. */
export type ServerTurn =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  /** The connection ends before a byte of the answer. */
  | "hang up"
  /** The connection ends in the middle of the answer. */
  | "break off"
  /** The answer comes one byte at a time, and never ends. */
  | "drip"
  | "stay silent";

export type AwsServer = {
  readonly url: string;
  readonly requests: SignedRequest[];
  readonly connections: () => number;
  /** Invalid signatures so far; a request with one is refused, as on AWS. */
  readonly problems: string[];
  close(): Promise<void>;
};

/** The front of an AWS service on loopback: it checks signatures, then does what the test says. */
export async function startAwsServer(
  service: string,
  turn: (request: SignedRequest, count: number) => ServerTurn,
): Promise<AwsServer> {
  const requests: SignedRequest[] = [];
  const problems: string[] = [];
  let connections = 0;
  const { region, credentials } = testIdentity;
  const { accessKeyId, secretAccessKey } = await credentials();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url: target = "/", headers } = incoming;
    const request = { method, target, headers, body: Buffer.concat(chunks) };
    requests.push(request);
    const problem = signatureProblem(request, { accessKeyId, secretAccessKey, region, service });
    if (problem === undefined) return take(response, turn(request, requests.length));
    problems.push(problem);
    take(response, { status: 403, body: JSON.stringify({ __type: "InvalidSignatureException" }) });
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`,
    requests,
    problems,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function take(response: ServerResponse, turn: ServerTurn): void {
  if (turn === "stay silent") return;
  if (turn === "hang up") {
    response.destroy();
    return;
  }
  if (turn === "break off") {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
    return;
  }
  if (turn === "drip") {
    response.writeHead(200, { "content-length": "100000" });
    const dripping = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(dripping));
    return;
  }
  response.writeHead(turn.status, turn.headers).end(turn.body);
}
