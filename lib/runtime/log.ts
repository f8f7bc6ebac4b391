/** One JSON line per event, to standard output, where Lambda collects it. Keys and bodies never get here. */
export type LogFields = { readonly [name: string]: unknown };

export function log(level: "info" | "warn" | "error", message: string, fields: LogFields = {}): void {
  if (level === "info" && process.env.LOG_LEVEL === "error") return;
  process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`);
}

/** The chain of causes, without what an error may carry along (requests, items). */
export function describeError(error: unknown): string[] {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error && lines.length < 5; cause = cause.cause) {
    lines.push(
      `${cause.name}: ${cause.message}`,
      ...(cause.stack?.split("\n").slice(1, 4) ?? []).map((line) => line.trim()),
    );
  }
  return lines;
}
