import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod";
import { apiGatewayLimits, lambdaLimits } from "../../../lib/contract/platform.ts";
import { httpAnswer, MalformedAnswer, streamHead } from "../../../lib/local/rest-answer.ts";
import { pathOf, restEvent } from "../../../lib/local/rest-event.ts";
import { createRouter } from "../../../lib/local/routes.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import {
  definitionOf,
  gatewayResponsesOf,
  ofType,
  pathsOf,
  type Route,
  routesOf,
  type StackTemplate,
} from "../infra/support.ts";
import type { Account } from "./account.ts";
import type { DeployedFunction } from "./deployed-function.ts";
import { permits, resolvedStatements } from "./policy.ts";

export type TemplateGateway = {
  readonly url: string;
  /** The prefix of the API's paths: its stage, or nothing at a domain of its own. */
  readonly mount: string;
  /** The lines of the access log, in the format that the template gives it. */
  readonly accessLog: string[];
  close(): Promise<void>;
};

const stageSchema = z.object({
  StageName: z.string(),
  AccessLogSetting: z.object({ Format: z.string() }),
});
const domainSchema = z.array(z.object({ BasePath: z.string().optional() })).max(1);

const only = (template: StackTemplate, type: string): unknown => {
  const [[, resource] = [], ...others] = ofType(template, type);
  if (!resource || others.length > 0) throw new Error(`The template must hold exactly one ${type}.`);
  return resource.Properties;
};

/** The reasons for an answer of API Gateway itself. */
class GatewayFault extends Error {
  readonly type: string;
  constructor(type: string, cause?: unknown) {
    super(type, { cause });
    this.type = type;
  }
}

