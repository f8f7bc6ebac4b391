import type { CheckContext } from "../../lib/checks/service/checks.ts";
import { type CheckResult, verify } from "../../lib/checks/service/run.ts";
import { stackOutputs } from "../../lib/contract/platform.ts";
import { plural } from "../../lib/contract/plural.ts";
import { searchForReview } from "../../lib/learnings/search.ts";
import { dataDirectory } from "../../lib/local/data-directory.ts";
import { localServiceUrl } from "../../lib/local/ownership.ts";
import { type Connection, defaultDataPath } from "../../lib/operator/connection.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { sentence } from "../sentence.ts";
import { commandFor } from "../show-once.ts";
import { showCheck } from "../terminal.ts";

const command: Command = {
  name: "",
  summary: "After a deployment: call every operation, send every event, search, and remove everything again",
  examples: ["verify --stack ReviewApi", "verify --json"],
  run: (input, terminal) =>
    withConnection(input, async (connection) => {
      const context = await checkContextOf(input, connection);
      const onResult = input.flag("json")
        ? () => undefined
        : (result: CheckResult) => showCheck(terminal, result);
      const report = await verify(context, { sentence, onResult });
      const failed = report.checks.filter(({ ok }) => !ok).length;
      if (input.flag("json")) terminal.out(JSON.stringify({ ok: failed === 0, ...report }));
      else
        terminal.say(["What verify leaves behind:", ...report.stays.map((each) => `  ${each}`)].join("\n"));
      if (failed > 0)
        throw new OperatorError(`${plural(failed, "check")} of ${report.checks.length} failed.`);
      if (!input.flag("json")) terminal.say("Next, the first customer: docs/operate/first-customer.md");
    }),
};

export const commands: readonly Command[] = [command];

async function checkContextOf(input: CommandInput, connection: Connection): Promise<CheckContext> {
  const stack = input.text("stack");
  const toType = (words: string) => commandFor(input, words);
  if (stack !== undefined) {
    const { apiUrlOf, outputsOf } = await import("../../lib/operator/stack.ts");
    const { invoker } = await import("../../lib/operator/stack-functions.ts");
    const output = await outputsOf(stack, input.text("region"));
    const search = invoker(output(stackOutputs.searchFunctionName), input.text("region"));
    const closedUrl = output(stackOutputs.closedUrl, "");
    const urls = {
      baseUrl: await apiUrlOf(output),
      publicUrl: output(stackOutputs.apiUrl),
      ...(closedUrl && { closedUrl }),
    };
    return { connection, ...urls, search, commandFor: toType };
  }
  const directory = dataDirectory(input.text("data") ?? defaultDataPath);
  const baseUrl = await localServiceUrl(directory);
  if (!baseUrl)
    throw new OperatorError(`No local service runs on ${directory.path}; start it first: ${toType("dev")}`);
  const { table, vectors, embedder } = connection;
  return {
    connection,
    baseUrl,
    commandFor: toType,
    search: async (request) => searchForReview({ table, vectors, embedder: await embedder() }, request),
  };
}
