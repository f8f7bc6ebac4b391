import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import * as z from "zod";
import { tableShape } from "../../../lib/contract/table.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { engineClient } from "../../../lib/local/engine/engine.ts";
import { answerSearchVectors } from "../../../lib/local/engine/search-vectors.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { signatureProblem } from "../../support/aws-signature.ts";
import { engineKind } from "../../support/engine.ts";
import type { Account } from "./account.ts";
import { accessesOf } from "./dynamo-access.ts";
import { type Access, permits, type Statement } from "./policy.ts";

/** The secret of every function; the access key id is the function's name, so that calls show their caller. */
export const secretAccessKey = "kept";

export type AwsCall = {
  readonly functionId: string;
  readonly service: string;
  readonly operation: string;
  readonly body: Buffer;
};

/** How a test answers a call instead of passing it on, or how late the call is passed on. */
export type Interference = (
  call: AwsCall,
) =>
  | "stay silent"
  | { readonly status: number; readonly body: string }
  | { readonly lateMs: number }
  | undefined;

export type IamProxy = {
  readonly url: string;
  /** Every request of a function, allowed or not. */
  readonly asked: Map<string, Access[]>;
  readonly denied: Array<Access & { readonly functionId: string }>;
  /** Messages sent to queues, by URL. */
  readonly sent: Map<string, string[]>;
  readonly objects: Map<string, Buffer>;
  interfere(next?: Interference): void;
  /** Drops every connection, as AWS does for a function that was frozen for long. */
  forget(): void;
  close(): Promise<void>;
};

export type IamProxyOptions = {
  readonly account: Account;
  readonly engineEndpoint: string;
  /** The statements of a function's role. */
  readonly statementsOf: (functionId: string) => readonly Statement[];
};

type Request = {
  /** The service that the signature is for. */
  readonly region: string;
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/**
 * AWS as the functions see it: one server for DynamoDB, SQS, S3 and Bedrock that verifies every signature, checks the
 * caller's role in the template, and only then executes the request.
 */
export async function startIamProxy({
  account,
  engineEndpoint,
  statementsOf,
}: IamProxyOptions): Promise<IamProxy> {
  const asked: IamProxy["asked"] = new Map();
  const denied: IamProxy["denied"] = [];
  const sent: IamProxy["sent"] = new Map();
  const objects: IamProxy["objects"] = new Map();
  let interfere: Interference = () => undefined;

  /** True if the role allows all of the accesses. */
  function admit(functionId: string, accesses: readonly Access[]): boolean {
    asked.set(functionId, [...(asked.get(functionId) ?? []), ...accesses]);
    const statements = statementsOf(functionId);
    const refused = accesses.filter((access) => !permits(statements, access));
    denied.push(...refused.map((access) => ({ ...access, functionId })));
    return refused.length === 0;
  }

  const refuse = (response: ServerResponse, service: string): void => {
    if (service === "s3") response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    else response.writeHead(400).end(JSON.stringify({ __type: "AccessDeniedException" }));
  };

  const services: Readonly<
    Record<string, (caller: string, given: Request, response: ServerResponse) => unknown>
  > = {
    dynamodb(caller, given, response) {
      const accesses = accessesOf(account, operationOf(given), JSON.parse(given.body.toString()));
      if (!admit(caller, accesses)) return refuse(response, "dynamodb");
      if (operationOf(given) === "SearchVectors" && !engineKind.vectorIndex)
        return searchExactly(engineEndpoint, given, response);
      forward(engineEndpoint, given, response);
    },
    sqs(caller, given, response) {
      const { QueueUrl, Entries } = sendBatch.parse(JSON.parse(given.body.toString()));
      if (!admit(caller, [{ action: "sqs:SendMessage", resource: account.queueArn(QueueUrl) }]))
        return refuse(response, "sqs");
      sent.set(QueueUrl, [...(sent.get(QueueUrl) ?? []), ...Entries.map(({ MessageBody }) => MessageBody)]);
      const Successful = Entries.map(({ Id, MessageBody }) => {
        const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
        return { Id, MessageId: Id, MD5OfMessageBody };
      });
      response.end(JSON.stringify({ Successful }));
    },
    s3(caller, { target }, response) {
      const [, bucket = "", name = ""] = target.split("?", 1)[0]?.split("/") ?? [];
      const resource = `${account.bucketArn(bucket)}/${name}`;
      if (!admit(caller, [{ action: "s3:GetObject", resource }])) return refuse(response, "s3");
      const object = objects.get(decodeURIComponent(name));
      if (object) response.end(object);
      else if (!admit(caller, [{ action: "s3:ListBucket", resource: account.bucketArn(bucket) }]))
        refuse(response, "s3");
      else response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    },
    async bedrock(caller, { target, region, body }, response) {
      const model = decodeURIComponent(/^\/model\/([^/]+)\/invoke$/.exec(target)?.[1] ?? "");
      if (!admit(caller, [{ action: "bedrock:InvokeModel", resource: account.modelArn(model, region) }]))
        return refuse(response, "bedrock");
      const { inputText, dimensions } = invokeModel.parse(JSON.parse(body.toString()));
      if (dimensions !== tableShape.vectorIndex.dimensions) return response.writeHead(400).end();
      response.end(JSON.stringify({ embedding: await localEmbedder.embed(inputText) }));
    },
  };

  const server = createServer(async (incoming, response) => {
    const { method = "", url: target = "/", headers } = incoming;
    const body = Buffer.concat(await Array.fromAsync(incoming));
    const [, caller = "", region = "", service = ""] =
      /Credential=(\w+)\/\d+\/([^/]+)\/(\w+)\//.exec(headers.authorization ?? "") ?? [];
    const given = { region, method, target, headers, body };
    // Only Bedrock may be in another region; the role names that region.
    const expectedRegion = service === "bedrock" ? region : account.region;
    const signer = { accessKeyId: caller, secretAccessKey, region: expectedRegion, service };
    const problem = signatureProblem(given, signer);
    const serve = services[service];
    if (problem !== undefined || !serve) {
      response.writeHead(403).end(JSON.stringify({ __type: "InvalidSignatureException", message: problem }));
      return;
    }
    const turn = interfere({ functionId: caller, service, operation: operationOf(given), body });
    if (turn === "stay silent") return;
    if (turn && "status" in turn) return response.writeHead(turn.status).end(turn.body);
    if (turn) await systemClock.sleep(turn.lateMs);
    await serve(caller, given, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`,
    asked,
    denied,
    sent,
    objects,
    interfere: (next = () => undefined) => {
      interfere = next;
    },
    forget: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const operationOf = ({ headers }: Pick<Request, "headers">): string =>
  String(headers["x-amz-target"] ?? "")
    .split(".")
    .at(-1) ?? "";

function forward(endpoint: string, { headers, body }: Request, response: ServerResponse): void {
  const outgoing = request(endpoint, { method: "POST", headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  outgoing.end(body);
}

/** The answer that AWS would give, for an engine without a vector index. */
async function searchExactly(endpoint: string, { body }: Request, response: ServerResponse): Promise<void> {
  const client = engineClient(endpoint);
  response.end(JSON.stringify(await answerSearchVectors(client, JSON.parse(body.toString()))));
  client.destroy();
}

const sendBatch = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});
const invokeModel = z.object({ inputText: z.string(), dimensions: z.number(), normalize: z.literal(true) });
