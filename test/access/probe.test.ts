import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { parseKeyText } from "../../lib/access/key-text.ts";
import { ProbeFailed, probePublicApi } from "../../lib/access/probe.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { useService } from "../support/service.ts";

const service = useService();

/** An address that answers every call in the same way. */
async function answering(status: number, body: string): Promise<{ url: string; keys: string[] }> {
  const keys: string[] = [];
  const server = createServer(({ headers }, response) => {
    keys.push(String(headers["x-service-api-key"]));
    response.writeHead(status, { "x-request-id": "r1" }).end(body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`, keys };
}

test("the check of the public address passes on a service that works", async () => {
  await expect(probePublicApi(service().url, systemRandom)).resolves.toBeUndefined();
});

test("the check sends a well-formed key, a new one each time", async () => {
  const { url, keys } = await answering(401, '{"error":{"code":"UNAUTHORIZED"}}');
  for (const _ of [1, 2]) await probePublicApi(url, systemRandom);
  expect(keys.map((key) => parseKeyText(key)?.hints.kind)).toEqual(["organization", "organization"]);
  expect(new Set(keys).size).toBe(2);
});

test.each([
  [503, '{"error":{"code":"SERVICE_UNAVAILABLE"}}'],
  [200, "{}"],
  [401, '{"message":"Unauthorized"}'],
])("the check fails on a %i that is not the API's refusal, and says which request", async (status, body) => {
  const { url } = await answering(status, body);
  await expect(probePublicApi(url, systemRandom)).rejects.toThrow(
    new ProbeFailed(`GET /v1/whoami answered ${status} instead of 401 (request r1).`),
  );
});
