import { APIGatewayClient, GetResourcesCommand, GetRestApiCommand } from "@aws-sdk/client-api-gateway";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import { tls } from "../../../infra/constructs/api-definition.ts";
import { gatewayBody } from "../../../infra/constructs/gateway-responses.ts";
import { proofGrants, type proofOutputs, proofTemplate, streamedBytes } from "../../../infra/proof-stack.ts";
import { errorCodes } from "../../contract/errors.ts";
import type { AwsIdentity } from "../../runtime/aws-identity.ts";
import { systemClock } from "../../runtime/clock.ts";
import { checkModelQuota } from "../account/account-checks.ts";
import { type Leftovers, measureInitTimes } from "./init-times.ts";
import type { ProofStack } from "./stack.ts";

export type ProofContext = {
  readonly identity: AwsIdentity;
  readonly stack: ProofStack;
  readonly output: (name: keyof typeof proofOutputs) => string;
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
};

/** What AWS showed: whether it is as the service needs it, and the words for the table. */
export type Finding = {
  /** "not shown": the account or the region lacks what the proof is about. */
  readonly held: boolean | "not shown";
  readonly found: string;
};

export type Proof = {
  readonly name: string;
  run(context: ProofContext): Promise<Finding>;
};

/** Without the slash at the end. */
const addressOf = ({ output }: ProofContext, name: "openUrl" | "closedUrl"): string =>
  output(name).replace(/\/$/, "");

/** The settings and paths of the closed API as API Gateway has them, and how its own address answers. */
async function closedApi(context: ProofContext, path: string): Promise<Finding> {
  const client = new APIGatewayClient(context.identity);
  const restApiId = context.output("closedApiId");
  const { securityPolicy, disableExecuteApiEndpoint, apiStatus } = await client.send(
    new GetRestApiCommand({ restApiId }),
  );
  // A closed address answers 403 to every path: only the resources show that the import brought this one.
  const { items = [] } = await client.send(new GetResourcesCommand({ restApiId }));
  const paths = items.map((item) => item.path ?? "");
  const { status } = await fetch(`${addressOf(context, "closedUrl")}${path}`);
  const held =
    securityPolicy === tls.securityPolicy &&
    disableExecuteApiEndpoint === true &&
    status === 403 &&
    paths.includes(path);
  const found = `paths ${paths.join(" ")}, ${securityPolicy ?? "no policy"}, endpoint ${disableExecuteApiEndpoint ? "closed" : "open"}, its address answers ${status}, API ${apiStatus ?? "without a status"}`;
  return { held, found };
}

const put = (TableName: string, pk: string, attribute = "name") => ({
  Put: { TableName, Item: { pk: { S: pk }, sk: { S: "1" }, [attribute]: { S: "x" } } },
});

/** The calls that the role of the proof makes, and whether IAM must allow them. */
function transactionsOf(table: string) {
  const [one, other] = proofGrants.partitions.map((prefix) => `${prefix}1`);
  const transaction = (...TransactItems: object[]) => ({
    command: "TransactWriteItemsCommand",
    input: { TransactItems },
  });
  return [
    {
      what: "two partitions of the role",
      allowed: true,
      ...transaction(put(table, one ?? ""), put(table, other ?? "")),
    },
    {
      what: "a partition of others beside its own",
      allowed: false,
      ...transaction(put(table, one ?? ""), put(table, "C#1")),
    },
    {
      what: "a denied attribute",
      allowed: false,
      ...transaction(put(table, one ?? "", proofGrants.deniedAttribute)),
    },
    {
      what: "a write outside a transaction",
      allowed: false,
      command: "PutItemCommand",
      input: put(table, one ?? "").Put,
    },
  ];
}

