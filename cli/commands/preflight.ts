import { embeddingModelId, eventQueueSettings, lambdaLimits } from "../../lib/contract/platform.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import {
  countAdmins,
  readAllOrganizations,
  sayWithoutAdmin,
  withoutAdmin,
} from "../connection/organizations.ts";
import { OperatorError } from "../errors.ts";
import { sentence } from "../sentence.ts";
import { defaultOptions, optionsFile, readStackOptions } from "../stack-options.ts";
import { verdict } from "../terminal.ts";

const workersBounds = { min: eventQueueSettings.workersMin, max: eventQueueSettings.workersMax };

type Result = {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly problem: string | null;
};

const command: Command = {
  name: "",
  summary: "Before a deployment: check that the AWS account and region have what the stack needs",
  connects: false,
  options: {
    stack: {
      value: "NAME",
      help: "a stack that is deployed already: also name its organizations without an admin",
    },
    region: { value: "REGION", help: "where the stack will be (default: the environment's)" },
    options: { value: "FILE", help: `the stack's options (default ${optionsFile}, where CDK finds them)` },
    "bedrock-region": { value: "REGION", help: "the option bedrockRegion, instead of the file's" },
    "bedrock-model-id": {
      value: "ID",
      help: `the option bedrockModelId, instead of the file's (default ${embeddingModelId})`,
    },
    "event-workers": {
      value: "N",
      help: `the option eventWorkers, instead of the file's (default ${eventQueueSettings.workersMax})`,
    },
  },
  examples: ["preflight", "preflight --region eu-west-1 --event-workers 5", "preflight --stack ReviewApi"],
  async run(input, terminal) {
    const region = input.text("region");
    const workers = input.integer("event-workers", workersBounds);
    let chosen = defaultOptions();
    const checks: Readonly<Record<string, () => Promise<void>>> = {
      "the stack takes the options": async () => {
        chosen = await readStackOptions(input.text("options"));
      },
      "the account may run enough functions at once": () =>
        checkConcurrency(region, workers ?? chosen.eventWorkers),
      "Bedrock has the embedding model": () =>
        checkModel(
          input.text("bedrock-model-id") ?? chosen.bedrockModelId,
          input.text("bedrock-region") ?? chosen.bedrockRegion ?? region,
        ),
    };
    const results: Result[] = [];
    for (const [name, check] of Object.entries(checks)) {
      const startedMs = systemClock.nowMs();
      const problem = await check().then(() => null, sentence);
      const result = { name, ok: problem === null, ms: systemClock.nowMs() - startedMs, problem };
      results.push(result);
      if (input.flag("json")) continue;
      terminal.out(`${verdict(terminal, result.ok)} ${String(result.ms).padStart(6)} ms  ${name}`);
      if (problem !== null) terminal.out(`       ${problem}`);
    }
    const ok = results.every((result) => result.ok);
    const found = input.has("stack") ? await organizationsWithoutAdmin(input) : undefined;
    if (input.flag("json")) {
      const organizations_without_admin = found?.map(nameOf);
      terminal.out(JSON.stringify({ ok, checks: results, organizations_without_admin }));
    } else if (found) sayWithoutAdmin(terminal, found);
    if (!ok) throw new OperatorError("The account is not ready for the stack.");
  },
};

export const commands: readonly Command[] = [command];

/** Not a check: an organization without an admin is no reason against a deployment. */
const organizationsWithoutAdmin = (input: CommandInput): Promise<readonly OrganizationItem[]> =>
  withConnection(input, async ({ table }) => {
    const organizations = await readAllOrganizations(table);
    return withoutAdmin(organizations, await countAdmins(table, organizations));
  });

const nameOf = ({ uuid, name, provider, provider_organization_id }: OrganizationItem) => ({
  id: uuid,
  name,
  provider,
  provider_organization_id,
});

/**
 * Half of the unreserved concurrency is left to callers. Concurrency reserved by other functions does not help here.
 */
async function checkConcurrency(region: string | undefined, workers: number): Promise<void> {
  const { GetAccountSettingsCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(region === undefined ? {} : { region });
  const { AccountLimit } = await client
    .send(new GetAccountSettingsCommand({}))
    .finally(() => client.destroy());
  const free = AccountLimit?.UnreservedConcurrentExecutions;
  const quota = AccountLimit?.ConcurrentExecutions;
  if (free === undefined || quota === undefined)
    throw new OperatorError(
      "Lambda does not say how many functions the account may run at once. Look at Service Quotas (Lambda, concurrent " +
        `executions): it should be at least ${2 * workers}, not counting reserved concurrency.`,
    );
  if (free >= 2 * workers) return;
  const { workersMin, visibilitySeconds, receivesMax } = eventQueueSettings;
  const reserved = quota > free ? ` (of ${quota}; functions reserve the rest)` : "";
  const hours = Math.floor((receivesMax * visibilitySeconds) / 3600);
  throw new OperatorError(
    `The account may run ${free} functions at once${reserved}, and the worker of events may take ${workers} of them. ` +
      `Then callers get 503. An event that finds no free function is retried every ${visibilitySeconds / 60} minutes, and ` +
      `becomes a dead letter after ${hours} hours. Ask for more in Service Quotas (Lambda, concurrent ` +
      `executions; ${lambdaLimits.concurrencyMax} is usual), or deploy with ` +
      `-c eventWorkers=${Math.max(workersMin, Math.floor(free / 2))}.`,
  );
}

/** Requests one embedding of two words. */
async function checkModel(modelId: string, region: string | undefined): Promise<void> {
  const { BedrockRuntimeClient, InvokeModelCommand } = await import("@aws-sdk/client-bedrock-runtime");
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  const client = new BedrockRuntimeClient({
    requestHandler: new NodeHttpHandler(),
    ...(region !== undefined && { region }),
  });
  const contentType = "application/json";
  const body = JSON.stringify({ inputText: "early return" });
  try {
    await client.send(new InvokeModelCommand({ modelId, body, contentType, accept: contentType }));
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new OperatorError(
      `${modelId} does not answer (${said.replace(/\.$/, "")}). If the region does not have the model, ` +
        "choose another with -c bedrockRegion=REGION. If your own role lacks bedrock:InvokeModel, allow it.",
    );
  } finally {
    client.destroy();
  }
}
