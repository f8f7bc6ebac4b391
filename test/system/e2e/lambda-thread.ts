import { parentPort, workerData } from "node:worker_threads";
import {
  installLambdaRuntime,
  invokeBuffered,
  invokeStreaming,
  type LambdaHandler,
} from "../../../lib/local/lambda.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { ThreadAnswer, ThreadRequest } from "./lambda-function.ts";

/** One Lambda: its bundle, in a thread with only the environment that the template gives it. */
const { file, exportName }: { readonly file: string; readonly exportName: string } = workerData;
installLambdaRuntime();
const loaded: Record<string, LambdaHandler | undefined> = await import(file);
const handler = loaded[exportName];
if (!handler) throw new Error(`${file} exports no ${exportName}.`);

const post = (answer: ThreadAnswer) => parentPort?.postMessage(answer);

parentPort?.on("message", async ({ id, streaming, event, timeoutMs }: ThreadRequest) => {
  post({ id, kind: "begun" });
  const options = { functionName: "e2e", timeoutMs, clock: systemClock, random: systemRandom };
  try {
    if (!streaming) {
      post({ id, kind: "value", value: await invokeBuffered(handler, event, options) });
      return;
    }
    const { bytes, finished } = invokeStreaming(handler, event, options);
    for await (const chunk of bytes) post({ id, kind: "chunk", chunk });
    await finished;
    post({ id, kind: "end" });
  } catch (error) {
    process.stdout.write(`${printed(error)}\n`);
    post({ id, kind: "failure", message: String(error) });
  }
});

/** Prints an error that ends an invocation as Lambda's runtime does: every enumerable field of the error. */
function printed(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  const { name, message, stack } = error;
  const fields = { errorType: name, errorMessage: message, stack, cause: error.cause, ...error };
  return JSON.stringify(fields, (_, value) =>
    value instanceof Error ? { errorType: value.name, errorMessage: value.message, ...value } : value,
  );
}
