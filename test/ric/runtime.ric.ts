import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { requestLimits } from "../../lib/contract/limits.ts";
import { commentsOfBytes, frameBytes } from "../metrics/exact-size.ts";
import { finalized } from "../support/event-data.ts";
import { everyKindOfKey } from "../support/world.ts";
import { useDeployment } from "../system/e2e/deployment.ts";
import { QueuedWorld } from "../system/e2e/platform.ts";
import { RicFunction } from "./ric-function.ts";

const deployment = useDeployment();
const world = new QueuedWorld(deployment);
const { responseBytesMax } = requestLimits;

let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "ric");
  for (const id of ["1", "9001"]) await world.repository(fixture.cloud, id);
});

const get = (target: string) => deployment().call(target, { key: fixture.keys.organization.text });

test("an answer of exactly 16 MiB is streamed completely, one more byte is a 413", async () => {
  const window = "start_date=2026-01-01&end_date=2026-12-31";
  const organization = fixture.cloud.provider_organization_id;
  const bytesOf = (bytes: number) => {
    const comments = commentsOfBytes(organization, 1, bytes - frameBytes);
    return finalized(fixture.cloud, 1, { comments });
  };
  await world.sendEvent("pull_request.finalized", bytesOf(responseBytesMax));
  const whole = await get(`/v1/metrics/review-comments?${window}`);
  expect([whole.status, whole.body.length]).toEqual([200, responseBytesMax]);
  await world.sendEvent("pull_request.finalized", bytesOf(responseBytesMax + 1));
  expect((await get(`/v1/metrics/review-comments?${window}`)).status).toBe(413);
});

/** A function of one file. */
async function functionOf(source: string): Promise<RicFunction> {
  const directory = await mkdtemp(join(tmpdir(), "ric-"));
  await writeFile(join(directory, "index.mjs"), source);
  const made = new RicFunction({
    id: "Own",
    threadFile: "",
    directory,
    handler: "index.handler",
    environment: {},
    // Far above what a call takes that does not hang.
    timeoutSeconds: 5,
    memoryMegabytes: 128,
    concurrencyMax: 1,
  });
  onTestFinished(async () => {
    await made.stop();
    await rm(directory, { recursive: true });
  });
  return made;
}

describe("a function that fails as a whole", () => {
  test("a function that crashes in its initialisation fails the invocation and reports it", async () => {
    const broken = await functionOf('throw new Error("no table");');
    await expect(broken.invoke({})).rejects.toThrow(/Initialisation failed: .*no table/);
  });

  test("a function that exceeds its deadline is ended, and the next invocation gets a new process", async () => {
    const late = await functionOf(
      "let calls = 0; export const handler = async (event) => { calls++; if (event.hang) await new Promise((r) => setTimeout(r, 60_000)); return calls; };",
    );
    expect(await late.invoke({})).toBe(1);
    expect(await late.invoke({})).toBe(2);
    await expect(late.invoke({ hang: true })).rejects.toThrow("Task timed out");
    expect(await late.invoke({})).toBe(1);
  });
});

test("a function that was frozen while its connections were dropped answers its first request", async () => {
  // A batch makes many concurrent calls, so the pool holds many connections that are all dead after the thaw.
  const send = (round: number) =>
    deployment().call("/v1/learnings", {
      key: fixture.keys.organization.text,
      body: {
        data: Array.from({ length: 100 }, (_, index) => ({
          repository_id: "1",
          learning: `Round ${round}: prefer rule ${index}.`,
        })),
      },
    });
  expect((await send(0)).json).toMatchObject({ status: "success" });
  const frozen = deployment().functions.get("CreateLearningsFunction");
  if (!(frozen instanceof RicFunction)) throw new Error("This test is about AWS's runtime client.");
  for (const round of [1, 2, 3]) {
    for (const id of frozen.processIds) process.kill(id, "SIGSTOP");
    deployment().iamProxy.forget();
    for (const id of frozen.processIds) process.kill(id, "SIGCONT");
    const { status, json } = await send(round);
    expect([status, json]).toMatchObject([200, { status: "success", created_count: 100 }]);
  }
});
