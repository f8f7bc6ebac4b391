import { createHash } from "node:crypto";
import { systemEntry } from "../audit/system-entry.ts";
import * as kinds from "../contract/items.ts";
import { isOf } from "../contract/kind.ts";
import { webhookLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { limitConcurrency } from "../runtime/limit-concurrency.ts";
import { required } from "../runtime/required.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import { parseWebhook, parseWebhookSecrets, type WebhookItem } from "../store/items/webhook.ts";
import { newsPuts } from "../store/news.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import {
  type AttributeValue,
  type Path,
  queryAll,
  type Table,
  type TransactionWrite,
  transactIf,
  type Update,
} from "../store/table.ts";
import { askingOnce, type Network } from "./addresses.ts";
import { attemptWrites, placeOf, type RingAttempt } from "./deliveries.ts";
import { type News, OwnerNews } from "./news.ts";
import { webhookEvent } from "./record.ts";
import { isHopeless, retryAfter, wokenRetries } from "./retries.ts";
import { keyOfWebhook } from "./scope.ts";
import { sealingKeyOf, validSecrets } from "./secrets.ts";
import { type Attempt, isDelivered, isGone, send } from "./send.ts";
import { signRing } from "./sign.ts";

export type RingDeps = Store & {
  readonly network: Network;
  /** By partition: where the run before it, which had no time for all webhooks, ended. */
  readonly places: Map<number, string>;
};

/** What one run did. */
export const emptyReport = () => ({
  delivered: 0,
  failed: 0,
  disabled: 0,
  /** Rings that the next run sends. */
  postponed: 0,
  /** Owners whose news the next runs read, and partitions that were not read to their end. */
  unread: 0,
});
export type RingReport = ReturnType<typeof emptyReport>;

/** A webhook and what it has not been told. */
type Due = {
  readonly webhook: WebhookItem;
  readonly owner: OwnerNews;
  readonly news: ReadonlyArray<readonly [type: WebhookType, news: News]>;
  /** The connections of its owner. */
  readonly share: Limiter;
};
type Limiter = ReturnType<typeof limitConcurrency>;

/**
 * One run: finds what every webhook has not been told, sends the rings, and records the results. Nothing is stored
 * before an attempt, so a crash at any point only repeats a ring, with the same id. Each webhook has one connection and
 * each owner a share of all. Of an owner's webhooks the one that was not tried for the longest time begins, so that slow
 * receivers leave the next run to the others. Every webhook is recorded when its own attempts have ended.
 */
export async function ringWebhooks(deps: RingDeps, report = emptyReport()): Promise<RingReport> {
  const startMs = deps.clock.nowMs();
  const pieces = new ErrorCollector();
  const due = await findDue(deps, { startMs, report }, pieces);
  if (due.length > 0) {
    const key = sealingKeyOf(await deps.table.get(kinds.webhookKey.key()));
    const connect = limitConcurrency(webhookLimits.connectionsMax);
    const ringInTurn = (each: Due) =>
      each.share(() => connect(() => ring(deps, each, { key, startMs, report })));
    await Promise.all(due.map((each) => pieces.run(() => ringInTurn(each))));
  }
  pieces.end();
  return report;
}

/** Webhooks with news, of all owners or of as many as there is time for. Owners of whom all of these fail come last. */
async function findDue(
  deps: RingDeps,
  { startMs, report }: Pick<Run, "startMs" | "report">,
  pieces: ErrorCollector,
): Promise<Due[]> {
  const shards = Array.from({ length: webhookLimits.shards }, (_, shard) => shard);
  // In the order of the partitions, so that the turns of two runs are of the same list.
  const found: Array<ReadonlyArray<readonly [TenantKey, WebhookItem[]]>> = [];
  const list = async (shard: number) => {
    found[shard] = [...(await webhooksOf(deps, shard, { startMs, report }))];
  };
  // A partition that cannot be read holds up no other.
  await Promise.all(shards.map((shard) => pieces.run(() => list(shard))));
  const atATime = limitConcurrency(webhookLimits.ownersAtOnce);
  const due: Array<readonly Due[]> = [];
  const findOf = async ([owner, webhooks]: readonly [TenantKey, WebhookItem[]]) => {
    if (deps.clock.nowMs() - startMs > webhookLimits.findMsMax) return void report.unread++;
    due.push(await newsOf(new OwnerNews(deps.table, startMs, owner), webhooks, startMs));
  };
  const owners = inTurns(found.flat(), startMs);
  await Promise.all(owners.map((each) => pieces.run(() => atATime(() => findOf(each)))));
  const isFailing = ({ webhook }: Due) => Object.keys(webhook.retries).length > 0;
  const failLast = (ofOwner: readonly Due[]) => Number(ofOwner.every(isFailing));
  return due.toSorted((one, other) => failLast(one) - failLast(other)).flat();
}

/**
 * From another place each minute. Multiples of the golden ratio spread evenly: if there is time for a part of the list
 * only, everybody is soon in it.
 */
