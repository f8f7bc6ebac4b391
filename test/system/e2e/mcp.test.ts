import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readingOf } from "../../mcp/serve.ts";
import { everyKindOfKey } from "../../support/world.ts";
import { useDeployment } from "./deployment.ts";
import { logLines } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";

/** The built function with the template's role and variables; `npm run test:ric` runs it on AWS's runtime client. */
const deployment = useDeployment();
const world = new QueuedWorld(deployment);

let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "mcp");
  await world.repository(fixture.cloud, "1");
});

async function connect(mode: "legacy" | "auto"): Promise<Client> {
  const { gateway } = deployment();
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = {
    authorization: `Bearer ${fixture.keys.organization.text}`,
    "x-request-id": `mcp-${mode}`,
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}${gateway.mount}/mcp`), {
      requestInit: { headers },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

test.each(["legacy", "auto"] as const)(
  "the built function lists tools, writes and reads through the API, without a grant of its own (%s)",
  async (mode) => {
    const client = await connect(mode);
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(15);
    const data = [{ repository_id: "1", learning: `Name units in names of numbers (${mode}).` }];
    const made = await client.callTool({ name: "create_learnings", arguments: { data } });
    expect(readingOf(made).content).toMatchObject({ status: "success", created_count: 1 });
    const list = await client.callTool({ name: "list_learnings", arguments: { search: mode } });
    expect(readingOf(list).content).toMatchObject({
      data: [{ learning: data[0]?.learning }],
      next_cursor: null,
    });
    const { contents } = await client.readResource({ uri: "review-api://docs/errors.md" });
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^# Error codes\n/) }]);
  },
);

test("the function makes no calls to AWS", () => {
  expect(deployment().functions.has("McpFunction")).toBe(true);
  expect(deployment().iamProxy.asked.has("McpFunction")).toBe(false);
});

test("the caller's address and request id are in the function's log, the key and the arguments are not", async () => {
  const client = await connect("legacy");
  await client.callTool({ name: "list_learnings", arguments: { search: "needle" } });
  const lines = logLines(deployment());
  expect(lines).toContainEqual(
    expect.objectContaining({
      request_id: "mcp-legacy",
      tool: "list_learnings",
      ip_address: expect.any(String),
    }),
  );
  const log = JSON.stringify(lines);
  expect(log).not.toContain("needle");
  expect(log).not.toContain(fixture.keys.organization.text);
});
