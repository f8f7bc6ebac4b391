import { type StackOptions, silenceOf } from "../../infra/options.ts";
import type { CheckResult } from "../../lib/checks/service/run.ts";
import { embeddingModelId, eventQueueSettings } from "../../lib/contract/platform.ts";
import { countAdmins, readAllOrganizations, withoutAdmin } from "../../lib/organizations/find.ts";
import type { AwsIdentity } from "../../lib/runtime/aws-identity.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { sayWithoutAdmin } from "../say-without-admin.ts";
import { sentence } from "../sentence.ts";
import { defaultOptions, optionsFile, readStackOptions } from "../stack-options.ts";
import { showCheck, type Terminal } from "../terminal.ts";

const workersBounds = { min: eventQueueSettings.workersMin, max: eventQueueSettings.workersMax };

/** A check throws what is wrong; a text that it returns is a note. */
type Checks = Readonly<Record<string, () => Promise<unknown>>>;

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
      help: `the option eventWorkers, instead of the file's (default ${eventQueueSettings.workers})`,
    },
  },
  examples: ["preflight", "preflight --region eu-west-1 --event-workers 5", "preflight --stack ReviewApi"],
  async run(input, terminal) {
    const eventWorkers = input.integer("event-workers", workersBounds);
    const bedrockRegion = input.text("bedrock-region");
    const bedrockModelId = input.text("bedrock-model-id");
    const results: CheckResult[] = [];
    const notes: string[] = [];
    const shown = input.flag("json") ? undefined : terminal;
    const run = async (checks: Checks) => void results.push(...(await runChecks(checks, shown, notes)));

    let chosen = defaultOptions();
    let identity: AwsIdentity | undefined;
    await run({
      "the stack takes the options": async () => {
        chosen = await readStackOptions(input.text("options"), await regionIfSet(input.text("region")));
      },
      "an AWS region is set and credentials are found": async () => {
        identity = await identityOf(input.text("region"));
      },
    });
    const options = {
      ...chosen,
      ...(eventWorkers !== undefined && { eventWorkers }),
      ...(bedrockRegion !== undefined && { bedrockRegion }),
      ...(bedrockModelId !== undefined && { bedrockModelId }),
    };
    if (identity) await run(await accountChecks(identity, options));

    const silence = silenceOf(options);
    if (silence !== undefined) notes.push(silence);
    for (const note of notes) shown?.out(`note   ${note}`);
    const ok = results.every((result) => result.ok);
    const found = input.has("stack") ? await organizationsWithoutAdmin(input) : undefined;
    if (found && shown) sayWithoutAdmin(shown, input, found);
    if (!shown) {
      const organizations_without_admin = found?.map(nameOf);
      terminal.out(JSON.stringify({ ok, checks: results, notes, organizations_without_admin }));
    }
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

async function runChecks(
  checks: Checks,
  terminal: Terminal | undefined,
  notes: string[],
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const startedMs = systemClock.nowMs();
    const problem = await check().then((note) => {
      if (typeof note === "string") notes.push(note);
      return null;
    }, sentence);
    const result = { name, ok: problem === null, ms: systemClock.nowMs() - startedMs, problem };
    results.push(result);
    if (terminal) showCheck(terminal, result);
  }
  return results;
}

/** A region that is not set is the finding of another check. */
async function regionIfSet(region: string | undefined): Promise<string | undefined> {
  const { operatorIdentity } = await import("../../lib/operator/stack.ts");
  return await operatorIdentity(region).then(
    (identity) => identity.region,
    () => undefined,
  );
}

async function identityOf(region: string | undefined): Promise<AwsIdentity> {
  const { operatorIdentity } = await import("../../lib/operator/stack.ts");
  const identity = await operatorIdentity(region).catch((error: unknown) => {
    if (!(error instanceof Error && /^Region is missing/.test(error.message))) throw error;
    throw new OperatorError("No AWS region is set. Give --region, or set AWS_REGION.");
  });
  await identity.credentials().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
    throw new OperatorError(
      `No AWS credentials were found (${reason}). Sign in and set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  });
  return identity;
}

async function accountChecks(identity: AwsIdentity, options: StackOptions): Promise<Checks> {
  const { bedrockModelId, bedrockRegion = identity.region, waf, tableName } = options;
  const model = { ...identity, region: bedrockRegion };
  const checks = await import("../../lib/checks/account/account-checks.ts");
  return {
    "the account may run enough functions at once": () => checks.checkConcurrency(identity, options),
    "Bedrock has the embedding model": () => checks.checkModel(model, bedrockModelId),
    "Bedrock allows enough embeddings a minute": () => checks.checkModelQuota(model),
    "API Gateway's logging role is this stack's or kept": () => checks.checkLoggingRole(identity, options),
    ...(tableName !== undefined && {
      "the restored table has what a restore does not bring": async () => {
        const { checkRestoredTable } = await import("../../lib/checks/account/restored-table.ts");
        await checkRestoredTable(identity, tableName, options);
      },
    }),
    ...(waf && { "WAF has the version of its rules": () => checks.checkFirewallRules(identity) }),
  };
}
