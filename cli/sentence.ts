import { UnsendableCall } from "../lib/client/error.ts";
import { OperatorError } from "../lib/runtime/operator-error.ts";

/** What a busy machine does to a request, whoever waited for the answer. */
const storeFailures = [
  "StoreUnavailable",
  "WriteExpired",
  "DecisionsExhausted",
  "NoAnswer",
  "TimeUp",
  "TimeoutError",
  "AbortError",
];

/** Every error is shown as one sentence; details only if requested. */
export function sentence(error: unknown): string {
  if (process.env.REVIEW_API_DEBUG && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof OperatorError || error instanceof UnsendableCall) return error.message;
  // Compared by name: only the operator's commands load these classes.
  if (error instanceof Error && ["KeyRegistryError", "ApiError"].includes(error.name)) return error.message;
  if (error instanceof Error && storeFailures.includes(error.name))
    return "The store is busy or does not respond. Try again. If that does not help, check that the local service runs, or that the stack exists.";
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && /^AccessDenied(Exception)?$/.test(error.name))
    return `AWS does not let your own role do this (${oneLine(message).replace(/\.$/, "")}). Add the permission to the role, or use another role.`;
  if (error instanceof Error && error.name === "CredentialsProviderError")
    return `No AWS credentials were found (${oneLine(message).replace(/\.$/, "")}). Sign in first, for example with aws sso login, or set AWS_PROFILE.`;
  return `Unexpected error: ${oneLine(message)} (REVIEW_API_DEBUG=1 shows where.)`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
