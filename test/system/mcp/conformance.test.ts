import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { required } from "../../../lib/runtime/required.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const program = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** The program sends no key: this proxy adds one and changes nothing else. */
const proxy = createServer((incoming, response) => {
  const target = new URL(service().url);
  const { port } = proxyAddress();
  const { origin, ...headers } = incoming.headers;
  const forwarded = send(
    { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) forwarded.setHeader(name, value);
  // A page of the proxy's own origin is one of the service's own.
  if (origin !== undefined) forwarded.setHeader("origin", origin.replace(`:${port}`, `:${target.port}`));
  forwarded.setHeader("x-service-api-key", required(service().keys.organization, "demo key"));
  incoming.pipe(forwarded);
});

function proxyAddress(): { port: number } {
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("The proxy does not listen.");
  return address;
}

beforeAll(async () => {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
});
afterAll(() => proxy.close());

/** All others want tools, prompts or resources that only a test server has, or features that this one lacks. */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];

test.each(scenarios)("the scenario %s of the protocol's conformance tests passes", async (scenario) => {
  const url = `http://127.0.0.1:${proxyAddress().port}/mcp`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, "server", "--url", url, "--scenario", scenario],
    { env: { PATH: process.env.PATH, NO_COLOR: "1" } },
  );
  expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
