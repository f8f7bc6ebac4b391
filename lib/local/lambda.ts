import { PassThrough, type TransformCallback, type Writable } from "node:stream";
import type { Context, StreamifyHandler } from "aws-lambda";
import { lambdaLimits } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";

export type BufferedHandler = (event: unknown, context: Context) => Promise<unknown>;
export type StreamingHandler = StreamifyHandler<unknown, unknown>;
export type LambdaHandler = BufferedHandler | StreamingHandler;

/** The mark that Lambda's Node runtime sets on a handler passed to `streamifyResponse`. */
const streamingMark = Symbol.for("aws.lambda.runtime.handler.streaming");

const isStreaming = (handler: LambdaHandler): handler is StreamingHandler =>
  Reflect.get(handler, streamingMark) === "response";

const preludeEnd = Buffer.alloc(8);

/** The stream that a streaming handler writes to; the prelude comes before the first byte. */
class ResponseStream extends PassThrough {
  #prelude: Buffer | undefined;

  startWith(prelude: object): void {
    this.#prelude = Buffer.concat([Buffer.from(JSON.stringify(prelude)), preludeEnd]);
  }

  /** Part of the runtime's interface; the invocation's content type is not visible outside. */
  readonly setContentType = (): void => undefined;

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#prelude) this.push(this.#prelude);
    this.#prelude = undefined;
    super._transform(chunk, encoding, done);
  }
}

const awslambda = {
  streamifyResponse(handler: StreamingHandler): StreamingHandler {
    Object.defineProperty(handler, streamingMark, { value: "response" });
    return handler;
  },
  HttpResponseStream: {
    from(stream: Writable, prelude: object): Writable {
      if (!(stream instanceof ResponseStream)) throw new TypeError("Not a stream of this runtime.");
      stream.startWith(prelude);
      return stream;
    },
  },
};

/** Streaming handlers look for `awslambda` when their module loads, so this runs before their import. */
export function installLambdaRuntime(): void {
  Reflect.set(globalThis, "awslambda", awslambda);
}

export type InvocationOptions = {
  readonly functionName: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
};

class InvocationFailed extends Error {
  override readonly name = "InvocationFailed";
}

/** Runs a handler as `Invoke` does: event and answer are passed as JSON. */
export async function invokeBuffered(
  handler: LambdaHandler,
  event: unknown,
  options: InvocationOptions,
): Promise<unknown> {
  if (isStreaming(handler)) throw new InvocationFailed("A streaming handler was invoked without streaming.");
  const answer = await handler(throughJson(event), lambdaContext(options));
  const json = JSON.stringify(answer ?? null);
  if (Buffer.byteLength(json) > lambdaLimits.answerBytesMax)
    throw new InvocationFailed(`The answer exceeds the ${lambdaLimits.answerBytesMax} bytes Lambda buffers.`);
  return JSON.parse(json);
}

export type StreamedInvocation = {
  /** Prelude, eight NUL bytes, body. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Rejects if the handler failed; the bytes then end early. */
  readonly finished: Promise<void>;
};

/** Runs a handler as `InvokeWithResponseStream` does. */
export function invokeStreaming(
  handler: LambdaHandler,
  event: unknown,
  options: InvocationOptions,
): StreamedInvocation {
  if (!isStreaming(handler)) throw new InvocationFailed("A buffered handler was invoked with streaming.");
  const stream = new ResponseStream();
  // `finished` reports a body that fails; an unhandled error event of this stream would end the process.
  stream.on("error", () => undefined);
  const finished = run(() => handler(throughJson(event), stream, lambdaContext(options))).then(
    () => {
      stream.end();
    },
    (error: unknown) => {
      stream.end();
      throw error;
    },
  );
  finished.catch(() => undefined);
  return { bytes: stream, finished };
}

/** A handler may throw before it returns a promise. */
const run = async (work: () => unknown): Promise<unknown> => await work();

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

export function lambdaContext({ functionName, timeoutMs, clock, random }: InvocationOptions): Context {
  const deadlineMs = clock.nowMs() + timeoutMs;
  const unsupported = () => {
    throw new InvocationFailed("Handlers answer through their promise.");
  };
  return {
    awsRequestId: random.uuid(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "local",
    memoryLimitInMB: "1024",
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - clock.nowMs()),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}
