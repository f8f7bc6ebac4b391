import { systemClock } from "../../lib/runtime/clock.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { createSession, type WorkerSession } from "./session.ts";

/** All slow work happens here, so that the page never freezes. The key is kept here too. */
let session: WorkerSession | undefined;

const send = (message: FromWorker) => globalThis.postMessage(message);

globalThis.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.type !== "begin") return void session?.(data);
  const { baseUrl, key, view } = data;
  const fetch = globalThis.fetch.bind(globalThis);
  session = createSession({ baseUrl, key, fetch, clock: systemClock, send }, view);
});
