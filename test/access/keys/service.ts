import { createHash } from "node:crypto";
import { beforeAll, vi } from "vitest";
import * as z from "zod";
import * as kinds from "../../../lib/contract/items.ts";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { dependencies } from "../../../lib/http/dependencies.ts";
import { useApi } from "../../support/api.ts";
import { World } from "../../support/world.ts";
import type { Answer, Cast, KeyService } from "./histories.ts";
import { tableInTurn } from "./interleave.ts";

const issued = z
  .looseObject({ key: z.string(), id: z.string(), expires_at: z.string().nullable() })
  .transform(({ id, key, expires_at }) => ({
    id,
    value: key,
    expiresMs: expires_at === null ? undefined : Date.parse(expires_at),
  }));
const described = z.looseObject({
  key: z.looseObject({ id: z.string(), value_until: z.string().nullable() }),
});

/** The same name is always the same UUID. */
export function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The deployed functions on an engine. Each of their calls of the store waits for its turn; tests move the date. */
export function useKeyService() {
  const api = useApi();
  const world = new World(() => api.store().table);
  let organization = "";
  beforeAll(async () => {
    organization = await world.organization("histories");
    const members = { provider: "github", instance_id: null, provider_organization_id: "histories" };
    await world.member(members, "u-admin", { role: "cr_admin" });
    const { table } = dependencies();
    const { metered } = table;
    const spy = vi.spyOn(table, "metered").mockImplementation((meter) => tableInTurn(metered(meter)));
    vi.useFakeTimers({ toFake: ["Date"] });
    return () => {
      spy.mockRestore();
      vi.useRealTimers();
    };
  });

  const toAnswer = ({ status, json }: Awaited<ReturnType<typeof api.call>>): Answer => ({
    status,
    ...issued.safeParse(json).data,
  });
  const service: KeyService = {
    make: async (key, once) =>
      toAnswer(await api.call("/v1/keys", { key, body: { name: "n", idempotency_key: uuidOf(once) } })),
    rotate: async (key, id, once, grace_seconds) => {
      const body = { idempotency_key: uuidOf(once), grace_seconds };
      return toAnswer(await api.call(`/v1/keys/${id}/rotate`, { key, body }));
    },
    end: async (key, id) => toAnswer(await api.call(`/v1/keys/${id}`, { key, method: "DELETE" })),
    use: async (key) => {
      const { status, json } = await api.call("/v1/whoami", { key });
      if (status !== 200) return undefined;
      const { id, value_until } = described.parse(json).key;
      return { id, untilMs: value_until === null ? null : Date.parse(value_until) };
    },
    nowMs: () => Date.now(),
    advance: (ms) => void vi.setSystemTime(Date.now() + ms),
  };

  async function cast(madeMax: number = keyLimits.madeKeysMax): Promise<Cast> {
    const adminKey = { kind: "organization", organization, owner: "u-admin", role: "cr_admin" } as const;
    const [maker, admin] = [await world.key(adminKey), await world.key(adminKey)];
    const made = issued.parse((await api.call("/v1/keys", { key: maker.text, body: { name: "made" } })).json);
    const others = keyLimits.madeKeysMax - madeMax;
    if (others > 0) await addMade(maker.key.id, made.id, others);
    return {
      maker: { id: maker.key.id, value: maker.text },
      admin: { id: admin.key.id, value: admin.text },
      made,
      madeMax,
    };
  }

  /** Copies of a made key, which nobody has the value of. */
  async function addMade(maker: string, made: string, count: number): Promise<void> {
    const { table } = world.deps;
    const item = await table.get(kinds.apiKey.key({ keyId: made }));
    const ids = Array.from({ length: count }, (_, index) => `${made}${index}`);
    await table.writeMany(ids.map((id) => ({ put: { ...item, ...kinds.apiKey.key({ keyId: id }), id } })));
    const list = [made, ...ids].map((id) => ({ id, expires_at_ms: Number(item?.expires_at_ms) }));
    await table.write({
      update: kinds.madeKeys.key({ keyId: maker }),
      change: { set: [["made", list]] },
    });
  }
  return { service, cast, api, world };
}
