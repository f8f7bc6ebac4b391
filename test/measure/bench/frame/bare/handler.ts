import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import type { Key } from "../../../../../lib/store/table.ts";
import { type BarePlan, barePlan } from "./plan.ts";

export type BareStore = {
  getMany(keys: readonly Key[]): Promise<readonly object[]>;
  query(range: BarePlan["organizations"], pageItems?: number): Promise<readonly object[]>;
  /** The limiter's write: sets the slot if it is free or its stamp is old. */
  take(bucket: Key, slot: string, stamp: string, cutoff: string, ttl: number): Promise<object | undefined>;
};

/**
 * The calls that our chain makes, with nothing around them: no authentication, no validation, no limits, no errors, no
 * headers. The handler renders the items as they were read.
 */
export function bareHandler(name: string, store: BareStore) {
  const plan = barePlan();
  const bucket = { ...plan.bucket, sk: name };
  let taken = 0;
  async function body(): Promise<string> {
    const [items, organizations] = await Promise.all([
      store.getMany(plan.keys),
      store.query(plan.organizations),
    ]);
    if (items.length === 0) throw new Error("Nothing was found.");
    const nowMs = Date.now();
    const stamp = `${nowMs.toString(36)}#${randomBytes(6).toString("base64url")}`;
    const cutoff = `${(nowMs - plan.windowMs).toString(36)}$`;
    const ttl = Math.ceil(nowMs / 1000) + 120;
    const [entries = organizations] = await Promise.all([
      plan.entries && store.query(plan.entries, plan.entries.pageItems),
      store.take(bucket, `s${taken++ % plan.slots}`, stamp, cutoff, ttl),
    ]);
    return JSON.stringify({ data: entries, next_cursor: null });
  }
  const head = { statusCode: 200, headers: { "content-type": "application/json" } };
  if (!plan.entries) return async () => ({ ...head, body: await body() });
  return awslambda.streamifyResponse(async (_: unknown, stream: Writable) => {
    const text = await body();
    awslambda.HttpResponseStream.from(stream, head).end(text);
  });
}
