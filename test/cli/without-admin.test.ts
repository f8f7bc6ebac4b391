import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeAws } from "../checks/fake-aws.ts";
import { useStore } from "../support/engine.ts";
import { github, World } from "../support/world.ts";
import { callJson, callTool } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);
const stack = ["--stack", "ReviewApi"];
let aws: Awaited<ReturnType<typeof startFakeAws>>;
const before = { ...process.env };

/** The platform reports that the only admin of 2001 left; 2002 keeps its admin; 2003 is inactive and never had one. */
beforeAll(async () => {
  const { tableName, endpoint } = store();
  aws = await startFakeAws(
    (url) => ({
      ApiUrl: "https://api.example",
      TableName: tableName,
      EventsBucketName: "events",
      EventsQueueUrl: `${url}/events.fifo`,
      DeadLetterQueueUrl: `${url}/dead.fifo`,
      AuditRetentionDays: "90",
      BedrockRegion: "us-west-2",
    }),
    {
      apigateway: (_, response) => void response.end("{}"),
      servicequotas: (_, response) =>
        void response.end(
          JSON.stringify({
            Quotas: [{ QuotaName: "Requests per minute for Amazon Titan Text Embeddings V2", Value: 2_000 }],
          }),
        ),
      bedrock: (_, response) => void response.end(JSON.stringify({ embedding: [1, 0] })),
      lambda: (_, response) =>
        void response.end(
          JSON.stringify({
            AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 },
          }),
        ),
    },
  );
  Object.assign(process.env, {
    AWS_REGION: "eu-north-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws.url,
    AWS_ENDPOINT_URL_LAMBDA: aws.url,
    AWS_ENDPOINT_URL_API_GATEWAY: aws.url,
    AWS_ENDPOINT_URL_SERVICE_QUOTAS: aws.url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: aws.url,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  });
  for (const id of ["2001", "2002"]) {
    await world.organization(id);
    await world.member(github(id), "ann", { role: "cr_admin" });
    await world.member(github(id), "bob");
  }
  await world.organization("2003", { active: false });
  await world.member(github("2001"), "ann", { role: "cr_admin", active: false });
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await aws.close();
});

const advice =
  "No admin is left in 2001 (Organization 2001). Give somebody the role: npx --no-install review-api members set-role USER --org ORG --role cr_admin --stack ReviewApi.";

test("org show says how many admins an organization has, and what to do when it has none", async () => {
  expect(await callJson("org", "show", "2001", ...stack)).toMatchObject({ admins: 0 });
  expect(await callJson("org", "show", "2002", ...stack)).toMatchObject({ admins: 1 });
  expect(await callJson("org", "show", ...stack)).toMatchObject({
    organizations: [{ admins: 0 }, { admins: 1 }, { admins: 0 }],
  });
  for (const words of [
    ["org", "show", "2001"],
    ["org", "show"],
  ])
    expect((await callTool(...words, ...stack)).stderr).toBe(advice);
  expect((await callTool("org", "show", ...stack)).stdout).toMatch(/^PROVIDER ID .* ADMINS /);
  expect((await callTool("org", "show", "2002", ...stack)).stderr).toBe("");
  // Nobody needs an admin in an inactive organization.
  expect((await callTool("org", "show", "2003", ...stack)).stderr).toBe("");
});

test("preflight of a stack names the organizations without an admin, and still allows the deployment", async () => {
  const { code, stderr } = await callTool("preflight", ...stack);
  expect([code, stderr]).toEqual([0, advice]);
  expect(await callJson("preflight", ...stack)).toMatchObject({
    ok: true,
    organizations_without_admin: [{ provider: "github", provider_organization_id: "2001" }],
  });
  expect(await callJson("preflight")).not.toHaveProperty("organizations_without_admin");
});
