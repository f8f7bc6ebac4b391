import * as kinds from "../contract/items.ts";
import { newsLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { SubjectType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Put } from "./table.ts";
import { ttlAfter } from "./ttl.ts";

/** A note for the webhooks of a tenant: something happened that no list shows in the order of time. */
export const newsPut = (
  {
    tenant,
    organization,
    nowMs,
  }: {
    readonly tenant: TenantKey;
    /** Its UUID. */
    readonly organization: string;
    readonly nowMs: number;
  },
  type: SubjectType,
  id: string,
): Put => ({
  put: {
    ...kinds.news.key({ tenant, time: toTimestamp(nowMs), organization, id }),
    type,
    organization,
    id,
    ttl: ttlAfter(nowMs, newsLimits.days),
  },
  momentMs: nowMs,
});