async function conditionsOfRoles({ identity, output }: ProofContext): Promise<Finding> {
  const client = new LambdaClient(identity);
  const said: string[] = [];
  let held = true;
  for (const { what, allowed, ...call } of transactionsOf(output("tableName"))) {
    const { Payload } = await client.send(
      new InvokeCommand({
        FunctionName: output("transactionFunction"),
        Payload: Buffer.from(JSON.stringify(call)),
      }),
    );
    const answer = String(JSON.parse(Buffer.from(Payload ?? []).toString()));
    held &&= answer === (allowed ? "done" : "AccessDeniedException");
    said.push(`${what}: ${answer}`);
  }
  return { held, found: said.join("; ") };
}

async function noConcurrency(context: ProofContext): Promise<Finding> {
  const client = new LambdaClient(context.identity);
  const refusal: unknown = await client
    .send(new InvokeCommand({ FunctionName: context.output("throttledFunction") }))
    .then(
      () => new Error("an answer"),
      (error: unknown) => error,
    );
  const { name, Reason } = z.object({ name: z.string(), Reason: z.string().optional() }).parse(refusal);
  const response = await fetch(`${addressOf(context, "openUrl")}/throttled`);
  const body = await response.text();
  const expected = errorCodes.SERVICE_UNAVAILABLE.status;
  return {
    held:
      name === "TooManyRequestsException" &&
      response.status === expected &&
      body === gatewayBody("SERVICE_UNAVAILABLE"),
    found: `Lambda: ${name}${Reason ? ` (${Reason})` : ""}; the gateway: ${response.status} ${body.slice(0, 80)}`,
  };
}

async function streamedAnswer(context: ProofContext): Promise<Finding> {
  const startedMs = systemClock.nowMs();
  const { status, body } = await fetch(`${addressOf(context, "openUrl")}/streamed`, {
    headers: { "accept-encoding": "identity" },
  });
  let bytes = 0;
  let firstMs: number | undefined;
  for await (const part of body ?? []) {
    firstMs ??= systemClock.nowMs() - startedMs;
    bytes += part.length;
  }
  return {
    held: status === 200 && bytes === streamedBytes,
    found: `${status}, ${bytes} of ${streamedBytes} bytes, the first after ${firstMs} ms, the last after ${systemClock.nowMs() - startedMs} ms`,
  };
}

/** docs/operate/cost.md computes cold starts with less than that. */
const initMsMax = 400;

async function initTimes({ identity, stack, output, leftovers, signal }: ProofContext): Promise<Finding> {
  const times = await measureInitTimes(new LambdaClient(identity), {
    prefix: stack.name,
    Role: output("functionRoleArn"),
    tableName: output("tableName"),
    region: identity.region,
    leftovers,
    signal,
  });
  return {
    held: times.length > 0 && times.every(({ initMs = Number.POSITIVE_INFINITY }) => initMs <= initMsMax),
    found: times.map(({ source, initMs }) => `${source} ${initMs ?? "no"} ms`).join(", "),
  };
}

export const firstPath = "/one";
const secondPath = "/two";

/** Everything that a small stack can show; the order matters, because the last one changes the stack. */
export const proofs: readonly Proof[] = [
  {
    name: "An import keeps the TLS policy and the closed endpoint; the closed address answers 403",
    run: (context) => closedApi(context, firstPath),
  },
  {
    name: "IAM checks leading keys, attributes and the enclosing transaction as our roles need it",
    run: conditionsOfRoles,
  },
  { name: "A function without concurrency is refused with 429, and callers get our 503", run: noConcurrency },
  {
    name: "Service Quotas names the embeddings a minute as preflight expects",
    run: async ({ identity }) => {
      const note = await checkModelQuota(identity);
      return {
        held: note === undefined || "not shown",
        found: note ?? "the quota is there, and large enough",
      };
    },
  },
  { name: "An answer of 16 MiB is streamed whole", run: streamedAnswer },
  { name: `Functions start in at most ${initMsMax} ms`, run: initTimes },
  {
    name: "A changed path is imported beside the TLS policy, without an update in progress",
    async run(context) {
      await context.stack.update(proofTemplate(context.stack.name, secondPath));
      return await closedApi(context, secondPath);
    },
  },
];
