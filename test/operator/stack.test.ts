import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { createSqsCall, sqsDeadLetters } from "../../lib/events/sqs.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { apiUrlOf, connectToStack } from "../../lib/operator/stack.ts";
import { waitForEmptyQueue } from "../../lib/operator/stack-queue.ts";
import { saveOrganization } from "../../lib/organizations/save-organization.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { callerArn, startFakeAws } from "../checks/fake-aws.ts";
import { callJson, callTool, event, ndjson, soloOrganization, useDev } from "../cli/support.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { scanAll } from "../support/scan-all.ts";

const store = useStore();
const tools = useDev();
const local = { AWS_REGION: "eu-north-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
const changed = z.object({ id: z.string() });
const failedList = z.object({ failed: z.array(z.unknown()) });
const stack = ["--stack", "ReviewApi"];
/** Region and path of every call of Bedrock. */
const embedded: (readonly [string, string])[] = [];
let aws: Awaited<ReturnType<typeof startFakeAws>>;
const before = { ...process.env };

beforeAll(async () => {
  const { tableName, endpoint, table } = store();
  aws = await startFakeAws(
    (url) => ({
      ApiUrl: "https://api.example",
      TableName: tableName,
      EventsQueueUrl: `${url}/events.fifo`,
      DeadLetterQueueUrl: `${url}/dead.fifo`,
      EventsBucketName: "events",
      AuditRetentionDays: "90",
      BedrockRegion: "us-west-2",
    }),
    {
      bedrock({ region, target }, response) {
        embedded.push([region, target]);
        response.end(JSON.stringify({ embedding: Array.from({ length: 256 }, () => 1) }));
      },
    },
  );
  Object.assign(process.env, local, {
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws.url,
    AWS_ENDPOINT_URL_SQS: aws.url,
    AWS_ENDPOINT_URL_STS: aws.url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: aws.url,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  });
  const deps = { table, clock: systemClock, random: systemRandom };
  const organization = {
    ...soloOrganization("1", "deployed"),
    provider: "github",
    plan: "enterprise",
    deployment: "cloud",
    metrics: "ready",
    seat_assignment_mode: "automatic",
  } as const;
  await saveOrganization(deps, organization, "2026-01-01#1");
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await aws.close();
});

describe("on a deployed stack", () => {
  test("a change is audited with the AWS identity, with --operator if given, and also without an answer", async () => {
    const { table } = store();
    const actors = async () => {
      const items = (await scanAll(table)).filter(({ action }) => action === "organization.settings_changed");
      return new Set(items.map(({ actor }) => z.object({ name: z.string() }).parse(actor).name));
    };
    const set = (days: string, ...words: readonly string[]) =>
      callJson("org", "set", "1", "--approval-delay-days", days, ...stack, ...words);
    await set("1");
    expect(await actors()).toEqual(new Set([callerArn]));
    await set("2", "--operator", "Grace");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:9");
    onTestFinished(() => void vi.unstubAllEnvs());
    await set("3");
    expect(await actors()).toEqual(
      new Set([callerArn, "Grace", "operator, whose identity AWS did not tell"]),
    );
  });

  test("the commands find the table of a deployed stack by the stack's outputs", async () => {
    expect(await callJson("org", "show", "1", ...stack)).toMatchObject({ name: "deployed" });
    expect(await callJson("org", "set", "1", "--approval-delay-days", "4", ...stack)).toMatchObject({
      approval_delay_days: 4,
    });
    const created = await callTool("keys", "create", "--kind", "legacy", "--org", "1", ...stack);
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^cr-[0-9a-f]{40}$/)]);
  });

  test("an operator's change stays in the audit log as long as the stack's setting says, not this shell's", async () => {
    vi.stubEnv("AUDIT_RETENTION_DAYS", "7");
    const { id } = changed.parse(await callJson("org", "set", "1", "--approval-delay-days", "5", ...stack));
    vi.unstubAllEnvs();
    const nowMs = systemClock.nowMs();
    const pk = kinds.audit.partition({ tenant: `o#${id}`, month: toTimestamp(nowMs).slice(0, 7) });
    const { items } = await store().table.queryPage({ pk });
    const keptDays = (Number(items.at(-1)?.ttl) - nowMs / 1000) / 86_400;
    expect(Math.round(keptDays)).toBe(90);
  });

  test("events go to the stack's queue in their order and group; the command does not wait for its workers", async () => {
    const file = join(await tools.folder(), "events.ndjson");
    const events = [1, 2, 3].map((id) =>
      event(id, "organization.saved", soloOrganization("7", `state ${id}`)),
    );
    await writeFile(file, ndjson(events));
    expect(await callJson("events", "send", file, ...stack)).toEqual({ sent: 3 });
    const sent = aws.messagesOf(`${aws.url}/events.fifo`);
    expect(sent.map(({ MessageDeduplicationId }) => MessageDeduplicationId)).toEqual(
      events.map(({ id }) => id),
    );
    expect(new Set(sent.map(({ MessageGroupId }) => MessageGroupId)).size).toBe(1);
  });

  test("a hint repeats the connection of its command: it can be typed as it is", async () => {
    const place = "--stack ReviewApi --region eu-north-1";
    const file = join(await tools.folder(), "one.ndjson");
    await writeFile(file, ndjson([event(9, "organization.saved", soloOrganization("7", "state 9"))]));
    expect((await callTool("events", "send", file, ...place.split(" "))).stderr).toBe(
      `Sent 1 event. To see what failed or waits, later: npx --no-install review-api events failed ${place}, ` +
        `npx --no-install review-api events waiting ${place}`,
    );
    expect((await callTool("org", "show", ...place.split(" "))).stderr).toContain(
      `members set-role USER --org ORG --role cr_admin ${place}.`,
    );
  });

  const [emulator, gateway] = ["http://127.0.0.1:4566/", "http://127.0.0.1:4567"];
  test.each<[string, Readonly<Record<string, string>>, string, string | undefined]>([
    ["no endpoint", {}, "", undefined],
    ["the endpoint of all services", { AWS_ENDPOINT_URL: emulator }, "", "http://127.0.0.1:4566"],
    ["API Gateway's own", { AWS_ENDPOINT_URL: emulator, AWS_ENDPOINT_URL_API_GATEWAY: gateway }, "", gateway],
    [
      "a private endpoint of AWS",
      { AWS_ENDPOINT_URL_API_GATEWAY: "https://vpce-0a1b.apigateway.eu-north-1.vpce.amazonaws.com" },
      "",
      undefined,
    ],
    ["the profile's", {}, `[profile emulator]\nendpoint_url = ${gateway}`, gateway],
    [
      "ignored endpoints",
      { AWS_ENDPOINT_URL: emulator, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" },
      "",
      undefined,
    ],
  ])("with %s the API is called where it can be reached", async (_, variables, profile, endpoint) => {
    const file = join(await tools.folder(), "config");
    await writeFile(file, profile);
    const all = { AWS_CONFIG_FILE: file, ...(profile && { AWS_PROFILE: "emulator" }), ...variables };
    for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = "https://a1b2.execute-api.eu-north-1.amazonaws.com/live";
    const reached = endpoint === undefined ? url : `${endpoint}/restapis/a1b2/live/_user_request_`;
    expect(await apiUrlOf(() => url)).toBe(reached);
    const own = "https://reviews.example.com/api";
    expect(await apiUrlOf(() => own)).toBe(own);
  });

  test("showing failed events keeps them; sending them again, in order and under new ids, removes them all", async () => {
    const deadLetters = `${aws.url}/dead.fifo`;
    const letters = Array.from({ length: 13 }, (_, index) => ({
      id: `letter-${index}`,
      group: "g",
      body: JSON.stringify(event(100 + index, "planet.saved", {})),
      reason: "type: planet.saved is not known",
    }));
    await sqsDeadLetters(createSqsCall(), deadLetters).send(letters);

    const { failed } = failedList.parse(await callJson("events", "failed", ...stack));
    expect(failed).toHaveLength(10);
    expect(failed[0]).toMatchObject({ type: "planet.saved", reason: "type: planet.saved is not known" });
    expect(aws.messagesOf(deadLetters).map(({ hidden }) => hidden)).toEqual(letters.map(() => false));

    const hidden = event(112, "planet.saved", {}).id;
    expect(await callTool("events", "redrive", hidden, ...stack)).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no failed event ${hidden} among the first 10 of its group, and the queue does not show the others. To send all failed events again, leave out the id.`,
    });
    expect((await callTool("events", "redrive", "--help")).stdout).toContain(
      "on a stack it must be among the first ten of its group",
    );

    expect(await callJson("events", "redrive", "--no-wait", ...stack)).toEqual({ sent: 13 });
    expect(aws.messagesOf(deadLetters)).toEqual([]);
    const again = aws.messagesOf(`${aws.url}/events.fifo`).slice(-13);
    expect(again.map(({ MessageBody }) => MessageBody)).toEqual(letters.map(({ body }) => body));
    expect(again.every(({ MessageDeduplicationId }) => !MessageDeduplicationId.startsWith("letter"))).toBe(
      true,
    );
  });

  test("`events drop` deletes a failed event of the stack's queue, and only that one", async () => {
    const deadLetters = `${aws.url}/dead.fifo`;
    await sqsDeadLetters(createSqsCall(), deadLetters).send([201, 202].map((id) => letterOf(id, `g${id}`)));
    const { id } = event(201, "planet.saved", {});
    expect(await callJson("events", "drop", id, ...stack)).toMatchObject({
      dropped: [{ id, type: "planet.saved", state: "failed", audited: false }],
    });
    expect(aws.messagesOf(deadLetters).map(({ MessageDeduplicationId }) => MessageDeduplicationId)).toEqual([
      "letter-202",
    ]);
    await callJson("events", "drop", event(202, "planet.saved", {}).id, ...stack);
  });

  const letterOf = (number: number, group: string) => ({
    id: `letter-${number}`,
    group,
    body: JSON.stringify(event(number, "planet.saved", {})),
    reason: "type: planet.saved is not known",
  });

  /** Puts letters into the queue of failed events; the tool then waits no real time. */
  async function failedLetters(letters: readonly ReturnType<typeof letterOf>[]) {
    const sleep = vi.spyOn(systemClock, "sleep").mockResolvedValue();
    onTestFinished(() => sleep.mockRestore());
    const [events, deadLetters] = [`${aws.url}/events.fifo`, `${aws.url}/dead.fifo`];
    await sqsDeadLetters(createSqsCall(), deadLetters).send(letters);
    return { events, deadLetters };
  }

  test("`events redrive` waits for the workers and reports which events failed again, and why", async () => {
    const { events, deadLetters } = await failedLetters(
      [1, 2, 3].map((number) => letterOf(200 + number, `g${number}`)),
    );
    aws.workWith(
      ({ MessageGroupId }) => (MessageGroupId === "g2" ? { reason: "name: is missing" } : undefined),
      events,
      deadLetters,
    );
    const { id } = event(202, "planet.saved", {});
    expect(await callTool("events", "redrive", "--json", ...stack)).toEqual({
      code: 1,
      stdout: JSON.stringify({
        sent: 3,
        failed_again: [{ id, type: "planet.saved", reason: "name: is missing" }],
      }),
      stderr: `1 event failed again:\n  ${id}: name: is missing`,
    });
    aws.workWith(() => undefined, events, deadLetters);
    expect(await callTool("events", "redrive", ...stack)).toEqual({
      code: 0,
      stdout: "",
      stderr: "Sent 1 event again.",
    });
    expect(await callTool("events", "redrive", ...stack)).toMatchObject({ code: 0 });
  });

  test("`events redrive ID` does not report success if the event may be hidden behind others of its group", async () => {
    const { events, deadLetters } = await failedLetters(
      Array.from({ length: 12 }, (_, index) => letterOf(300 + index, "one-group")),
    );
    aws.workWith(() => ({ reason: "type: planet.saved is not known" }), events, deadLetters);
    const { id } = event(300, "planet.saved", {});
    expect(await callTool("events", "redrive", id, "--json", ...stack)).toEqual({
      code: 1,
      stdout: JSON.stringify({ sent: 1, failed_again: [], more_may_have_failed: true }),
      stderr: expect.stringContaining("shows only the first 10 failed events of a group"),
    });
    aws.workWith(() => undefined, events, deadLetters);
    expect(await callTool("events", "redrive", ...stack)).toMatchObject({ code: 0 });
  });
});

describe("waiting for a stack's queue", () => {
  const quiet = async (...counts: readonly number[]) => {
    const left = [...counts];
    const clock = new TestClock();
    const startedMs = clock.nowMs();
    const isQuiet = await waitForEmptyQueue(async () => left.shift() ?? counts.at(-1) ?? 0, clock);
    return { isQuiet, seconds: (clock.nowMs() - startedMs) / 1000 };
  };

  test("the tool does not trust one count of an empty queue: the counts of SQS come late", async () => {
    expect(await quiet(0, 0, 3, 0)).toEqual({ isQuiet: true, seconds: 22 });
  });

  test("the tool waits at most five minutes for a queue that others keep busy", async () => {
    expect(await quiet(1)).toEqual({ isQuiet: false, seconds: 300 });
  });
});

test("the stack decides which embedder made the index; until it has recorded one, nothing is mixed", async () => {
  expect(await callTool("index", "reconcile", ...stack)).toEqual({
    code: 1,
    stdout: "",
    stderr: "The stack has not checked its review index yet. It does so every minute: try again in a minute.",
  });
  await store().table.write({
    put: {
      ...kinds.reconciler.key(),
      embedder: localEmbedder.id,
      organization: null,
      learning: "",
      ended_at_ms: 0,
    },
  });
  expect(await callJson("index", "reconcile", ...stack)).toMatchObject({ looked_at: 0, failed: 0 });
});

test("the tool embeds in the stack's bedrockRegion, regardless of this shell's settings", async () => {
  const model = "amazon.titan-embed-text-v2:0";
  await store().table.write({
    put: {
      ...kinds.reconciler.key(),
      embedder: `bedrock:${model}`,
      organization: null,
      learning: "",
      ended_at_ms: 0,
    },
  });
  vi.stubEnv("BEDROCK_REGION", "eu-west-3");
  const connection = await connectToStack("ReviewApi", undefined);
  try {
    await (await connection.embedder()).embed("early return");
  } finally {
    vi.unstubAllEnvs();
    await connection.close();
  }
  expect(embedded).toEqual([["us-west-2", `/model/${encodeURIComponent(model)}/invoke`]]);
});

describe("a missing or unsuitable stack is reported in one sentence", () => {
  test("a stack that is older than the tool is reported in one sentence", async () => {
    // Only `verify` needs the search function.
    expect(await callTool("verify", ...stack)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "Stack ReviewApi has no output SearchForReviewFunctionName. Is it this service's stack? If it is older than this " +
        "tool, deploy it again.",
    });
  });

  test("an unknown stack is reported in one sentence", async () => {
    expect(await callTool("keys", "list", "--stack", "Nowhere")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Stack Nowhere cannot be reached: there is no such stack in this account and region.",
    });
  });
});
