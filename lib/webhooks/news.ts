import { reachesOnly } from "../access/key-reach.ts";
import { keysOfOrganization, keysOfRows } from "../access/key-rows.ts";
import { monthsBetween } from "../audit/list.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits, webhookLimits } from "../contract/limits.ts";
import { isOrganizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { WebhookType } from "../contract/webhooks.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { parseScopeEpochs } from "../store/items/scope-epochs.ts";
import { parseNews, type WebhookItem } from "../store/items/webhook.ts";
import { queryAll, type Table } from "../store/table.ts";
import { parseHead } from "../stream/head.ts";
import { markAt, msOfMark } from "./marks.ts";

/** Something that a webhook has not been told. */
export type News = {
  /** What the webhook knows once the ring is delivered; absent if it knows no more than before. */
  readonly mark?: string;
  /** The ids that the ring carries. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Nothing to tell: only the mark moves on. */
  readonly isSilent?: boolean;
};

type Reader = {
  readonly table: Table;
  readonly nowMs: number;
  /** Long readings end then; the next run tries again. */
  readonly isTimeUp: () => boolean;
};

/**
 * For half the price. What such a read does not show yet rings a minute later; the walk that a ring resumes reads
 * everything. Only notes are read consistently: a mark that passed one would never name it.
 */
const lately = { eventuallyConsistent: true } as const;

/**
 * The news of one organization, workspace or instance in one run of the worker. Everything is derived from what readers
 * see anyway, and is read at most once for all webhooks of the owner.
 */
export class OwnerNews {
  readonly #table: Table;
  readonly #nowMs: number;
  readonly #isTimeUp: () => boolean;
  readonly #owner: TenantKey;
  /** All webhooks of the owner, also those that are not active. */
  readonly #siblings: readonly WebhookItem[];
  readonly #once = new Map<string, Promise<unknown>>();

  constructor({ table, nowMs, isTimeUp }: Reader, owner: TenantKey, siblings: readonly WebhookItem[]) {
    this.#table = table;
    this.#nowMs = nowMs;
    this.#isTimeUp = isTimeUp;
    this.#owner = owner;
    this.#siblings = siblings;
  }

  /** The tenant of the owner, and its organization if it is one; undefined if nobody may read the owner's data now. */
  async place() {
    return await this.#read("place", async () => {
      if (!isOrganizationTenant(this.#owner)) {
        const item = await this.#table.get(kinds.tenant.key({ tenant: this.#owner }), lately);
        return item?.active === true ? { tenant: this.#owner, organization: null } : undefined;
      }
      const item = await this.#table.get(
        kinds.organization.key({ organization: this.#owner.slice(2) }),
        lately,
      );
      const organization = item && parseOrganization(item);
      return organization?.active && organization.plan === "enterprise"
        ? { tenant: organization.tenant, organization }
        : undefined;
    });
  }

  /** Undefined if there is nothing to tell. */
  async of(webhook: WebhookItem, type: WebhookType): Promise<News | undefined> {
    const place = await this.place();
    if (!place) return undefined;
    const told = webhook.rung[type];
    const data = place.organization ? { organization_id: place.organization.provider_organization_id } : {};
    switch (type) {
      case "metrics.review_comments":
      case "metrics.reviews":
      case "metrics.mcp": {
        const mark = await this.#metricsMark(place.tenant);
        return mark === told ? undefined : { mark, data };
      }
      case "learnings":
        return await this.#listNews(place.tenant, told, data, () => [
          kinds.listedLearning.partition({ tenant: this.#owner }),
          kinds.learningRemoval.partition({ tenant: this.#owner }),
        ]);
      case "audit_logs":
        return await this.#listNews(place.tenant, told, data, (since, upTo) =>
          monthsBetween(since, upTo).map((month) => kinds.audit.partition({ tenant: this.#owner, month })),
        );
      case "learning.pending":
        return await this.#notedNews(webhook, type, place.tenant, (organization_id, learning_id) => ({
          learnings: { organization_id, learning_id },
        }));
      case "security.scan_completed":
        return await this.#notedNews(webhook, type, place.tenant, (organization_id, repository_id) => ({
          scans: { organization_id, repository_id },
        }));
      case "key.expiring":
        return await this.#expiringKeys(webhook);
      case "webhook.disabled":
        return this.#disabledSiblings(webhook);
    }
  }

  async #read<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
    // Each name is read with one kind of value.
    const known = this.#once.get(name) as Promise<Value> | undefined;
    const value = known ?? read();
    this.#once.set(name, value);
    return await value;
  }

  /** Counts how often the set of visible organizations changed: their data comes with the same cursor. */
  #epoch(tenant: TenantKey): Promise<number> {
    if (isOrganizationTenant(this.#owner)) return Promise.resolve(0);
    return this.#read(
      "epoch",
      async () =>
        parseScopeEpochs(await this.#table.get(kinds.scopeEpochs.key({ tenant }), lately)).published,
    );
  }

  #metricsMark(tenant: TenantKey): Promise<string> {
    return this.#read("metrics", async () => {
      const [head, epoch] = await Promise.all([
        this.#table.get(kinds.streamHead.key({ tenant }), lately),
        this.#epoch(tenant),
      ]);
      return `${epoch}#${parseHead(head).published}`;
    });
  }

  /** Everything up to this moment is visible to every read: a walk that a ring resumes finds it. */
  get #settled(): string {
    return toTimestamp(this.#nowMs - webhookLimits.settledAfterMs);
  }

  /**
   * For lists in the order of time. The mark is the place of the newest item that the webhook knows, so that the ring of
   * a repeated run has the same id.
   */
  async #listNews(
    tenant: TenantKey,
    told: string | undefined,
    data: News["data"],
    partitionsSince: (since: string, upTo: string) => readonly string[],
  ): Promise<News | undefined> {
    const epoch = await this.#epoch(tenant);
    const [, toldEpoch, toldPlace] = told?.match(/^(\d+)#(.*)$/) ?? [];
    // The first ring is about everything: the mark only needs a place that is the same in the next run.
    const since = toldPlace ?? this.#settled.slice(0, "2026-11".length);
    if (since >= this.#settled) return undefined;
    const partitions = partitionsSince(since, this.#settled);
    const places = await Promise.all(partitions.map((pk) => this.#newestPlace(pk, since)));
    const newest = places.toSorted().at(-1) ?? since;
    if (newest > since || toldEpoch !== String(epoch)) return { mark: `${epoch}#${newest}`, data };
    // After an idle month the next run need not look at the month before again.
    return partitions.length > 2 ? { mark: `${epoch}#${this.#settled}`, data, isSilent: true } : undefined;
  }

  /** `since` if there is no newer one. */
  #newestPlace(pk: string, since: string): Promise<string> {
    return this.#read(`${pk} ${since}`, async () => {
      const range = { pk, after: since, upTo: this.#settled, descending: true, pageItems: 1, only: ["sk"] };
      return (await this.#table.queryPage({ ...range, ...lately })).items[0]?.sk ?? since;
    });
  }

  /**
   * What `newsPut` noted, the newest things first. One partition has the notes of all types and organizations of the
   * tenant, so a run reads them from the oldest on, up to a maximum, and the next run continues there.
   */
  async #notedNews(
    webhook: WebhookItem,
    type: WebhookType,
    tenant: TenantKey,
    subjectOf: (organizationId: string, id: string) => Readonly<Record<string, object>>,
  ): Promise<News | undefined> {
    const told = webhook.rung[type];
    const since = told ?? "";
    if (since >= this.#settled) return undefined;
    const items = await this.#read(`noted ${since}`, async () => {
      const range = { pk: kinds.news.partition({ tenant }), after: since, upTo: this.#settled };
      return (await this.#table.queryPage({ ...range, pageItems: webhookLimits.notesReadMax })).items;
    });
    const own = items
      .map(parseNews)
      .filter((item) => item.type === type && this.#concerns(webhook, item))
      .toReversed();
    // The next run passes over foreign notes after the newest own one.
    const mark = own[0]?.sk ?? items.at(-1)?.sk ?? since;
    if (own.length === 0 && told !== undefined)
      return items.length > webhookLimits.notesReadAgainMax ? { mark, data: {}, isSilent: true } : undefined;
    const named = own.slice(0, webhookLimits.namedMax);
    const names = await this.#organizationIds([...new Set(named.map(({ organization }) => organization))]);
    const subjects = named.map((item) => subjectOf(names.get(item.organization) ?? "", item.id));
    const [field = "things"] = Object.keys(subjectOf("", ""));
    return { mark, data: { [field]: subjects.map((subject) => subject[field]) } };
  }

  #concerns({ authorized }: WebhookItem, { organization }: { readonly organization: string }): boolean {
    if (isOrganizationTenant(this.#owner)) return this.#owner === `o#${organization}`;
    return authorized?.includes(organization) ?? true;
  }

  async #organizationIds(uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const items = await this.#table.getMany(
      uuids.map((organization) => kinds.organization.key({ organization })),
    );
    const organizations = items.filter((item) => item !== undefined).map(parseOrganization);
    return new Map(organizations.map((each) => [each.uuid, each.provider_organization_id]));
  }

  /** Keys are read every few hours; then the mark moves on, also if no key expires soon. */
  async #expiringKeys(webhook: WebhookItem): Promise<News | undefined> {
    const told = webhook.rung["key.expiring"];
    const { keysReadEveryMs, keyExpiryDays, namedMax } = webhookLimits;
    const latestMs = Math.floor(this.#nowMs / keysReadEveryMs) * keysReadEveryMs;
    const sinceMs = told === undefined ? latestMs - keysReadEveryMs : msOfMark(told);
    if (this.#nowMs - sinceMs < keysReadEveryMs) return undefined;
    // In whole steps: a run that is repeated names the same keys, in a ring with the same id.
    const untilMs = this.#nowMs - ((this.#nowMs - sinceMs) % keysReadEveryMs);
    const isDue = (expiresMs: number) =>
      keyExpiryDays.some((days) => {
        const atMs = expiresMs - days * msPerDay;
        return atMs > sinceMs && atMs <= untilMs;
      });
    const visible = await this.#keys(webhook);
    if (!visible) return undefined;
    const keys = visible.flatMap(({ id, revoked_at, rotated_to, expires_at_ms: endMs }) =>
      endMs !== null && endMs > this.#nowMs && revoked_at === null && rotated_to === null && isDue(endMs)
        ? [{ key_id: id, expires_at: toTimestamp(endMs) }]
        : [],
    );
    const isSilent = keys.length === 0 && told !== undefined;
    return { mark: markAt(untilMs), data: { keys: keys.slice(0, namedMax) }, isSilent };
  }

  /**
   * The keys that `listKeys` shows: instance keys belong to the instance, also those whose home is the organization.
   * Undefined if the time was up before all were read.
   */
  #keys({ authorized }: WebhookItem): Promise<KeyItem[] | undefined> {
    return this.#read(`keys ${authorized?.join()}`, async () => {
      const isOrganization = isOrganizationTenant(this.#owner);
      const organizations = isOrganization ? [this.#owner.slice(2)] : await this.#visible(authorized);
      const keys: KeyItem[] = [];
      for (const some of chunksOf(organizations, keyLimits.organizationsAtOnce)) {
        if (this.#isTimeUp()) return undefined;
        const found = await Promise.all(some.map((uuid) => keysOfOrganization(this.#table, uuid)));
        keys.push(...found.flat().filter(({ kind }) => kind !== "instance"));
      }
      if (isOrganization) return keys;
      for await (const page of keysOfRows(this.#table, kinds.keyRow.range({ tenant: this.#owner })))
        keys.push(...page.filter((key) => reachesOnly(key, authorized)));
      return keys;
    });
  }

  /** The organizations of the tenant that a key with this list can read. */
  async #visible(authorized: readonly string[] | null): Promise<string[]> {
    const items = await Array.fromAsync(
      queryAll(this.#table, kinds.tenantOrganization.range({ tenant: this.#owner })),
    );
    return items
      .filter((item) => item.sk !== kinds.scopeEpochs.sk)
      .map(parseOrganization)
      .filter(({ active, plan }) => active && plan === "enterprise")
      .map(({ uuid }) => uuid)
      .filter((uuid) => authorized === null || authorized.includes(uuid));
  }

  #disabledSiblings(webhook: WebhookItem): News | undefined {
    const told = webhook.rung["webhook.disabled"];
    const sinceMs = told === undefined ? this.#nowMs : msOfMark(told);
    const disabled = this.#siblings.filter(
      ({ id, authorized, disabled_at_ms: atMs = 0 }) =>
        id !== webhook.id &&
        atMs > sinceMs &&
        (webhook.authorized === null ||
          authorized?.every((uuid) => webhook.authorized?.includes(uuid)) === true),
    );
    if (disabled.length === 0) return undefined;
    const newestMs = Math.max(...disabled.map(({ disabled_at_ms: atMs = 0 }) => atMs));
    return { mark: markAt(newestMs), data: { webhooks: disabled.map(({ id }) => ({ webhook_id: id })) } };
  }
}
