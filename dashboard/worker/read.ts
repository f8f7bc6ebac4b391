import type { CallOptions, Client, RequestOf } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import type { McpRecord } from "../../lib/contract/records-metrics.ts";
import type { Organization } from "../../lib/report/left-out.ts";
import {
  bodiesOf,
  type ListAnswer,
  type ListQuery,
  type OrganizationFilter,
  organizationsMax,
} from "../../lib/report/metrics-filters.ts";
import { type Period, periodBefore } from "../../lib/report/period.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { type ReportReadOptions, readPullRequests } from "../../lib/report/read-pull-requests.ts";
import { authorName } from "../../lib/report/seats.ts";
import type { Learning } from "../figures/learnings.ts";
import type { AuditEntry, KeyIdentity, KeyRecord, PendingLearning, Webhook } from "../protocol.ts";
import { organizationName } from "../view.ts";

/** The reads from the API for the sections of the page; each read is independent. */

/** A part of the key's scope, as an API filter. */
export type Narrowing = {
  readonly filter: OrganizationFilter;
  /** The organizations that a request with this filter acts on. */
  readonly organizations: readonly Organization[];
  /** Everything that the key may see. */
  readonly isWhole: boolean;
};

/**
 * A workspace token can be limited to one organization, an instance key to several. If the API has no such filter,
 * everything is read and the worker filters.
 */
export function narrowingOf({ key, scope }: KeyIdentity, organizations: readonly string[]): Narrowing {
  const chosen = scope.organizations.filter((each) => organizations.includes(nameOf(each)));
  const several = organizations.length;
  if (key.kind === "workspace" && several === 1)
    return { filter: { org_id: organizations.join() }, organizations: chosen, isWhole: false };
  if (key.kind === "instance" && several > 0 && several <= organizationsMax)
    return {
      filter: { organization_ids: chosen.map(({ provider_organization_id: id }) => id).join(",") },
      organizations: chosen,
      isWhole: false,
    };
  return { filter: {}, organizations: scope.organizations, isWhole: true };
}

const nameOf = ({ provider, provider_organization_id: id }: Organization): string =>
  organizationName(provider, id);

/** The same for a search, which also takes one repository. The service says if the rest is too much to search. */
export function searchScope(identity: KeyIdentity, { organizations, repositories }: SearchedView) {
  const [only, another] = repositories;
  const repository = only !== undefined && another === undefined ? repositoryOf(only) : undefined;
  const chosen = repository ? [repository.organization] : organizations;
  const { org_id, organization_ids } = narrowingOf(identity, chosen).filter;
  return {
    ...(org_id !== undefined && { org_id }),
    ...(organization_ids !== undefined && { organization_ids: organization_ids.split(",") }),
    ...(repository && { repository_id: repository.id }),
  };
}
type SearchedView = { readonly organizations: readonly string[]; readonly repositories: readonly string[] };

/** `provider:organization/id`; ids of organizations have no slash. */
const repositoryOf = (name: string) => {
  const slash = name.indexOf("/");
  return { organization: name.slice(0, slash), id: name.slice(slash + 1) };
};

export type FetchDeps = {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly narrowing: Narrowing;
  /** The filters of requests for metrics, one after another. */
  readonly metrics: readonly OrganizationFilter[];
  onProgress(records: number, recordsMax?: number): void;
};

export type FetchedReviews = {
  readonly pullRequests: readonly PullRequest[];
  /** Authors of finished, reviewed pull requests, merged or not. */
  readonly authors: ReadonlySet<string>;
};

