import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { organizationTenant, type TenantKey, workspaceTenant } from "../../lib/contract/tenants.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { AttributeValue, Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { mendStreams } from "../../lib/stream/mend.ts";
import { readPage, type StreamPageRequest, type StreamPageResult } from "../../lib/stream/read-page.ts";
import { renumberStreams, startRepair } from "../../lib/stream/repair.ts";
import type { EntryDraft, PullRequestChange, StreamDeps, StreamEntry } from "../../lib/stream/stream.ts";
import { scanAll } from "../support/scan-all.ts";

export const acme: TenantKey = workspaceTenant("acme");
export const always = { startMs: -62_135_596_800_000, endMs: 253_402_300_800_000 };
/** A Wednesday. */
export const someDayMs = Date.UTC(2026, 9, 14, 12);
export const dayMs = 86_400_000;

export const depsOf = (table: Table): StreamDeps => ({
  table,
  clock: systemClock,
  random: systemRandom,
  limits: { ...streamLimits, retryDelayMsMax: 2 },
});

/** Tests share a table: each uses its own tenants and organizations. */
let taken = 0;
export async function newOrganization(
  table: Table,
  tenant?: TenantKey,
): Promise<{ organization: string; tenant: TenantKey }> {
  const organization = `00000000-0000-5000-8000-${String(++taken).padStart(12, "0")}`;
  const home = tenant ?? organizationTenant(organization);
  await setTenant(table, organization, home);
  return { organization, tenant: home };
}

export const newWorkspace = (): TenantKey => workspaceTenant(`workspace-${++taken}`);

export const setTenant = (table: Table, organization: string, tenant: TenantKey): Promise<unknown> =>
  table.write({ put: { ...kinds.organization.key({ organization }), tenant } });

export const draft = (text: string, more: Partial<EntryDraft> = {}): EntryDraft => ({
  atMs: someDayMs,
  repositoryId: "9001",
  authorId: "4411",
  digest: text,
  payload: { text },
  renderedBytes: 100,
  ...more,
});

/** Event number `order` of a pull request; by default one that feeds all three datasets. */
export const change = (
  organization: string,
  pullRequest: string,
  order: number,
  datasets: PullRequestChange["datasets"],
): PullRequestChange => ({
  organization,
  pullRequest,
  occurredAtMs: 1_790_000_000_000 + order * 1000,
  eventId: `event-${String(order).padStart(6, "0")}`,
  datasets,
});

export const everywhere = (text: string, more: Partial<EntryDraft> = {}): PullRequestChange["datasets"] => ({
  "review-comments": draft(text, more),
  reviews: draft(text, more),
  mcp: draft(text, more),
});

export const request = (tenant: TenantKey, more: Partial<StreamPageRequest> = {}): StreamPageRequest => ({
  tenant,
  organization: undefined,
  dataset: "review-comments",
  window: always,
  after: 0,
  limit: 1000,
  eligible: () => true,
  responseBytesMax: 16 * 1024 * 1024,
  ...more,
});

export async function readOne(
  table: Table,
  wanted: StreamPageRequest,
): Promise<StreamPageResult & { outcome: "page" }> {
  const result = await readPage(table, wanted);
  if (result.outcome !== "page") throw new Error(`Not a page but ${result.outcome}.`);
  return result;
}

/** Reads all pages to the end. */
export async function walk(table: Table, wanted: StreamPageRequest): Promise<StreamEntry[][]> {
  const pages: StreamEntry[][] = [];
  for (let after: number | null = wanted.after; after !== null; ) {
    const page: StreamPageResult & { outcome: "page" } = await readOne(table, { ...wanted, after });
    pages.push([...page.entries]);
    after = page.nextAfter;
  }
  return pages;
}

export const textOf = ({ payload }: StreamEntry): AttributeValue | undefined =>
  typeof payload === "object" && payload !== null && "text" in payload ? payload.text : undefined;

export const texts = (pages: ReadonlyArray<readonly StreamEntry[]>): Array<AttributeValue | undefined> =>
  pages.flat().map(textOf);

export const everything = scanAll;

/** An organization whose pull requests, one per draft, are in one dataset. */
export async function filled(table: Table, drafts: readonly EntryDraft[], inWorkspace = false) {
  const home = await newOrganization(table, inWorkspace ? newWorkspace() : undefined);
  const changes = drafts.map((each, index) =>
    change(home.organization, `pr/${index}`, index, { "review-comments": each }),
  );
  await appendBatch(depsOf(table), home.tenant, changes);
  return home;
}

export const numbered = (
  count: number,
  more: (index: number) => Partial<EntryDraft> = () => ({}),
): EntryDraft[] => Array.from({ length: count }, (_, index) => draft(`${index}`, more(index)));

/** Counts calls by what they read. */
export function watched(table: Table): { table: Table; queries: string[]; parts: number } {
  const seen = {
    queries: [] as string[],
    parts: 0,
    table: {
      ...table,
      queryPage: (range, resume) => {
        seen.queries.push(range.pk);
        return table.queryPage(range, resume);
      },
      getMany: (keys, options) => {
        seen.parts += keys.filter(({ pk }) => pk.startsWith("PART#")).length;
        return table.getMany(keys, options);
      },
    } satisfies Table,
  };
  return seen;
}

/** Both parts of a repair. */
export async function repairStreams(deps: StreamDeps) {
  const before = await renumberStreams(deps);
  const run = await startRepair(deps, { streams: before.size, rowsRepaired: 0 }, before);
  await mendStreams(deps, run);
  await run.end();
  return { streams: run.begun.streams, ...run.mended };
}
