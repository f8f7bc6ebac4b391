import { fileURLToPath } from "node:url";
import { serveReference } from "../lib/http/reference.ts";
import { optionalVariable } from "../lib/runtime/environment.ts";

/** On Lambda the reference's files lie beside the bundle, in a checkout where they are kept. */
const root = optionalVariable("LAMBDA_TASK_ROOT") ?? fileURLToPath(new URL("..", import.meta.url));

/** The API reference and the OpenAPI document, for everybody. */
export const handler = serveReference(root);
