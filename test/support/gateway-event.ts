import type { APIGatewayProxyEvent } from "aws-lambda";
import { type EventOptions, pathOf, type RestRequest, restEvent } from "../../lib/local/rest-event.ts";
import type { Match } from "../../lib/local/routes.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";

type GatewayRequest = Partial<RestRequest & Match & EventOptions> & Pick<RestRequest, "target">;

/** The event that API Gateway makes of a request. The default is a GET without headers and body. */
export function gatewayEvent({ target, ...given }: GatewayRequest): APIGatewayProxyEvent {
  const request = {
    method: given.method ?? "GET",
    target,
    rawHeaders: given.rawHeaders ?? [],
    body: given.body ?? Buffer.alloc(0),
    sourceAddress: given.sourceAddress ?? "203.0.113.7",
    port: given.port ?? 443,
  };
  const match = {
    resource: given.resource ?? pathOf(target),
    pathParameters: given.pathParameters ?? {},
    operation: given.operation,
  };
  return restEvent(request, match, {
    clock: given.clock ?? systemClock,
    random: given.random ?? systemRandom,
    stage: given.stage ?? "live",
    binaryMediaTypes: given.binaryMediaTypes ?? [],
  });
}
