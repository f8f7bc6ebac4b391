import { createClient } from "../../lib/client/client.ts";
import { followLog } from "../../lib/mirror/follow.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import { survive } from "../api/listen.ts";
import type { CommandInput, FindTarget } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { explainError } from "./options.ts";
import { type ExportJob, queryOf } from "./run.ts";

/** Options that are about a file. */
const others = ["output", "overwrite", "resume", "changes", "format", "end"];

export async function runFollow(
  input: CommandInput,
  terminal: Terminal,
  findTarget: FindTarget,
  { source, query }: ExportJob,
): Promise<void> {
  const other = others.find((name) => input.has(name));
  if (other !== undefined) throw new UsageError(`--follow and --${other} cannot be used together.`);
  const target = await findTarget(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  const now = { date_from: toTimestamp(systemClock.nowMs()) };
  const walk = source.walk(client, {
    query: queryOf({ query, defaults: () => now }, undefined),
    format: "ndjson",
    followsRemovals: false,
  });
  try {
    for await (const lines of followLog(walk, systemClock, (error) => survive(error, terminal)))
      await terminal.write(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  } catch (error) {
    throw explainError(error, { url: target.url });
  }
}