export async function fetchReviews(reading: FetchDeps, period: Period): Promise<FetchedReviews> {
  const { onProgress } = reading;
  const authors = new Set<string>();
  const pullRequests = await readEach(reading, period, {
    // Each review has at most one record of findings.
    onProgress: (records, reviews) =>
      records > reviews ? onProgress(records, 2 * reviews) : onProgress(records),
    onClosed: ({ provider, organization_id, author_id }) => {
      if (author_id !== null) authors.add(authorName(provider, organization_id, author_id));
    },
  });
  for (const { provider, organizationId, authorId } of pullRequests)
    if (authorId !== null) authors.add(authorName(provider, organizationId, authorId));
  return { pullRequests, authors };
}

/** The pull requests of the period before. */
export const fetchBefore = (reading: FetchDeps, period: Period): Promise<PullRequest[]> =>
  readEach(reading, periodBefore(period), { onProgress: (records) => reading.onProgress(records) });

const readEach = (
  { client, signal, metrics: filters }: FetchDeps,
  period: Period,
  options: Pick<ReportReadOptions, "onProgress" | "onClosed">,
): Promise<PullRequest[]> =>
  readPullRequests(client, period, { ...options, filters, pageSizeMax: pageLimits.metrics.max, signal });

/** All records of a list. */
async function readAll<Record>(
  { client, signal, narrowing, onProgress }: FetchDeps,
  pageSizeMax: number,
  ask: (client: Client, query: ListQuery, call: CallOptions) => Promise<ListAnswer<Record>>,
  filters: readonly OrganizationFilter[] = [narrowing.filter],
): Promise<Record[]> {
  const records: Record[] = [];
  const askOne = (query: ListQuery) => ask(client, query, { signal });
  for await (const { data } of bodiesOf(askOne, filters, pageSizeMax)) {
    records.push(...data);
    onProgress(records.length);
  }
  return records;
}

export const fetchMcp = (reading: FetchDeps, period: Period): Promise<McpRecord[]> =>
  readAll(
    reading,
    pageLimits.metrics.max,
    (client, query, call) => client.listMcpMetrics({ query: { ...period, ...query } }, call),
    reading.metrics,
  );

const readLearnings = (reading: FetchDeps, more: RequestOf<"listLearnings">["query"]): Promise<Learning[]> =>
  readAll(reading, pageLimits.learnings.max, (client, query, call) =>
    client.listLearnings({ query: { ...more, ...query } }, call),
  );

export const fetchLearnings = (reading: FetchDeps): Promise<Learning[]> => readLearnings(reading, {});
export const fetchPending = (reading: FetchDeps): Promise<PendingLearning[]> =>
  readLearnings(reading, { state: "pending" });

/** Open findings: the API's default. Workspace tokens are refused here, and only they are limited by `org_id`. */
export const fetchFindings = (reading: FetchDeps) =>
  readAll(reading, pageLimits.findings.max, (client, query, call) =>
    client.listSecurityFindings({ query }, call),
  );

/** Keys that work: those that ended stay in the API's list for ever. */
export async function fetchKeys({ client, signal, narrowing }: FetchDeps): Promise<KeyRecord[]> {
  const keys: KeyRecord[] = [];
  const query = { ...webhookScope(narrowing.filter), limit: pageLimits.keys.max };
  for await (const { body } of client.pages("listKeys", { query }, { signal }))
    keys.push(...body.keys.filter(({ state }) => state === "active"));
  return keys;
}

const auditEntriesMax = 50;

export async function fetchAudit({ client, signal, narrowing }: FetchDeps): Promise<AuditEntry[]> {
  const query = { ...narrowing.filter, limit: auditEntriesMax };
  const { body } = await client.listAuditLogs({ query }, { signal });
  return body.data;
}

/** Of the filters, the operations on webhooks and keys take only one organization of a workspace. */
export const webhookScope = ({ org_id }: OrganizationFilter): { readonly org_id?: string } =>
  org_id === undefined ? {} : { org_id };

export async function fetchWebhooks({ client, signal, narrowing }: FetchDeps): Promise<Webhook[]> {
  const { body } = await client.listWebhooks({ query: webhookScope(narrowing.filter) }, { signal });
  return body.data;
}
