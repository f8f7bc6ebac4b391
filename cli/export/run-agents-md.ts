import { readFile } from "node:fs/promises";
import { createClient } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import { OperatorError, systemCode, UsageError } from "../../lib/runtime/operator-error.ts";
import { writeWhole } from "../../lib/runtime/write-whole.ts";
import type { CommandInput, FindTarget } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { agentsPart, mostUsed, withAgentsPart } from "./agents-md.ts";
import { explainError, outputName } from "./options.ts";
import { outputFile } from "./output-file.ts";
import type { ExportJob } from "./run.ts";

export const agentsFormat = "agents-md";

/** Brings the Learnings of a Markdown file up to date; with --check, only says whether they are. */
export async function runAgentsExport(
  input: CommandInput,
  terminal: Terminal,
  findTarget: FindTarget,
  query: ExportJob["query"],
): Promise<void> {
  for (const option of ["resume", "overwrite"])
    if (input.flag(option))
      throw new UsageError(`--${option} does not work with --format ${agentsFormat}: every run reads all.`);
  const name = outputName(input);
  if (input.flag("check") && name === undefined)
    throw new UsageError("--check works only with --output FILE.");
  const limit = input.integer("limit", { min: 1, max: 100_000 });
  const target = await findTarget(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  try {
    const learnings = [];
    const walk = client.pages("listLearnings", { query: { ...query, limit: pageLimits.learnings.max } });
    for await (const { body } of walk) learnings.push(...body.data);
    const kept = mostUsed([...new Map(learnings.map((each) => [each.id, each])).values()], limit);
    const part = agentsPart(kept);
    if (name === undefined) return await terminal.write(Buffer.from(part));
    const file = await outputFile(name);
    const before = await contentOf(file);
    const after = withAgentsPart(file, before ?? "", part);
    const isCurrent = after === before;
    if (input.flag("check") && !isCurrent)
      throw new OperatorError(`${file} is out of date. The same command without --check updates it.`);
    if (!isCurrent) await writeWhole(file, after, { mode: 0o644, keepsMode: true });
    if (input.flag("json"))
      terminal.out(JSON.stringify({ file, format: agentsFormat, records: kept.length, changed: !isCurrent }));
    else
      terminal.say(
        `${file} ${isCurrent ? "is up to date: it" : "now"} has ${kept.length.toLocaleString("en")} Learnings, ${Buffer.byteLength(part).toLocaleString("en")} bytes: an agent reads them all every time.`,
      );
  } catch (error) {
    throw explainError(error, { url: target.url, output: name });
  }
}

const contentOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
};
