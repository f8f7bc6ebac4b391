import "reflect-metadata";
import { awsLambdaFastify } from "@fastify/aws-lambda";
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Module,
  NotFoundException,
  type PipeTransform,
  Query as QueryOf,
  Req,
  Res,
  UseGuards,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { baseHeaders } from "../../../../lib/http/headers.ts";
import {
  identify,
  invalid,
  keyHeader,
  logRequest,
  notFound,
  nowMs,
  organizationsPage,
  problemOf,
  problemsOf,
  type Query,
  querySchema,
} from "../peer-service.ts";

/** What `principal` and `startedAtMs` are, fastify.ts declares for both. */
type Request = FastifyRequest<{ Querystring: Record<string, string> }>;

class KeyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { [keyHeader]: key } = request.headers;
    const sent = typeof key === "string" ? key : undefined;
    request.principal = await identify(sent, Object.keys(request.query));
    return true;
  }
}

class QueryPipe implements PipeTransform<unknown, Query> {
  transform(value: unknown): Query {
    const parsed = querySchema.safeParse(value);
    if (!parsed.success) throw invalid(problemsOf(parsed.error));
    return parsed.data;
  }
}

@Controller("v1/organizations")
@UseGuards(KeyGuard)
class OrganizationsController {
  @Get()
  async list(
    @Req() { principal }: Request,
    @QueryOf(QueryPipe) query: Query,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (!principal) throw new TypeError("The guard comes first.");
    const { headers, json } = await organizationsPage(principal, query);
    reply.headers(headers);
    return json;
  }
}

@Catch()
class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const cause = error instanceof NotFoundException ? notFound() : error;
    const { status, headers, json } = problemOf(cause, http.getRequest<Request>().id);
    http.getResponse<FastifyReply>().code(status).headers(headers).send(json);
  }
}

@Module({ controllers: [OrganizationsController] })
class ApplicationModule {}

const adapter = new FastifyAdapter({ requestIdHeader: "x-request-id" });
const app = await NestFactory.create<NestFastifyApplication>(ApplicationModule, adapter, { logger: false });
app.useGlobalFilters(new ProblemFilter());
const instance = app.getHttpAdapter().getInstance();
instance.addHook("onRequest", async (request, reply) => {
  request.startedAtMs = nowMs();
  reply.headers(baseHeaders(request.id));
});
instance.addHook("onResponse", async (request, reply) => {
  logRequest(request.id, reply.statusCode, request.startedAtMs, request.principal);
});
export const handler = awsLambdaFastify(instance, { decorateRequest: false });
await app.init();
await instance.ready();
