import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { partOf, properties } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import type { AwsCall, Interference } from "./iam-proxy.ts";
import { logLines, logsOf } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";
import { captured } from "./samples.ts";

/**
 * No text that a customer typed and no key gets into a log, a metric or an error answer: not even if AWS quotes the
 * request in its errors, or answers with items, or with invalid data.
 */
const deployment = useDeployment({
  // Failing work is retried until the timeout: a shorter timeout, so that no test waits for half a minute.
  alter(template) {
    for (const id of ["createRole", "assignSeats", "createLearnings", "updateLearning", "ingest"])
      Object.assign(properties(template, partOf(id, "Function")), { Timeout: 8 });
  },
});
const world = new QueuedWorld(deployment);

const planted = "planted-3f9c1e";
const learning = `Never commit the ${planted} token.`;
type Fixture = Awaited<ReturnType<typeof everyKindOfKey>>;
const fixtures: Fixture[] = [];
let fixture: Fixture;
let learningId = "";

/** A new organization every few parts: each has only ten writes a minute. */
async function settle(name: string): Promise<void> {
  const unqueued = new World(() => deployment().store.table);
  fixture = await everyKindOfKey(unqueued, `secrets-${name}`);
  fixtures.push(fixture);
  await unqueued.repository(fixture.cloud, "1");
  const { json } = await call("/v1/learnings", { data: [{ repository_id: "1", learning }] });
  learningId = /"id":"([^"]+)"/.exec(JSON.stringify(json))?.[1] ?? "";
}

const key = () => fixture.keys.organization.text;
const call = (target: string, body?: object, method = body ? "POST" : "GET") =>
  deployment().call(target, { key: key(), method, ...(body && { body }) });

const quoting = (status: number, type: string) => (sent: AwsCall) => ({
  status,
  body: JSON.stringify({ __type: type, message: sent.body.toString() }),
});
const item = { text: { S: learning }, pk: { S: planted }, sk: { S: planted } };
const cancelled = () => ({
  status: 400,
  body: JSON.stringify({
    __type: "TransactionCanceledException",
    message: learning,
    CancellationReasons: [{ Code: "ValidationError", Message: learning, Item: item }],
  }),
});

/** Possible reactions of AWS to a call with data. */
const mishaps: ReadonlyArray<readonly [string, Interference]> = [
  ["refuses it and quotes it", quoting(400, "ValidationException")],
  ["fails over it and quotes it", quoting(500, "InternalServerError")],
  ["forbids it and quotes nothing", () => ({ status: 403, body: '{"__type":"AccessDeniedException"}' })],
  ["answers with items", cancelled],
  [
    "answers with half of what it was sent",
    ({ body }) => ({ status: 200, body: body.subarray(5).toString() }),
  ],
];

const isWork = ({ service, operation, body }: AwsCall): boolean =>
  service !== "dynamodb" ||
  operation.startsWith("Transact") ||
  operation === "BatchWriteItem" ||
  (operation === "BatchGetItem" && body.includes("LEARNING#"));

describe.each(mishaps.map(([name, mishap], index) => ({ name, mishap, index })))("when AWS $name", (part) => {
  const { mishap, index } = part;
  beforeAll(() => (index % 3 === 0 ? settle(`${index}`) : undefined));
  const during = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    deployment().iamProxy.interfere((sent) => (isWork(sent) ? mishap(sent) : undefined));
    try {
      return await work();
    } finally {
      deployment().iamProxy.interfere();
    }
  };

  test(`if AWS ${part.name}, requests end without quoting the planted text`, async () => {
    const answers = await during(() =>
      Promise.all([
        call("/v1/roles", { name: planted }),
        call("/v1/users/seats", { action: "assign", user_ids: ["u-member"] }),
        call("/v1/learnings", { data: [{ repository_id: "1", learning: `${learning} Again.` }] }),
        call(`/v1/learnings/${learningId}`, { learning: `${learning} Changed.` }, "PATCH"),
      ]),
    );
    for (const { status, text } of answers) {
      expect(status === 200 || status >= 500).toBe(true);
      expect(text).not.toContain(planted);
    }
  });

  test(`if AWS ${part.name}, workers and the search end, or ask for redelivery`, async () => {
    await during(async () => {
      const returned = await world.send("learning.captured", captured(fixture.cloud, { learning }));
      expect(returned).toHaveLength(1);
      const request = { ...fixture.cloud, repository_id: "1", text: planted, file_paths: [], k: 1 };
      await expect(deployment().functions.get("SearchForReviewFunction")?.invoke(request)).rejects.toThrow(
        "searchForReview failed",
      );
      for (const rule of ["ScheduleApproveDue", "ScheduleReconcileIndex", "ScheduleExpireWaiting"])
        await deployment()
          .wake(rule)
          .catch((error: unknown) => expect(String(error)).toMatch(/failed; the log line before says why/));
    });
  });
});