/** API Gateway on loopback that reads only the template: routes, permissions, transfer modes, time-outs, answers. */
export async function startTemplateGateway(
  template: StackTemplate,
  account: Account,
  functions: ReadonlyMap<string, DeployedFunction>,
): Promise<TemplateGateway> {
  const { "x-amazon-apigateway-binary-media-types": binaryMediaTypes } = definitionOf(template);
  const { StageName: stage, AccessLogSetting } = stageSchema.parse(only(template, "AWS::ApiGateway::Stage"));
  const [domain] = domainSchema.parse(
    ofType(template, "AWS::ApiGateway::BasePathMapping").map(([, { Properties }]) => Properties),
  );
  // At a domain, the mapping sets the base path.
  const below = domain ? domain.BasePath : stage;
  const mount = below === undefined ? "" : `/${below}`;
  const routes = routesOf(template);
  const match = createRouter(
    pathsOf(template)
      .filter((path) => path !== "/{proxy+}")
      .map((path) => ({ source: "", method: "GET", path, streaming: false })),
  );
  const responses = gatewayResponsesOf(template);
  const accessLog: string[] = [];

  function targetOf(method: string, resource: string): { route: Route; called: DeployedFunction } {
    const route =
      routes.find((each) => each.path === resource && each.method === method) ??
      routes.find((each) => each.path === resource && each.method === "ANY");
    if (!route) throw new GatewayFault("MISSING_AUTHENTICATION_TOKEN");
    const access = {
      action: "lambda:InvokeFunction",
      resource: account.resolve({ "Fn::GetAtt": [route.functionId, "Arn"] }),
    };
    const permitted = permits(resolvedStatements(template, account, route.roleId), access);
    const called = functions.get(route.functionId);
    if (!permitted || !called) throw new GatewayFault("API_CONFIGURATION_ERROR");
    return { route, called };
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<APIGatewayProxyEvent> {
    const { method = "GET", url = "/", rawHeaders } = incoming;
    if (!url.startsWith(`${mount}/`)) throw new Error(`The API is below ${mount}.`);
    const target = url.slice(mount.length);
    const body = await readBody(incoming);
    const found = match("GET", pathOf(target));
    const request = { method, target, rawHeaders, body, sourceAddress: "203.0.113.7", port: 443 };
    const options = { clock: systemClock, random: systemRandom, stage, binaryMediaTypes };
    const event = restEvent(request, found, options);
    // The context has the whole path. `path` leaves out the stage, but not the base path of a domain.
    event.requestContext.path = `${mount}${event.path}`;
    if (domain) event.path = `${mount}${event.path}`;
    try {
      if (body.length > apiGatewayLimits.requestBytesMax) throw new GatewayFault("REQUEST_TOO_LARGE");
      const { route, called } = targetOf(method, found.resource);
      // Lambda refuses a larger event, and API Gateway reports the same error.
      if (Buffer.byteLength(JSON.stringify(event)) > lambdaLimits.eventBytesMax)
        throw new GatewayFault("REQUEST_TOO_LARGE");
      await withinMs(route.timeoutMs, integrate(route, called, event, response, binaryMediaTypes));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else
        refuse(
          response,
          error instanceof GatewayFault ? error : new GatewayFault("INTEGRATION_FAILURE", error),
          event,
        );
    }
    return event;
  }

  function refuse(response: ServerResponse, { type }: GatewayFault, event: APIGatewayProxyEvent): void {
    const fallback = type === "MISSING_AUTHENTICATION_TOKEN" ? "DEFAULT_4XX" : "DEFAULT_5XX";
    const answer = responses.get(type) ?? responses.get(fallback);
    if (!answer) throw new Error(`The template has no gateway response for ${type}.`);
    for (const [name, value] of Object.entries(answer.responseParameters)) {
      const header = name.replace("gatewayresponse.header.", "");
      const text = value === "context.requestId" ? event.requestContext.requestId : value.slice(1, -1);
      response.setHeader(header, text);
    }
    response.setHeader("content-type", "application/json");
    response.writeHead(Number(answer.statusCode)).end(answer.responseTemplates["application/json"]);
  }

  const server = createServer((incoming, response) => {
    response.on("error", () => undefined);
    serve(incoming, response).then(
      (event) => accessLog.push(accessLine(AccessLogSetting.Format, event, response)),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`,
    mount,
    accessLog,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function withinMs(timeoutMs: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const overdue = setTimeout(() => reject(new GatewayFault("INTEGRATION_TIMEOUT")), timeoutMs);
  await Promise.race([work, promise]).finally(() => clearTimeout(overdue));
}

async function integrate(
  { streaming, invocation }: Route,
  target: DeployedFunction,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
  binaryMediaTypes: readonly string[],
): Promise<void> {
  if (streaming !== (invocation === "response-streaming-invocations"))
    throw new GatewayFault("API_CONFIGURATION_ERROR");
  if (streaming) {
    await stream(target, event, response);
    return;
  }
  const accept = Object.entries(event.headers).find(([name]) => name.toLowerCase() === "accept")?.[1];
  const answer = httpAnswer(await target.invoke(event), accept ?? "*/*", binaryMediaTypes);
  for (const [name, value] of answer.headers) response.appendHeader(name, value);
  response.writeHead(answer.status).end(answer.body);
}

const preludeEnd = Buffer.alloc(8);

/** Status and headers are sent at the end of the prelude; after that every byte as it arrives. */
async function stream(
  target: DeployedFunction,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
): Promise<void> {
  let prelude: Buffer | undefined = Buffer.alloc(0);
  await target.invokeStreaming(event, (chunk) => {
    if (!prelude) {
      response.write(chunk);
      return;
    }
    prelude = Buffer.concat([prelude, chunk]);
    const end = prelude.indexOf(preludeEnd);
    if ((end < 0 ? prelude.length : end) > lambdaLimits.preludeBytesMax) throw new MalformedAnswer("prelude");
    if (end < 0) return;
    const { status, headers } = streamHead(prelude.toString("utf8", 0, end));
    for (const [name, value] of headers) response.appendHeader(name, value);
    response.writeHead(status);
    response.write(prelude.subarray(end + preludeEnd.length));
    prelude = undefined;
  });
  if (prelude) throw new MalformedAnswer("The stream began without a prelude.");
  response.end();
}

/** Unknown variables in the format become a dash, as on AWS. */
function accessLine(
  format: string,
  { requestContext, httpMethod }: APIGatewayProxyEvent,
  response: ServerResponse,
): string {
  const known: Readonly<Record<string, string>> = {
    requestId: requestContext.requestId,
    requestTimeEpoch: String(requestContext.requestTimeEpoch),
    "identity.sourceIp": requestContext.identity.sourceIp,
    "identity.userAgent": requestContext.identity.userAgent ?? "-",
    httpMethod,
    path: requestContext.path,
    resourcePath: requestContext.resourcePath,
    status: String(response.statusCode),
    responseLatency: String(systemClock.nowMs() - requestContext.requestTimeEpoch),
  };
  return format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => known[name] ?? "-");
}
