import { monthsBetween } from "../audit/list.ts";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import { isOrganizationTenant, organizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { SubjectType, WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { parseLearning } from "../store/items/learning.ts";
import { parseOrganization, readOrganizations } from "../store/items/organization.ts";
import { noEpochs, parseScopeEpochs, type ScopeEpochs } from "../store/items/scope-epochs.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import { type NewsItem, parseNews, type WebhookItem } from "../store/items/webhook.ts";
import type { Table } from "../store/table.ts";
import { parseHead } from "../stream/head.ts";

/** Something that a webhook has not been told. */
export type News = {
  /** What the webhook knows once the ring is delivered; absent if it knows no more than before. */
  readonly mark?: string;
  /** The ids that the ring carries. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Nothing to tell: only the mark moves on. */
  readonly isSilent?: boolean;
};

/** How a ring names the subjects of its notes; organizations by the provider's id. */
const subjects: Readonly<
  Record<SubjectType, readonly [field: string, of: (note: NewsItem, organization?: string) => object]>
> = {
  "learning.pending": ["learnings", ({ id }, organization_id) => ({ organization_id, learning_id: id })],
  "security.scan_completed": ["scans", ({ id }, organization_id) => ({ organization_id, repository_id: id })],
  "key.expiring": ["keys", ({ id, expires_at }) => ({ key_id: id, expires_at })],
  "webhook.disabled": ["webhooks", ({ id }) => ({ webhook_id: id })],
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
  readonly #owner: TenantKey;
  readonly #once = new Map<string, Promise<unknown>>();

  constructor(table: Table, nowMs: number, owner: TenantKey) {
    this.#table = table;
    this.#nowMs = nowMs;
    this.#owner = owner;
  }

  /** The tenant of the owner, and its organization if it is one; undefined if nobody may read the owner's data now. */
  async place() {
    return await this.#read("place", async () => {
      if (!isOrganizationTenant(this.#owner)) {
        const item = await this.#table.get(kinds.tenant.key({ tenant: this.#owner }), lately);
        return item?.active === true ? { tenant: this.#owner, organization: null } : undefined;
      }
      const key = kinds.organization.key({ organization: this.#owner.slice(2) });
      const item = await this.#table.get(key, lately);
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
        return await this.#listNews((await this.#epochs(place.tenant)).published, told, data, () => [
          kinds.listedLearning.partition({ tenant: this.#owner }),
          kinds.learningRemoval.partition({ tenant: this.#owner }),
        ]);
      case "audit_logs": {
        // The log of an organization that joined becomes readable some time after the organization.
        const { published, logs } = await this.#epochs(place.tenant);
        return await this.#listNews(published + logs, told, data, (since, upTo) =>
          monthsBetween(since, upTo).map((month) => kinds.audit.partition({ tenant: this.#owner, month })),
        );
      }
      default:
        return await this.#notedNews(webhook, type);
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
  #epochs(tenant: TenantKey): Promise<ScopeEpochs> {
    if (isOrganizationTenant(this.#owner)) return Promise.resolve(noEpochs);
    return this.#read("epochs", async () =>
      parseScopeEpochs(await this.#table.get(kinds.scopeEpochs.key({ tenant }), lately)),
    );
  }

  #metricsMark(tenant: TenantKey): Promise<string> {
    return this.#read("metrics", async () => {
      const [head, epochs] = await Promise.all([
        this.#table.get(kinds.streamHead.key({ tenant }), lately),
        this.#epochs(tenant),
      ]);
      return `${epochs.published}#${parseHead(head).published}`;
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
    epoch: number,
    told: string | undefined,
    data: News["data"],
    partitionsSince: (since: string, upTo: string) => readonly string[],
  ): Promise<News | undefined> {
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
   * What `newsPuts` noted, the newest things first. One partition has the notes of all types and organizations of the
   * owner, so a run reads them from the oldest on, up to a maximum, and the next run continues there.
   */
  async #notedNews(webhook: WebhookItem, type: SubjectType): Promise<News | undefined> {
    const told = webhook.rung[type];
    const since = told ?? "";
    if (since >= this.#settled) return undefined;
    const items = await this.#read(`noted ${since}`, async () => {
      const range = { pk: kinds.news.partition({ tenant: this.#owner }), after: since, upTo: this.#settled };
      return (await this.#table.queryPage({ ...range, pageItems: webhookLimits.notesReadMax })).items;
    });
    const own = items.map(parseNews).filter((note) => note.type === type && this.#concerns(webhook, note));
    const current = type === "learning.pending" ? await this.#stillPending(own) : own;
    // The next run passes over foreign notes after the newest own one.
    const mark = own.at(-1)?.sk ?? items.at(-1)?.sk ?? since;
    const [field, subjectOf] = subjects[type];
    const names = await this.#organizationIds(current);
    const named = current
      .filter(({ organization }) => organization === null || names.has(organization))
      .map((note) => JSON.stringify(subjectOf(note, names.get(note.organization ?? ""))))
      .toReversed();
    if (named.length === 0 && told !== undefined) {
      const isLong = own.length > 0 || items.length > webhookLimits.notesReadAgainMax;
      return isLong ? { mark, data: {}, isSilent: true } : undefined;
    }
    const newest = [...new Set(named)].slice(0, webhookLimits.namedMax);
    return { mark, data: { [field]: newest.map((subject) => JSON.parse(subject)) } };
  }

  /** A key of an instance and a webhook of one concern those who may read everything that these reach. */
  #concerns({ authorized }: WebhookItem, note: NewsItem): boolean {
    if (note.expires_at !== undefined && note.expires_at <= toTimestamp(this.#nowMs)) return false;
    const reached = note.organization === null ? note.authorized : [note.organization];
    return authorized === null || (reached?.every((uuid) => authorized.includes(uuid)) ?? false);
  }

  /** Without Learnings that were decided or deleted since: a webhook that is switched on reads a week of notes. */
  async #stillPending(notes: readonly NewsItem[]): Promise<NewsItem[]> {
    const keys = notes.flatMap(({ organization, id }) =>
      organization === null ? [] : [kinds.learning.key({ organization, learningId: id })],
    );
    const items = await this.#table.getMany(keys, lately);
    const learnings = items.flatMap(
      (item) => (item && unlessDamaged(parseLearning, item, "ringWebhooks")) ?? [],
    );
    const waiting = new Set(learnings.flatMap(({ id, state }) => (state === "pending" ? [id] : [])));
    return notes.filter(({ id }) => waiting.has(id));
  }

  /** The provider's ids of the organizations that readers of the owner see now. */
  async #organizationIds(notes: readonly NewsItem[]): Promise<ReadonlyMap<string, string>> {
    const uuids = notes.flatMap(({ organization }) => organization ?? []);
    return new Map(
      (await readOrganizations(this.#table, uuids))
        .filter(({ active, plan }) => active && plan === "enterprise")
        .filter(({ tenant, uuid }) => [tenant, organizationTenant(uuid)].includes(this.#owner))
        .map((each) => [each.uuid, each.provider_organization_id]),
    );
  }
}