function inTurns<Thing>(things: readonly Thing[], nowMs: number): Thing[] {
  const start = Math.floor(
    ((Math.floor(nowMs / webhookLimits.runEveryMs) * 0.618_033_988_75) % 1) * things.length,
  );
  return [...things.slice(start), ...things.slice(0, start)];
}

/**
 * The webhooks of one partition, by their owner. A run that has no time for all of them continues where the run before
 * it ended.
 */
async function webhooksOf(
  { table, clock, places }: RingDeps,
  shard: number,
  { startMs, report }: Pick<Run, "startMs" | "report">,
): Promise<Map<TenantKey, WebhookItem[]>> {
  const owners = new Map<TenantKey, WebhookItem[]>();
  const range = { pk: kinds.webhook.partition({ shard }), eventuallyConsistent: true };
  const place = places.get(shard);
  places.delete(shard);
  for (const bounds of place === undefined ? [{}] : [{ after: place }, { upTo: place }])
    for await (const item of queryAll(table, { ...range, ...bounds })) {
      const isCount = isOf(kinds.webhookCount, item);
      // Each owner's webhooks follow its count: all of them were read, or none.
      if (isCount && clock.nowMs() - startMs > webhookLimits.listMsMax) {
        report.unread++;
        places.set(shard, item.sk.slice(0, -1));
        return owners;
      }
      const webhook = isCount ? undefined : unlessDamaged(parseWebhook, item, "ringWebhooks");
      if (webhook) owners.set(webhook.owner, [...(owners.get(webhook.owner) ?? []), webhook]);
    }
  return owners;
}

/** When an attempt of the webhook last began; 0 if there was none. */
const lastTriedMs = ({ webhook }: Due): number => Math.max(0, ...Object.values(webhook.tried_ms ?? {}));

async function newsOf(owner: OwnerNews, webhooks: readonly WebhookItem[], nowMs: number): Promise<Due[]> {
  const due: Due[] = [];
  const share = limitConcurrency(webhookLimits.connectionsPerOwnerMax);
  for (const webhook of webhooks.filter(({ disabled_reason }) => disabled_reason === null)) {
    const news: Array<readonly [WebhookType, News]> = [];
    for (const type of webhook.types) {
      if ((webhook.retries[type]?.due_ms ?? 0) > nowMs) continue;
      const ofType = await owner.of(webhook, type);
      if (ofType) news.push([type, await sameWhileWaiting(owner, webhook, type, ofType)]);
      // What the ring was about is gone: nothing waits any more.
      else if (webhook.retries[type] || webhook.postponed?.includes(type))
        news.push([type, { data: {}, isSilent: true }]);
    }
    if (news.length > 0) due.push({ webhook, owner, news, share });
  }
  return due.toSorted((one, other) => lastTriedMs(one) - lastTriedMs(other));
}

/** A ring that waits is sent again as it was, unless something newer came: then the newer ring takes its place. */
async function sameWhileWaiting(owner: OwnerNews, webhook: WebhookItem, type: WebhookType, news: News) {
  const waiting = webhook.retries[type];
  if (!waiting) return news;
  const told = { ...webhook, rung: { ...webhook.rung, [type]: waiting.mark } };
  const newer = await owner.of(told, type);
  return newer && !newer.isSilent ? news : { ...news, mark: waiting.mark };
}

/** The same news has the same id, also after a crash; other news has another one. */
const ringId = ({ id, generation }: WebhookItem, type: WebhookType, { mark }: News): string =>
  `ring_${createHash("sha256").update([id, generation, type, mark].join(" ")).digest("base64url").slice(0, 24)}`;

type Run = {
  readonly key: Uint8Array;
  readonly startMs: number;
  readonly report: RingReport;
};

/** The result of one type: an attempt, or news that needs none. */
type Result = {
  readonly type: WebhookType;
  readonly news: News;
  readonly id: string;
  readonly sent?: RingAttempt;
};

const attemptOf = ({ sent }: Result): Attempt | undefined => sent?.attempt;
const isTold = (result: Result): boolean => {
  const attempt = attemptOf(result);
  return !attempt || isDelivered(attempt);
};

