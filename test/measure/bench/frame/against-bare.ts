import { join } from "node:path";
import * as kinds from "../../../../lib/contract/items.ts";
import type { Operation } from "../../../../lib/contract/operation.ts";
import { reviewCommentMetrics } from "../../../../lib/contract/operations/metrics.ts";
import { listOrganizations } from "../../../../lib/contract/operations/organizations.ts";
import { streamNumberKey, streamPartition } from "../../../../lib/store/layout.ts";
import { letterOf } from "../../../../lib/stream/stream.ts";
import { weekOf } from "../../../../lib/stream/weeks.ts";
import { measuredWeek, windowQuery } from "../support/history.ts";
import { type BarePlan, barePlanVariable } from "./bare/plan.ts";
import { type CpuRounds, cpuRounds, type Rounds, startContestant } from "./contest.ts";
import { eventText } from "./invoke.ts";
import { openWorld, tableName, tenant } from "./world.ts";

const pageItems = 100;

type BenchRequest = {
  readonly name: string;
  readonly ratioMax: number;
  readonly operation: Operation;
  readonly target: string;
  readonly plan: BarePlan;
};

export type AgainstBare = {
  readonly name: string;
  /** The allowed ratio of our CPU time to the bare SDK handler's. */
  readonly ratioMax: number;
  /** The same ratio over all of them. */
  readonly calls: readonly string[];
  readonly cpu: CpuRounds;
};

/** Our chain and two bare handlers that make the same calls, on one engine. */
export async function againstBare(bundles: string, rounds: Rounds): Promise<AgainstBare[]> {
  const { engine, key, stop } = await openWorld({ pullRequests: 5 * pageItems });
  try {
    const measured: AgainstBare[] = [];
    for (const request of requestsOf(key.id))
      measured.push(await measure(bundles, rounds, engine.endpoint, key.text, request));
    return measured;
  } finally {
    await stop();
  }
}

/** The data that a bare handler needs to list the workspace's organizations. */
export function organizationsPlan(keyId: string, { rateLimit }: Operation): BarePlan {
  const { pk, beginsWith } = kinds.tenantOrganization.range({ tenant });
  return {
    keys: [kinds.apiKey.key({ keyId }), kinds.tenant.key({ tenant })],
    organizations: { pk, from: beginsWith, upTo: `${beginsWith}~` },
    bucket: kinds.limit.key({ bucket: rateLimit.bucket, owner: "bare" }),
    slots: rateLimit.requestsMax,
    windowMs: rateLimit.windowSeconds * 1000,
  };
}

function requestsOf(keyId: string): BenchRequest[] {
  const organizations = organizationsPlan(keyId, listOrganizations);
  const metrics = organizationsPlan(keyId, reviewCommentMetrics);
  const week = weekOf(Date.parse(measuredWeek.start_date));
  const place = { tenant, organization: undefined, dataset: letterOf("review-comments"), week };
  // One more than the page, which shows whether another page follows.
  const range = { from: streamNumberKey(1), upTo: streamNumberKey(9_999_999_999), pageItems: pageItems + 1 };
  return [
    {
      name: "list 5 organizations",
      ratioMax: 1.25,
      operation: listOrganizations,
      target: "/v1/organizations?limit=10",
      plan: organizations,
    },
    {
      name: `read a page of ${pageItems} pull requests`,
      ratioMax: 1.35,
      operation: reviewCommentMetrics,
      target: `/v1/metrics/review-comments?${windowQuery(measuredWeek)}&limit=${pageItems}`,
      plan: {
        ...metrics,
        keys: [...metrics.keys, kinds.streamHead.key({ tenant })],
        entries: { pk: streamPartition(place), ...range },
      },
    },
  ];
}

async function measure(
  bundles: string,
  rounds: Rounds,
  endpoint: string,
  key: string,
  { name, ratioMax, operation, target, plan }: BenchRequest,
): Promise<AgainstBare> {
  const environment = {
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: endpoint,
    [barePlanVariable]: JSON.stringify(plan),
  };
  const argument = {
    event: eventText(target, ["x-service-api-key", key]),
    streaming: operation.streaming,
    requestsPerWindow: operation.rateLimit.requestsMax,
    itemsFile: null,
  };
  const start = (contestant: string, bundle: string) =>
    startContestant(contestant, { ...argument, bundle: join(bundles, bundle, "index.mjs") }, environment);
  const contestants = await Promise.all([
    start("ours", operation.source),
    start("bare, our client", "bare/store-client"),
    start("bare, AWS SDK", "bare/aws-sdk"),
  ]);
  try {
    const [calls = [], ...others] = await Promise.all(contestants.map((contestant) => contestant.calls()));
    if (others.some((other) => other.join() !== calls.join()))
      throw new Error(`The calls differ: ${JSON.stringify([calls, ...others])}`);
    return { name, ratioMax, calls, cpu: await cpuRounds(contestants, rounds) };
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.stop()));
  }
}
