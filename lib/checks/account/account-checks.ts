import * as z from "zod";
import type { StackOptions } from "../../../infra/options.ts";
import { embeddingQuota, eventQueueSettings, firewall, lambdaLimits } from "../../contract/platform.ts";
import { ingest } from "../../contract/workers.ts";
import { askAws } from "../../operator/ask-aws.ts";
import type { AwsIdentity } from "../../runtime/aws-identity.ts";
import { OperatorError } from "../../runtime/operator-error.ts";

/** Half of the unreserved concurrency is left to callers, after the deployment has reserved its own. */
export async function checkConcurrency(
  identity: AwsIdentity,
  { eventWorkers: workers, reservedConcurrency, stackName }: StackOptions,
): Promise<void> {
  const { GetAccountSettingsCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(identity);
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
  const wanted = Object.values(reservedConcurrency).reduce((sum, count) => sum + count, 0);
  // AWS's number of unreserved already lacks what this stack reserved before, and the deployment replaces that.
  const own = wanted > 0 && free < quota ? await reservedBefore(identity, stackName) : 0;
  const others = quota - free - own;
  // AWS keeps 100 unreserved; of a smaller quota all.
  const reservable = Math.max(0, quota - others - lambdaLimits.concurrencyUnreservedMin);
  if (wanted > reservable)
    throw new OperatorError(
      `reservedConcurrency asks for ${wanted} functions at once, and of the account's ${quota} at most ${reservable} can be ` +
        `reserved (other functions reserve ${others}, and AWS keeps ${lambdaLimits.concurrencyUnreservedMin} unreserved): the ` +
        "deployment would fail. Ask for more in Service Quotas (Lambda, concurrent executions), or reserve less.",
    );
  const left = quota - others - wanted;
  // A worker with a reservation of its own takes nothing from callers.
  if (reservedConcurrency[ingest.id] !== undefined || left >= 2 * workers) return;
  const { workersMin, visibilitySeconds, receivesMax } = eventQueueSettings;
  const parts = [
    ...(others > 0 ? [`other functions reserve ${others}`] : []),
    ...(wanted > 0 ? [`reservedConcurrency ${wanted}`] : []),
  ];
  const reserved = parts.length > 0 ? ` (of ${quota}; ${parts.join(", ")})` : "";
  const hours = Math.floor((receivesMax * visibilitySeconds) / 3600);
  throw new OperatorError(
    `The account may run ${left} functions at once${reserved}, and the worker of events may take ${workers} of them. ` +
      `Then callers get 503. An event that finds no free function is retried every ${visibilitySeconds / 60} minutes, and ` +
      `becomes a dead letter after ${hours} hours. Ask for more in Service Quotas (Lambda, concurrent ` +
      `executions; ${lambdaLimits.concurrencyMax} is usual), or set ` +
      `"eventWorkers": ${Math.max(workersMin, Math.floor(left / 2))} in cdk.context.json.`,
  );
}

const deployedTemplate = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Properties: z.object({ ReservedConcurrentExecutions: z.number().optional() }).optional(),
    }),
  ),
});

/** What the deployed stack reserves now; nothing, if it is not deployed yet. */
async function reservedBefore(identity: AwsIdentity, StackName: string): Promise<number> {
  const { CloudFormationClient, GetTemplateCommand } = await import("@aws-sdk/client-cloudformation");
  const client = new CloudFormationClient(identity);
  const { TemplateBody } = await client
    .send(new GetTemplateCommand({ StackName }))
    .catch((error: unknown) => {
      if (error instanceof Error && /does not exist/.test(error.message)) return { TemplateBody: undefined };
      throw error;
    })
    .finally(() => client.destroy());
  if (TemplateBody === undefined) return 0;
  return Object.values(deployedTemplate.parse(JSON.parse(TemplateBody)).Resources).reduce(
    (sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0),
    0,
  );
}

