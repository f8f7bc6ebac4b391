import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundleFunctions } from "../../../infra/bundle.ts";
import { awsLimits } from "../../../lib/contract/limits.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { FreezableProcess } from "./process.ts";
import { type Fate, ForgetfulServer } from "./server.ts";

/** More reads than connections that are kept open between two requests. */
const reads = awsLimits.idleConnectionsMax + 4;
/** After this time idle connections are no longer trusted. */
const frozenMs = awsLimits.trustedIdleMs + 200;

let directory = "";
let frozen: FreezableProcess;
const server = new ForgetfulServer();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "freeze-"));
  await bundleFunctions({
    sources: ["function"],
    sourceDirectory: import.meta.dirname,
    outputDirectory: directory,
  });
  await server.open();
  const trusted = join(directory, "trusted.pem");
  await writeFile(trusted, server.certificate);
  frozen = await FreezableProcess.start(join(directory, "function", "index.mjs"), {
    TABLE_NAME: "t",
    AWS_REGION: "eu-test-1",
    AWS_ACCESS_KEY_ID: "AKIDTEST",
    AWS_SECRET_ACCESS_KEY: "kept",
    AWS_ENDPOINT_URL_DYNAMODB: server.endpoint,
    NODE_EXTRA_CA_CERTS: trusted,
  });
});
afterAll(async () => {
  await frozen?.stop();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

/** A warm function with idle connections. */
beforeEach(async () => {
  expect((await frozen.read(reads)).failures).toEqual([]);
  await expect.poll(() => server.connections).toBe(awsLimits.idleConnectionsMax);
});

/** The next request arrives before the function knows the state of its connections. */
async function readAfterThaw(fate: Fate, { count = reads, aheadMs = 0 } = {}) {
  frozen.freeze();
  await systemClock.sleep(frozenMs);
  server.lose(fate);
  const answer = frozen.read(count, aheadMs);
  frozen.thaw();
  return await answer;
}

describe("the first request after a thaw", () => {
  // With a single read every retry would meet another dead connection.
  test.each([
    ["closes", reads],
    ["resets", reads],
    ["resets", 1],
  ] as const)(
    "the first request after a thaw gets no error if the server %s its connections (%d reads)",
    async (fate, count) => {
      expect((await readAfterThaw(fate, { count })).failures).toEqual([]);
    },
  );

  test("the first request after a thaw waits once, for a short time, if packets are lost", async () => {
    const { overdue, failures } = await readAfterThaw("drops");
    expect(failures).toEqual([]);
    // Once on each connection that was kept, and never again: the retries use new connections.
    expect(overdue).toBe(awsLimits.idleConnectionsMax);
  });

  test("the first request after a long freeze does not wait: old connections are not used", async () => {
    const { overdue, failures } = await readAfterThaw("drops", { aheadMs: awsLimits.idleConnectionMsMax });
    expect({ overdue, failures }).toEqual({ overdue: 0, failures: [] });
  });

  test("the first request after a thaw uses the connections that are still open", async () => {
    frozen.freeze();
    await systemClock.sleep(frozenMs);
    const answer = frozen.read(1);
    frozen.thaw();
    expect((await answer).failures).toEqual([]);
    await expect.poll(() => server.connections).toBe(awsLimits.idleConnectionsMax);
  });
});