describe("a credential in a Learning", () => {
  const credential = `ghp_${randomBytes(27).toString("hex").slice(0, 36)}`;
  const withCredential = `Call the API with ${credential} in its header.`;
  const sent: Buffer[] = [];
  const answers: string[] = [];
  beforeAll(async () => {
    await settle("credential");
    deployment().iamProxy.interfere(({ body }) => {
      sent.push(body);
      return undefined;
    });
  });
  afterAll(() => deployment().iamProxy.interfere());

  test("a credential in a Learning leaves no function: not to the table, to the model or in an answer", async () => {
    const kept = async (target: string, body?: object, method?: string) => {
      const { status, text } = await call(target, body, method);
      expect(status).toBe(200);
      answers.push(text);
    };
    await kept("/v1/learnings", { data: [{ repository_id: "1", learning: withCredential, file: "a.ts" }] });
    await kept(`/v1/learnings/${learningId}`, { learning: `Again: ${withCredential}` }, "PATCH");
    await world.sendEvent(
      "learning.captured",
      captured(fixture.cloud, { learning: `Said: ${withCredential}` }),
    );
    await deployment().wake("ScheduleReconcileIndex");
    await kept("/v1/learnings");
    await kept("/v1/audit-logs");
    expect(sent.length).toBeGreaterThan(20);
    expect([...answers, ...sent.map(String)].filter((text) => text.includes(credential))).toEqual([]);
    expect(answers.at(-2)).toContain("[REDACTED:");
  });

  test("no function ever sends a key on, to AWS or anywhere else", () => {
    const text = sent.map(String).join("\n");
    for (const { text: secret } of Object.values(fixture.keys)) expect(text).not.toContain(secret);
  });
});

describe("invalid input and invalid items", () => {
  test("bad requests and bad events are refused without being repeated", async () => {
    await call("/v1/learnings", { data: [{ repository_id: "1", learning, author: planted }] });
    await call("/v1/learnings", { data: planted });
    await deployment().call("/v1/learnings", { key: key(), body: `{"data": ["${planted}` });
    await deployment().call(`/v1/learnings?search=${planted}&cursor=${planted}`, {
      key: `${key().slice(0, -1)}x`,
    });
    await deployment().call(`/v1/${planted}`, { key: key() });
    const events = [`{"broken": "${planted}`, JSON.stringify({ id: planted, type: "x", data: { planted } })];
    const search = {
      ...fixture.cloud,
      repository_id: planted,
      text: learning,
      k: planted,
      [planted]: planted,
    };
    const refusal = await deployment().functions.get("SearchForReviewFunction")?.invoke(search);
    expect(refusal).toMatchObject({ error: { code: "INVALID_REQUEST" } });
    expect(JSON.stringify(refusal)).not.toContain(planted);
    await deployment().deliver(events.map((body, index) => ({ id: `bad-${index}`, group: "g", body })));
  });

  test("an invalid stored item causes a 500 without its content", async () => {
    const { table } = deployment().store;
    await table.write({
      put: {
        ...kinds.learning.key({ organization: fixture.organization, learningId }),
        text: learning,
        state: planted,
      },
    });
    expect((await call(`/v1/learnings/${learningId}`, { learning: "Another." }, "PATCH")).status).toBe(500);
  });
});

test("no sink holds a key, a body or a Learning's text", async () => {
  const { gateway, iamProxy } = deployment();
  const faults = () => logLines(deployment()).filter(({ level }) => level === "error");
  await expect.poll(() => faults().length).toBeGreaterThan(20);
  // Metrics are fields of these lines, and functions send no traces of their own: there is no other output to check.
  const sinks = [...gateway.accessLog, ...logsOf(deployment())].join("\n");
  expect(sinks).not.toContain(planted);
  const deadLetters = [...iamProxy.sent.values()].flat().join("\n");
  for (const { text } of fixtures.flatMap(({ keys }) => Object.values(keys)))
    expect(`${sinks}\n${deadLetters}`).not.toContain(text);
  // Allowed facts about a fault are logged: its name, its status, where it came from.
  expect(sinks).toContain("ValidationException: status 400");
  expect(faults().filter(({ worker }) => worker !== undefined)[0]).toEqual({
    level: "error",
    message: "worker failed",
    function: expect.any(String),
    release: expect.stringMatching(/^[0-9a-f]{12}$/),
    worker: expect.any(String),
    lambda_request_id: expect.any(String),
    cold_start: true,
    duration_ms: expect.any(Number),
    cause: expect.arrayContaining([expect.any(String)]),
  });
});
