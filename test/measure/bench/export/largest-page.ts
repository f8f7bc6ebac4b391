import * as kinds from "../../../../lib/contract/items.ts";
import type { TenantKey } from "../../../../lib/contract/tenants.ts";
import { pullRequestChangeOf } from "../../../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../../../lib/metrics/finalized.ts";
import type { Item } from "../../../../lib/store/table.ts";
import { emptyHead } from "../../../../lib/stream/head.ts";
import { type ChangePlan, planChange } from "../../../../lib/stream/plan.ts";
import { pointerIdOf } from "../../../../lib/stream/pointer.ts";
import { buildAppend } from "../../../../lib/stream/transaction.ts";
import { encodeWeeks } from "../../../../lib/stream/weeks.ts";
import { type EventOrganization, finalizedEvent, measuredWeek } from "../support/history.ts";

/** A thousand pull requests with this many findings are a little more than 16 MiB. */
const findingsEach = 100;
const envelopeBytes = '{"data":[],"next_cursor":null}'.length;

/** Pull requests with many findings, as many as one answer of `bytesMax` holds. */
export function largestPage(tenant: TenantKey, organization: EventOrganization, bytesMax: number): Item[] {
  const plans: ChangePlan[] = [];
  let bytes = envelopeBytes;
  for (let number = 1; ; number++) {
    const change = pullRequestChangeOf(eventOf(organization, number));
    bytes += (change.datasets["review-comments"]?.renderedBytes ?? 0) + 1;
    if (bytes > bytesMax) break;
    plans.push(planChange({ change, pointerId: pointerIdOf(change.pullRequest), tenant }));
  }
  const { writes, after } = buildAppend(tenant, emptyHead, plans, 0);
  const puts = writes.flatMap((write) => ("put" in write ? [write.put] : []));
  const head = { n: after.next, p: after.next - 1, w: encodeWeeks(after.weeks) };
  return [...puts, { ...kinds.streamHead.key({ tenant }), ...head }];
}

function eventOf(organization: EventOrganization, number: number) {
  const mergedAtMs = Date.parse(`${measuredWeek.start_date}T12:00:00.000Z`) + number;
  const { id, occurred_at, data } = finalizedEvent(organization, number, mergedAtMs);
  const comments = Array.from({ length: findingsEach }, (_, index) => ({
    ...data.comments[index % data.comments.length],
    url: `${data.pr_url}#discussion_r${2_100_000_000 + number * 7_919 + index * 13}`,
  }));
  const parsed = pullRequestFinalized.parse({ ...data, comments });
  return { id, version: `${occurred_at}#${id}`, data: parsed };
}
