import type { ResponseOf } from "../../lib/client/client.ts";
import type { WebhookDelivery, WebhookTest } from "../protocol.ts";

export function wordsOfTest({ status, ms, answer }: ResponseOf<"testWebhook">): WebhookTest {
  if (status === null) return { sentence: `No response: ${answer}.`, isDelivered: false };
  const isDelivered = status >= 200 && status < 300;
  return { sentence: `${status} after ${ms.toLocaleString("en-US")} ms`, isDelivered };
}

export function wordsOfDelivery(
  delivery: ResponseOf<"listWebhookDeliveries">["data"][number],
): WebhookDelivery {
  const { type, attempts, state } = delivery;
  const last = attempts.at(-1);
  const met = last ? wordsOfTest(last).sentence : "";
  const sentence = state === "waiting" ? `${met} The service tries again.` : met;
  return { at: last?.at ?? "", type, attempts: attempts.length, sentence };
}
