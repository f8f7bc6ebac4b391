import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rotateCursorKeys } from "../../lib/contract/workers.ts";
import { answerDeployment, deploymentTimes } from "../../lib/runtime/custom-resource.ts";
import { TestClock } from "../support/clock.ts";
import { listening } from "../support/listening.ts";

type Sent = { readonly method: string; readonly contentType: string | undefined; readonly body: unknown };
const sent: Sent[] = [];
let status = 200;
let cloudFormation: Awaited<ReturnType<typeof listening>>;
beforeAll(async () => {
  cloudFormation = await listening(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    sent.push({ method: request.method ?? "", contentType: request.headers["content-type"], body });
    response.writeHead(status).end();
  });
});
afterAll(() => cloudFormation.close());
beforeEach(() => {
  sent.length = 0;
  status = 200;
});

const ids = { StackId: "stack-1", RequestId: "request-1", LogicalResourceId: "InDeployment" };
const eventOf = (RequestType: string, more: object = {}) => ({
  ...ids,
  RequestType,
  ResponseURL: cloudFormation.url,
  ResourceProperties: {},
  ...more,
});
/** Fails as often as it is told to; says how often it ran. */
function workFailing(times: number) {
  let runs = 0;
  return {
    runs: () => runs,
    work: async () => {
      runs += 1;
      if (runs <= times) throw new TypeError(`failure ${runs}`);
    },
  };
}

test("CloudFormation hears of the end only after the work, in a request without a content type", async () => {
  let answersBefore = -1;
  await answerDeployment(eventOf("Create"), new TestClock(), async () => {
    answersBefore = sent.length;
  });
  expect(answersBefore).toBe(0);
  const body = { ...ids, PhysicalResourceId: "InDeployment", Status: "SUCCESS" };
  expect(sent).toEqual([{ method: "PUT", contentType: undefined, body }]);
});

test("an update keeps the id of the resource, so that nothing is replaced", async () => {
  await answerDeployment(
    eventOf("Update", { PhysicalResourceId: "as-before" }),
    new TestClock(),
    async () => {},
  );
  expect(sent[0]?.body).toMatchObject({ PhysicalResourceId: "as-before", Status: "SUCCESS" });
});

test("a role that is not known everywhere yet does not fail the deployment: the work is tried again", async () => {
  const { work, runs } = workFailing(5);
  await answerDeployment(eventOf("Create"), new TestClock(), work);
  expect(runs()).toBe(6);
  expect(sent.map(({ body }) => body)).toMatchObject([{ Status: "SUCCESS" }]);
});

test("work that keeps failing fails the deployment", async () => {
  const clock = new TestClock();
  const startedMs = clock.nowMs();
  const { work } = workFailing(Number.POSITIVE_INFINITY);
  await expect(answerDeployment(eventOf("Create"), clock, work)).rejects.toThrow("failure");
  expect(clock.nowMs() - startedMs).toBe(20_000);
  const Reason = "The function failed; its log says why.";
  expect(sent.map(({ body }) => body)).toMatchObject([{ Status: "FAILED", Reason }]);
});

test("work that hangs fails the deployment, and work and answer fit into the function's time", async () => {
  const hangs = () => new Promise<void>(() => undefined);
  const answered = answerDeployment(eventOf("Create"), new TestClock(), hangs, 10);
  await expect(answered).rejects.toThrow("The time for this work is up.");
  expect(sent.map(({ body }) => body)).toMatchObject([{ Status: "FAILED" }]);
  const { retryForMs, workMsMax, answerMsMax } = deploymentTimes;
  expect(retryForMs).toBeLessThan(workMsMax);
  expect(workMsMax + answerMsMax).toBeLessThan(rotateCursorKeys.timeoutSeconds * 1000);
});

test("the removal of the stack does no work and never waits for it", async () => {
  const { work, runs } = workFailing(1);
  await answerDeployment(eventOf("Delete", { PhysicalResourceId: "InDeployment" }), new TestClock(), work);
  expect(runs()).toBe(0);
  expect(sent[0]?.body).toMatchObject({ Status: "SUCCESS" });
});

test("an event of the schedule only does the work, once", async () => {
  const { work, runs } = workFailing(1);
  await expect(answerDeployment({ source: "aws.events" }, new TestClock(), work)).rejects.toThrow(
    "failure 1",
  );
  expect(runs()).toBe(1);
  expect(sent).toEqual([]);
});

test("an outcome that CloudFormation does not take is an error in the log", async () => {
  status = 403;
  await expect(answerDeployment(eventOf("Create"), new TestClock(), async () => {})).rejects.toThrow(
    "CloudFormation's address answered 403 to the outcome.",
  );
});
