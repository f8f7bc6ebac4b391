import { pageLimits } from "../../lib/contract/limits.ts";
import type { KeyRecord } from "../protocol.ts";
import type { FetchDeps } from "./read.ts";
import { webhookScope } from "./webhooks.ts";

/** Keys that work: those that ended stay in the API's list for ever. */
export async function fetchKeys({ client, signal, narrowing }: FetchDeps): Promise<KeyRecord[]> {
  const keys: KeyRecord[] = [];
  const query = { ...webhookScope(narrowing.filter), limit: pageLimits.keys.max };
  for await (const { body } of client.pages("listKeys", { query }, { signal }))
    keys.push(...body.keys.filter(({ state }) => state === "active"));
  return keys;
}
