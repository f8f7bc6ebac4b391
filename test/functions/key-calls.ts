import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Api } from "../support/api.ts";
import { unlimitedCalls } from "../support/scan-all.ts";
import type { everyKindOfKey } from "../support/world.ts";

export const keyPage = z.object({
  keys: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
  next_cursor: z.string().nullable(),
});
export const issued = z.looseObject({ key: z.string(), id: z.string(), kind: z.string() });

export type Setup = Awaited<ReturnType<typeof everyKindOfKey>>;
export const idOf = ({ keys }: Setup, kind: keyof Setup["keys"]) => keys[kind].key.id;

/** Calls of the key operations that no rate limit refuses. */
export function keyCallsOf(api: Api) {
  const call = unlimitedCalls(api);
  const rotate = (id: string, key: string, body: object = {}) =>
    call(`/v1/keys/${id}/rotate`, { key, body: { idempotency_key: randomUUID(), ...body } });
  const end = (id: string, key: string) => call(`/v1/keys/${id}`, { key, method: "DELETE" });
  const works = async (key: string) => (await call("/v1/whoami", { key })).status === 200;
  const idsSeenBy = async (key: string, query = "") => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? "" : `${query === "" ? "?" : "&"}cursor=${cursor}`;
      const page: z.output<typeof keyPage> = keyPage.parse(
        (await call(`/v1/keys${query}${next}`, { key })).json,
      );
      seen.push(...page.keys.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return seen.toSorted();
  };

  return { call, rotate, end, works, idsSeenBy };
}