/** One type after the other, over one connection at a time. The type that waited longest begins. */
async function ring(deps: RingDeps, due: Due, { key, startMs, report }: Run): Promise<void> {
  const { table, clock } = deps;
  const { webhook } = due;
  const network = askingOnce(deps.network);
  const results: Result[] = [];
  const postponed: WebhookType[] = [];
  let isReachable = true;
  const tried = { ...webhook.tried_ms };
  const waited = due.news.toSorted(([one], [other]) => (tried[one] ?? 0) - (tried[other] ?? 0));
  for (const [type, news] of waited) {
    const id = ringId(webhook, type, news);
    if (news.isSilent) results.push({ type, news, id });
    // The next run sends it: this one would not see the end of the attempt, or nobody is there.
    else if (!isReachable || clock.nowMs() - startMs > webhookLimits.ringMsMax) postponed.push(type);
    else {
      const secrets = await readCurrentSecrets(table, webhook, type);
      // Changed or deleted meanwhile: this run knows nothing about what is there now.
      if (!secrets) break;
      const atMs = clock.nowMs();
      tried[type] = atMs;
      const waiting = webhook.retries[type];
      const signing = validSecrets(key, webhook.id, secrets, atMs);
      const message = signRing({ id, type, data: news.data }, signing, atMs);
      const attempt = await send({ clock, network }, webhook.url, message);
      const before = waiting?.id === id ? waiting : undefined;
      results.push({ type, news, id, sent: { ring: { id, type }, before, message, attempt, atMs } });
      isReachable = attempt.status !== null && !isGone(attempt);
    }
  }
  report.postponed += postponed.length;
  report.delivered += results.filter((result) => result.sent && isTold(result)).length;
  report.failed += results.filter((result) => !isTold(result)).length;
  const isWaitingAsBefore = postponed.join() === (webhook.postponed ?? []).join();
  if (results.length === 0 && isWaitingAsBefore) return;
  if (await recordResults(deps, due, { results, postponed, tried })) report.disabled++;
}

/** Secrets that sign now; undefined if the webhook no longer is as this run found it. */
async function readCurrentSecrets(table: Table, webhook: WebhookItem, type: WebhookType) {
  const keys = [keyOfWebhook(webhook, webhook.id), kinds.webhookSecrets.key({ webhookId: webhook.id })];
  const [item, secrets] = await table.getMany(keys);
  const now = item && parseWebhook(item);
  const isCurrent =
    now?.generation === webhook.generation && now.disabled_reason === null && now.types.includes(type);
  return isCurrent && secrets ? parseWebhookSecrets(secrets) : undefined;
}

/** Another run or a request that was faster knows more about the retries than this run. */
const unchanged = ["generation", "types", "disabled_reason", "last_success_at", "retries"] as const;

/** What a run did with one webhook. */
type Outcome = {
  readonly results: readonly Result[];
  /** Types with news that had no attempt. */
  readonly postponed: readonly WebhookType[];
  readonly tried: NonNullable<WebhookItem["tried_ms"]>;
};

/**
 * Returns whether the webhook was disabled. The results and the attempts are one transaction: a webhook that was changed
 * or deleted meanwhile, or that another run has recorded, stays as it is, and nothing is listed.
 */
async function recordResults(
  deps: RingDeps,
  due: Due,
  { results, postponed, tried }: Outcome,
): Promise<boolean> {
  const { webhook, owner } = due;
  const nowMs = deps.clock.nowMs();
  const told = results.filter(isTold);
  const failed = results.filter((result) => !isTold(result));
  const hasSuccess = told.some(({ sent }) => sent);
  const retries = { ...webhook.retries };
  for (const { type } of told) delete retries[type];
  for (const { type, id, sent, news } of failed)
    retries[type] = retryAfter(
      retries[type],
      { id, place: sent ? placeOf(sent) : "", mark: news.mark ?? "" },
      nowMs,
    );
  const hasEnded = failed.some(({ sent }) => sent && isGone(sent.attempt));
  const hasFailed = failed.length > 0 && !hasSuccess && isHopeless(retries, webhook.last_success_at, nowMs);
  const reason = hasEnded ? "gone" : hasFailed ? "failing" : null;
  const set: Array<readonly [Path, AttributeValue]> = [
    ...told.flatMap(({ type, news: { mark } }) =>
      mark === undefined ? [] : [[["rung", type], mark] as const],
    ),
    ["retries", hasSuccess ? wokenRetries(retries, nowMs) : retries],
    ["tried_ms", tried],
    ["postponed", postponed],
    ...(hasSuccess ? [["last_success_at", toTimestamp(nowMs)] as const] : []),
    ...(failed.length > 0 ? [["last_failure_at", toTimestamp(nowMs)] as const] : []),
    ...(reason === null ? [] : [["disabled_reason", reason] as const]),
  ];
  const update: Update = {
    update: keyOfWebhook(webhook, webhook.id),
    change: { set },
    when: { all: unchanged.map((name) => ({ equals: [name, webhook[name]] })) },
  };
  const lists: TransactionWrite[] = [];
  for (const { sent } of results) if (sent) lists.push(...(await attemptWrites(deps.table, webhook, sent)));
  if (reason === null) {
    await transactIf(deps.table, [update, ...lists]);
    return false;
  }
  const place = required(await owner.place(), "the owner of the webhook");
  const { id, authorized } = webhook;
  const metadata = { reason, last_success_at: webhook.last_success_at };
  const note = { type: "webhook.disabled", id, nowMs, authorized } as const;
  return await transactIf(deps.table, [
    update,
    ...lists,
    ...newsPuts({ tenant: webhook.owner, organization: null }, note),
    ...systemEntry(deps, webhookEvent(place, "webhook.disabled", webhook, metadata), "webhooks"),
  ]);
}
