/** One JSON line per event, to standard output, where Lambda collects it. Keys and bodies never get here. */
export type LogFields = { readonly [name: string]: unknown };

export function log(level: "info" | "warn" | "error", message: string, fields: LogFields = {}): void {
  if (weights[level] < weights[leastLevel()]) return;
  process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`);
}

const weights = { info: 0, warn: 1, error: 2, silent: 3 };

/** `LOG_LEVEL` sets the least level that is written; everything when it is not set. */
function leastLevel(): keyof typeof weights {
  const level = process.env.LOG_LEVEL;
  return level === "warn" || level === "error" || level === "silent" ? level : "info";
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
