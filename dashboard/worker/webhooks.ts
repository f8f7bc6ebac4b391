import type { AnswerOf } from "../../lib/client/client.ts";
import type { Webhook, WebhookDelivery, WebhookTest } from "../protocol.ts";
import type { FetchDeps, Narrowing } from "./read.ts";

/** Of the filters, the operations on webhooks take only one organization of a workspace. */
export const webhookScope = ({ org_id }: Narrowing["filter"]): { readonly org_id?: string } =>
  org_id === undefined ? {} : { org_id };

export async function fetchWebhooks({ client, signal, narrowing }: FetchDeps): Promise<Webhook[]> {
  const { body } = await client.listWebhooks({ query: webhookScope(narrowing.filter) }, { signal });
  return body.data;
}

export function wordsOfTest({ status, ms, answer }: AnswerOf<"testWebhook">): WebhookTest {
  if (status === null) return { sentence: `No answer: ${answer}.`, isDelivered: false };
  const isDelivered = status >= 200 && status < 300;
  return { sentence: `${status} after ${ms.toLocaleString("en-US")} ms`, isDelivered };
}

export function wordsOfDelivery(
  delivery: AnswerOf<"listWebhookDeliveries">["data"][number],
): WebhookDelivery {
  const { type, attempts, state } = delivery;
  const last = attempts.at(-1);
  const met = last ? wordsOfTest(last).sentence : "";
  const sentence = state === "waiting" ? `${met} The service tries again.` : met;
  return { at: last?.at ?? "", type, attempts: attempts.length, sentence };
}
