import * as z from "zod";
import { environmentVariables } from "../contract/platform.ts";
import { useFallbackEmbedder } from "../index/configured-embedder.ts";
import { localEmbedder } from "../index/local-embedder.ts";
import { localTableName } from "./backend.ts";
import { installLambdaRuntime, type LambdaHandler } from "./lambda.ts";

const handlerModule = z.object({ handler: z.custom<LambdaHandler>((value) => typeof value === "function") });

/** The functions find their store through the environment, as on Lambda. */
export function prepareFunctions(endpoint: string): void {
  installLambdaRuntime();
  useFallbackEmbedder(localEmbedder);
  process.env[environmentVariables.tableName] = localTableName;
  process.env[environmentVariables.webhooksToLoopback] = "true";
  process.env.DYNAMODB_ENDPOINT = endpoint;
  process.env.AWS_REGION ??= "local";
  process.env.LOG_LEVEL ??= "error";
}

/** For functions that call the API themselves. */
export function announceAddress(url: string): void {
  process.env[environmentVariables.apiUrl] = url;
}

/** The handler of `functions/<source>.ts`, in this process. */
export async function loadFunction(source: string): Promise<LambdaHandler> {
  const module: unknown = await import(new URL(`../../functions/${source}.ts`, import.meta.url).href);
  return handlerModule.parse(module).handler;
}