/** Requests one embedding of two words. */
export async function checkModel(identity: AwsIdentity, modelId: string): Promise<void> {
  const { BedrockRuntimeClient, InvokeModelCommand } = await import("@aws-sdk/client-bedrock-runtime");
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  const client = new BedrockRuntimeClient({ ...identity, requestHandler: new NodeHttpHandler() });
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

/**
 * Bedrock limits embedding models by requests a minute, and gives some new accounts far less than its default. It no
 * longer has this quota for most models: without one the check returns a note.
 */
export async function checkModelQuota(identity: AwsIdentity): Promise<string | undefined> {
  const { paginateListServiceQuotas, ServiceQuotasClient } = await import("@aws-sdk/client-service-quotas");
  const client = new ServiceQuotasClient(identity);
  const pages = paginateListServiceQuotas({ client, pageSize: 100 }, { ServiceCode: "bedrock" });
  const quotas = await askAws(
    { service: "Service Quotas", permission: "servicequotas:ListServiceQuotas" },
    async () => (await Array.fromAsync(pages)).flatMap(({ Quotas = [] }) => Quotas),
  ).finally(() => client.destroy());
  for (const { QuotaName = "", Value = 0 } of quotas) {
    if (!embeddingQuota.name.test(QuotaName)) continue;
    if (Value >= embeddingQuota.requestsPerMinuteMin) return undefined;
    throw new OperatorError(
      `Bedrock lets the account embed ${Value} texts a minute in ${identity.region}. Each search of the reviewer ` +
        `and each changed Learning is one. Ask for at least ${embeddingQuota.requestsPerMinuteMin} in Service Quotas ` +
        `(Bedrock, "${QuotaName}").`,
    );
  }
  return (
    `Service Quotas lists no requests per minute for the embedding model in ${identity.region}. AWS dropped this quota for ` +
    "most models; if searches are throttled, look at Bedrock's quotas in the console."
  );
}

/** API Gateway has one logging role for all APIs of an account and region. */
export async function checkLoggingRole(
  identity: AwsIdentity,
  { apiGatewayLogRole, stackName }: StackOptions,
): Promise<void> {
  const { APIGatewayClient, GetAccountCommand } = await import("@aws-sdk/client-api-gateway");
  const client = new APIGatewayClient(identity);
  const { cloudwatchRoleArn: arn } = await askAws(
    { service: "API Gateway", permission: "apigateway:GET on /account" },
    () => client.send(new GetAccountCommand({})),
  ).finally(() => client.destroy());
  if (!apiGatewayLogRole && !arn)
    throw new OperatorError(
      "API Gateway has no logging role in this account and region, and this stack does not set one: the " +
        "deployment would fail. Set one first, as docs/operate/aws.md shows, or deploy without apiGatewayLogRole=false.",
    );
  if (apiGatewayLogRole && arn && !isRoleOfStack(arn, stackName))
    throw new OperatorError(
      `API Gateway already logs with ${arn} in this account and region. The stack would replace that role for every API ` +
        "of the account. Keep it with -c apiGatewayLogRole=false.",
    );
}

/** CloudFormation names a role after its stack and its logical id, both shortened if they are long. */
function isRoleOfStack(arn: string, stackName: string): boolean {
  const [, stack] = /\/([^/]+)-RestApiCloudWatch\w*-\w+$/.exec(arn) ?? [];
  return stack !== undefined && stackName.startsWith(stack);
}

/** WAF refuses a web ACL whose rules have a version that has expired. */
export async function checkFirewallRules(identity: AwsIdentity): Promise<void> {
  const { knownBadInputs: Name, knownBadInputsVersion: version } = firewall;
  const { ListAvailableManagedRuleGroupVersionsCommand, WAFV2Client } = await import("@aws-sdk/client-wafv2");
  const client = new WAFV2Client(identity);
  const input = { VendorName: "AWS", Name, Scope: "REGIONAL", Limit: 100 } as const;
  const { Versions = [] } = await askAws(
    { service: "WAF", permission: "wafv2:ListAvailableManagedRuleGroupVersions" },
    () => client.send(new ListAvailableManagedRuleGroupVersionsCommand(input)),
  ).finally(() => client.destroy());
  const names = Versions.map(({ Name: name = "" }) => name);
  if (!names.includes(version))
    throw new OperatorError(
      `WAF no longer offers ${version} of ${Name}: AWS has it scheduled to expire. It offers ${names.join(", ")}. Set ` +
        "firewall.knownBadInputsVersion in lib/contract/platform.ts to one of them, or deploy without waf.",
    );
}
