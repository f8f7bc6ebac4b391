import { expect, test } from "vitest";
import { describeApiError } from "../../cli/describe-api-error.ts";
import { callExpecting } from "../../lib/checks/service/call.ts";
import { closedAddressCheck } from "../../lib/checks/service/checks.ts";
import { createClient } from "../../lib/client/client.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { listening } from "../support/listening.ts";

test("neither verify nor another command follows a redirect with a key, and the message names the cause", async () => {
  const keys: unknown[] = [];
  const other = await listening((request, response) => {
    keys.push(request.headers["x-service-api-key"]);
    response.end("{}");
  });
  const chosen = await listening((request, response) =>
    response.writeHead(307, { location: `${other.url}${request.url}` }).end(),
  );
  await expect(callExpecting("200", chosen.url, whoami, { key: "fake-key" })).rejects.toThrow(
    "got no answer (unexpected redirect)",
  );
  const client = createClient({ baseUrl: chosen.url, key: "fake-key", attemptsMax: 1 });
  const error: unknown = await client.whoami().catch((thrown: unknown) => thrown);
  expect(describeApiError(error, chosen.url)).toMatch(
    `${chosen.url} sends callers to another address. The key goes only to an address that you name`,
  );
  expect(keys).toEqual([]);
  other.close();
  chosen.close();
});

test("verify fails if API Gateway's own address answers although the stack has closed it", async () => {
  let status = 403;
  const gateway = await listening((_, response) => response.writeHead(status).end());
  const check = closedAddressCheck(gateway.url);
  await check.run();
  status = 401;
  await expect(check.run()).rejects.toThrow(`${gateway.url} answered 401 instead of 403`);
  gateway.close();
});
