/** A handler in its own process, which answers the messages of `contest.ts`. Its log is discarded. */
import { hash } from "node:crypto";
import diagnostics from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { ClientRequest } from "node:http";
import * as z from "zod";
import { installLambdaRuntime } from "../../../../lib/local/lambda.ts";
import { argumentOf } from "./child.ts";
import { dataOf, invoke, invokeForResult, loadHandler } from "./invoke.ts";
import { type ContestantReply, contestantArgument, contestantRequest } from "./messages.ts";
import { itemsSchema, stubHttp } from "./stubbed-http.ts";

const { bundle, event, streaming, requestsPerWindow, itemsFile } = argumentOf(contestantArgument);
const startedRequest = z.object({ request: z.instanceof(ClientRequest) });
const windowMs = 61_000;

// The host's clock moves on by a window before a bucket is full: no request is refused, and every request counts.
const systemNow = Date.now;
let movedMs = 0;
let made = 0;
Date.now = () => systemNow() + movedMs;

installLambdaRuntime();
if (itemsFile !== null) stubHttp(itemsSchema.parse(JSON.parse(readFileSync(itemsFile, "utf8"))));
const handler = await loadHandler(bundle);
process.on("message", (message) => {
  reply(message).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.once("disconnect", () => process.exit(0));
process.send?.({});

async function reply(message: unknown): Promise<ContestantReply> {
  const asked = contestantRequest.parse(message);
  if ("answerTo" in asked) return { answer: await invokeForResult(handler, asked.answerTo) };
  if ("digestOfData" in asked) return { digest: hash("sha256", await dataOf(handler, event)) };
  if ("callsOfOne" in asked) return { calls: await callsOfOne() };
  const before = process.cpuUsage();
  for (let count = 0; count < asked.requests; count++) await request();
  const { user, system } = process.cpuUsage(before);
  return { cpuMicrosecondsEach: (user + system) / asked.requests };
}

async function request(): Promise<void> {
  if (made++ % requestsPerWindow === 0) movedMs += windowMs;
  const body = await invoke(handler, event, streaming);
  if (body.startsWith('{"error') || body === "") throw new Error(`${bundle}: ${body}`);
}

async function callsOfOne(): Promise<string[]> {
  await request();
  const calls: string[] = [];
  const note = (message: unknown) => {
    const target = startedRequest.parse(message).request.getHeader("x-amz-target");
    calls.push(String(target).split(".").at(-1) ?? "");
  };
  diagnostics.subscribe("http.client.request.start", note);
  await request();
  diagnostics.unsubscribe("http.client.request.start", note);
  return calls.toSorted();
}
