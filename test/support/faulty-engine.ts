import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { afterAll, beforeAll } from "vitest";

/** What happens to one call on its way to the engine. */
export type Fault =
  | "throttle"
  | "conflict"
  | "server_error"
  /** The engine never receives the call; the connection breaks. */
  | "lost_before"
  /** The engine does the work; the caller never gets the answer. */
  | "lost_after"
  | "validation";

export type StoreRequest = { readonly operation: string; readonly body: string; readonly count: number };
export type Injection = (call: StoreRequest) => Fault | undefined;

/** A proxy between the handlers and the engine that fails like DynamoDB, over real HTTP. */
export function useFaultyEngine(engine: () => string): {
  endpoint(): string;
  inject(injection?: Injection): void;
  calls: string[];
} {
  let inject: Injection = () => undefined;
  let endpoint = "";
  const calls: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    calls.push(operation);
    const fault = inject({ operation, body: body.toString(), count: calls.length });
    if (fault && fault !== "lost_after") return answerFault(response, fault, body);
    const outgoing = request(engine(), { method: "POST", headers: incoming.headers }, (answer) => {
      if (fault === "lost_after") {
        answer.resume();
        answer.on("end", () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    outgoing.end(body);
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    endpoint = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    endpoint: () => endpoint,
    calls,
    inject: (injection = () => undefined) => {
      inject = injection;
      calls.length = 0;
    },
  };
}

const answers = {
  throttle: [400, "ProvisionedThroughputExceededException"],
  conflict: [400, "TransactionConflictException"],
  server_error: [500, "InternalServerError"],
  validation: [400, "ValidationException"],
} as const;

function answerFault(response: ServerResponse, fault: Exclude<Fault, "lost_after">, body: Buffer): void {
  if (fault === "lost_before") {
    response.destroy();
    return;
  }
  const [status, name] = answers[fault];
  const inTransaction = fault === "conflict" && body.includes("TransactItems");
  const reasons = inTransaction ? { CancellationReasons: [{ Code: "TransactionConflict" }] } : {};
  const type = `com.amazonaws.dynamodb.v20120810#${inTransaction ? "TransactionCanceledException" : name}`;
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
  response.end(JSON.stringify({ __type: type, message: "planted secret: hunter2", ...reasons }));
}
