import { AwsError, cancellationCodes } from "./aws-error.ts";
import { invocationFields } from "./invocation.ts";

/** One JSON line per event, to standard output, where Lambda collects it. Keys and bodies are never logged. */
export type LogFields = { readonly [name: string]: unknown };

export function log(level: "info" | "warn" | "error", message: string, fields: LogFields = {}): void {
  if (weights[level] < weights[leastLevel()]) return;
  process.stdout.write(`${JSON.stringify({ level, message, ...fields, ...invocationFields() })}\n`);
}

const weights = { info: 0, warn: 1, error: 2, silent: 3 };

/** `LOG_LEVEL` sets the lowest level that is written. If it is not set, everything is written. */
function leastLevel(): keyof typeof weights {
  const level = process.env.LOG_LEVEL;
  return level === "warn" || level === "error" || level === "silent" ? level : "info";
}

/** The chain of causes, without the data that an error may hold (requests, items). */
export function describeError(error: unknown): string[] {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error && lines.length < 5; cause = cause.cause) {
    const places = cause.stack?.split("\n").filter((line) => /^ +at /.test(line)) ?? [];
    lines.push(`${cause.name}: ${sdkErrorWords(cause)}`, ...places.slice(0, 3).map((line) => line.trim()));
  }
  return lines;
}

/** AWS messages often quote the request, and schema messages name unknown fields: the log must not repeat either. */
function sdkErrorWords(error: Error): string {
  if ("issues" in error && Array.isArray(error.issues)) return error.issues.map(ruleOf).join(", ");
  if (!(error instanceof AwsError)) return error.message;
  const isDenied = error.status === 403 || error.name.startsWith("AccessDenied");
  const kind = [kindOfMessage(error.message), ...cancellationCodes(error)];
  const words = isDenied ? [error.message] : [`status ${error.status}`, ...kind];
  return [...words, error.requestId && `request ${error.requestId}`].filter(Boolean).join(", ");
}

/** The beginning of AWS's message, if it consists of plain words: AWS quotes values after a colon or as a `Value`. */
const kindOfMessage = (message: string): string =>
  /^(?!Value )[A-Z][A-Za-z ]{9,}(?=[:.;]|$)/.exec(message)?.[0] ?? "";

/** The rule that was broken, and its place only as far as the schema itself names it. */
const ruleOf = ({ code, path }: { readonly code?: unknown; readonly path?: readonly unknown[] }): string =>
  path?.length ? `${code} at ${String(path[0])}` : String(code);
