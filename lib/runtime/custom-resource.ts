import * as z from "zod";
import type { Clock } from "./clock.ts";
import { TimeUp } from "./time-up.ts";

const requestSchema = z.object({
  RequestType: z.enum(["Create", "Update", "Delete"]),
  ResponseURL: z.string(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
});

/** Work and answer must fit into the time of the function: CloudFormation waits minutes for an answer that never comes. */
export const deploymentTimes = {
  /** A new role is not known everywhere at once: AWS refuses the first calls of a new function for some seconds. */
  retryEveryMs: 1_000,
  retryForMs: 20_000,
  /** All tries together, also if the last one hangs. */
  workMsMax: 24_000,
  answerMsMax: 5_000,
} as const;

/**
 * Does the work of a custom resource and tells CloudFormation how it ended; CloudFormation waits for that. An event of
 * another source only does the work.
 */
export async function answerDeployment(
  event: unknown,
  clock: Clock,
  work: () => Promise<void>,
  workMsMax: number = deploymentTimes.workMsMax,
): Promise<void> {
  const request = requestSchema.safeParse(event).data;
  if (!request) return await work();
  const { RequestType, ResponseURL, PhysicalResourceId, ...ids } = request;
  // The id stays the same: a new one would make CloudFormation delete the old resource.
  const answer = { ...ids, PhysicalResourceId: PhysicalResourceId ?? ids.LogicalResourceId };
  const send = (outcome: { readonly Status: "SUCCESS" | "FAILED"; readonly Reason?: string }) =>
    put(ResponseURL, { ...answer, ...outcome });
  try {
    if (RequestType !== "Delete") await inTime(workMsMax, untilDone(clock, work));
  } catch (error) {
    await send({ Status: "FAILED", Reason: "The function failed; its log says why." });
    throw error;
  }
  await send({ Status: "SUCCESS" });
}

async function inTime(msMax: number, work: Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(msMax);
  const timeUp = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new TimeUp()), { once: true });
  });
  await Promise.race([work, timeUp]);
}

async function untilDone(clock: Clock, work: () => Promise<void>): Promise<void> {
  const untilMs = clock.nowMs() + deploymentTimes.retryForMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (clock.nowMs() >= untilMs) throw error;
      await clock.sleep(deploymentTimes.retryEveryMs);
    }
  }
}

/** The address is signed for a request without a content type. */
async function put(url: string, answer: object): Promise<void> {
  const body = Buffer.from(JSON.stringify(answer));
  const { ok, status } = await fetch(url, {
    method: "PUT",
    body,
    signal: AbortSignal.timeout(deploymentTimes.answerMsMax),
  });
  if (!ok) throw new TypeError(`CloudFormation's address answered ${status} to the outcome.`);
}
