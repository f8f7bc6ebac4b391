import { systemClock } from "../../lib/runtime/clock.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { createSession, type WorkerSession } from "./session.ts";

/** All slow work happens here, so that the page never freezes. The key is kept here too. */
let session: WorkerSession | undefined;

const send = (message: FromWorker) => globalThis.postMessage(message);

globalThis.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case "begin": {
      const { baseUrl, key, view } = data;
      session = createSession(
        { baseUrl, key, fetch: globalThis.fetch.bind(globalThis), clock: systemClock, send },
        view,
      );
      return;
    }
    case "show":
      return session?.show(data.view);
    case "reload":
      return session?.reload(data.view);
    case "retry":
      return session?.retry(data.name);
    case "search":
      return void session?.search(data.query);
    case "decide":
      return void session?.decide(data.learning, data.decision);
    case "test-webhook":
      return void session?.testWebhook(data.id);
    case "list-deliveries":
      return void session?.listDeliveries(data.id);
  }
});
