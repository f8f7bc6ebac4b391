import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { FunctionFailed, type FunctionSettings } from "../system/e2e/deployed-function.ts";

const runtimeClient = fileURLToPath(new URL("./node_modules/aws-lambda-ric/index.mjs", import.meta.url));
const streamedType = "application/vnd.awslambda.http-integration-response";

export type Invocation = {
  readonly id: string;
  readonly event: unknown;
  readonly streaming: boolean;
  readonly onChunk: (chunk: Buffer) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
};

/**
 * One execution environment: a process of AWS's runtime client with the bundle, and the Runtime API that it polls for
 * work. It takes one invocation at a time, as on Lambda.
 */
export class Environment {
  readonly #settings: FunctionSettings;
  readonly #onOutput: (text: string) => void;
  #server: Server | undefined;
  #process: ChildProcess | undefined;
  #current: Invocation | undefined;
  /** The runtime client's pending request for work. */
  #asking: ServerResponse | undefined;
  #overdue: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(settings: FunctionSettings, onOutput: (text: string) => void) {
    this.#settings = settings;
    this.#onOutput = onOutput;
  }

  get isFree(): boolean {
    return !this.#isOver && this.#current === undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get processId(): number | undefined {
    return this.#process?.pid;
  }

  async run(invocation: Invocation): Promise<void> {
    this.#current = invocation;
    if (!this.#server) await this.#start();
    this.#hand();
  }

  /** Ends the process; its running invocation fails with this error. */
  async stop(reason = "The function ended."): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#overdue);
    const running = this.#process;
    if (running && running.exitCode === null && running.signalCode === null) {
      const ended = once(running, "exit");
      running.kill("SIGKILL");
      await ended;
    }
    this.#server?.closeAllConnections();
    this.#server?.close();
    this.#finish()?.reject(new FunctionFailed(reason));
  }

  async #start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#finish()?.reject(new FunctionFailed("The answer broke off.", { cause: error }));
        response.destroy();
      });
    });
    // As on Lambda: it never closes the client's idle connection, which would end the process if an answer just began.
    server.keepAliveTimeout = 0;
    this.#server = server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = address && typeof address === "object" ? address.port : 0;
    const { id, handler, directory, environment, memoryMegabytes } = this.#settings;
    const running = spawn(
      process.execPath,
      [`--max-old-space-size=${memoryMegabytes}`, runtimeClient, handler],
      {
        cwd: directory,
        env: {
          ...environment,
          PATH: process.env.PATH,
          AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
          AWS_LAMBDA_FUNCTION_NAME: id,
          AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
          AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${id}`,
          AWS_LAMBDA_LOG_STREAM_NAME: "ric",
          AWS_LAMBDA_LOG_FORMAT: "JSON",
          _HANDLER: handler,
          LAMBDA_TASK_ROOT: directory,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#process = running;
    running.stdout.on("data", (chunk: Buffer) => this.#onOutput(chunk.toString()));
    running.stderr.on("data", (chunk: Buffer) => this.#onOutput(chunk.toString()));
    running.on("error", () => void this.stop());
    running.on("exit", (code, signal) => {
      if (!this.#isOver) void this.stop(`The function's process ended by itself (${signal ?? code}).`);
    });
  }

  /** Gives the invocation to the waiting client. */
  #hand(): void {
    const { timeoutSeconds, id } = this.#settings;
    const asking = this.#asking;
    const current = this.#current;
    if (!asking || !current) return;
    this.#asking = undefined;
    const timeoutMs = timeoutSeconds * 1000;
    // Lambda ends the whole environment of a function that exceeds its timeout; loading the code does not count.
    this.#overdue = setTimeout(() => void this.stop("Task timed out"), timeoutMs);
    asking.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": current.id,
      "lambda-runtime-deadline-ms": String(
        Math.floor(performance.timeOrigin + performance.now() + timeoutMs),
      ),
      "lambda-runtime-invoked-function-arn": `arn:aws:lambda:local:000000000000:function:${id}`,
      "lambda-runtime-trace-id": "Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0",
    });
    asking.end(JSON.stringify(current.event));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://runtime");
    if (pathname.endsWith("/invocation/next")) {
      this.#asking = response;
      this.#hand();
      return;
    }
    if (pathname.endsWith("/response")) await this.#take(request);
    else {
      const { errorMessage, errorType } = await readError(request);
      const stage = pathname.endsWith("/init/error") ? "Initialisation failed" : "The handler failed";
      this.#finish()?.reject(new FunctionFailed(`${stage}: ${errorType}: ${errorMessage}`));
    }
    response.writeHead(202, { "content-type": "application/json" }).end('{"status":"OK"}');
  }

  async #take(request: IncomingMessage): Promise<void> {
    const current = this.#current;
    if (!current) throw new Error("An answer came that nobody waits for.");
    const isStreamed = request.headers["lambda-runtime-function-response-mode"] === "streaming";
    if (isStreamed !== current.streaming)
      throw new Error(
        `The function answered ${isStreamed ? "by streaming" : "at once"}, which is not how it was invoked.`,
      );
    if (!isStreamed) {
      const text = (await readAll(request)).toString();
      this.#finish()?.resolve(text === "" ? null : JSON.parse(text));
      return;
    }
    if (request.headers["content-type"] !== streamedType)
      throw new Error(`A streamed answer came as ${request.headers["content-type"]}.`);
    for await (const chunk of request) current.onChunk(chunk);
    const fault = request.trailers["lambda-runtime-function-error-type"];
    if (fault === undefined) this.#finish()?.resolve(undefined);
    else this.#finish()?.reject(new FunctionFailed(`The stream broke off: ${fault}`));
  }

  #finish(): Invocation | undefined {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(this.#overdue);
    return current;
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readError(request: IncomingMessage): Promise<Record<string, unknown>> {
  try {
    return JSON.parse((await readAll(request)).toString());
  } catch {
    return {};
  }
}
