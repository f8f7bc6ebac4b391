import type { CheckContext } from "../../lib/checks/service/checks.ts";
import { type CheckResult, verify } from "../../lib/checks/service/run.ts";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import { stackOutputs } from "../../lib/contract/platform.ts";
import { plural } from "../../lib/contract/plural.ts";
import { searchForReview } from "../../lib/learnings/search.ts";
import { dataDirectory } from "../../lib/local/data-directory.ts";
import { localServiceUrl } from "../../lib/local/ownership.ts";
import { type Connection, defaultDataPath } from "../../lib/operator/connection.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { didYouMean } from "../did-you-mean.ts";
import { sentence } from "../sentence.ts";
import { commandFor } from "../show-once.ts";
import { showCheck } from "../terminal.ts";

const command: Command = {
  name: "",
  summary: "After a deployment: call every operation, send every event, search, and remove everything again",
  options: {
    without: {
      value: "OPERATIONS",
      help: "operations without a check of their own, separated by commas; whether they work is then not shown",
      check: (input) => void withoutOf(input),
    },
  },
  examples: ["verify --stack ReviewApi", "verify --json", "verify --without testWebhook"],
  run: (input, terminal) =>
    withConnection(input, async (connection) => {
      const context = await checkContextOf(input, connection);
      const onResult = input.flag("json")
        ? () => undefined
        : (result: CheckResult) => showCheck(terminal, result);
      const report = await verify(context, { sentence, onResult, without: withoutOf(input) });
      const { notShown: not_shown, ...shown } = report;
      const failed = report.checks.filter(({ ok }) => !ok).length;
      if (input.flag("json")) terminal.out(JSON.stringify({ ok: failed === 0, ...shown, not_shown }));
      else {
        if (not_shown.length > 0) terminal.say(["Not shown:", ...not_shown].join("\n  "));
        terminal.say(["What verify leaves behind:", ...report.stays].join("\n  "));
      }
      if (failed > 0)
        throw new OperatorError(`${plural(failed, "check")} of ${report.checks.length} failed.`);
      if (!input.flag("json")) terminal.say("Next, the first customer: docs/operate/first-customer.md");
    }),
};

export const commands: readonly Command[] = [command];

const operationIds = operations.map(({ id }) => id);

const withoutOf = (input: CommandInput): readonly OperationId[] =>
  (input.list("without") ?? []).map((word) => {
    const id = operationIds.find((each) => each === word);
    if (id === undefined)
      throw new UsageError(`--without: there is no operation ${word}.${didYouMean(word, operationIds)}`);
    return id;
  });

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
