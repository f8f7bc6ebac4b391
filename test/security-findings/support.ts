import { v5 } from "uuid";
import * as z from "zod";
import { identityNamespace } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { type FindingRecord, findingSeverities, findingStates } from "../../lib/contract/records-security.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { completeScan } from "../../lib/security/complete-scan.ts";
import { readDownload, readFindings } from "../../lib/security/read-findings.ts";
import { scanCompletedFields } from "../../lib/security/scan-completed.ts";
import type { FindingPosition } from "../../lib/security/sources.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import type { FindingData } from "../support/event-data.ts";

export type ScanData = {
  readonly repository_id: string;
  readonly scan_id: string;
  readonly commit_sha: string;
  readonly completed_at: string;
  readonly findings: readonly FindingData[];
  /** Time of the event; defaults to the completion time. */
  readonly occurred_at: string;
  readonly event_id: string;
};

/** A scan that completed at this hour of one day, with an event of the same minute. */
export function scan(
  hour: number,
  findings: readonly FindingData[],
  change: Partial<ScanData> = {},
): ScanData {
  const at = new Date(Date.UTC(2026, 9, 1, hour)).toISOString();
  const scanData = {
    repository_id: "9001",
    scan_id: `scan-${hour}`,
    commit_sha: `commit-${hour}`,
    completed_at: at,
    findings,
    occurred_at: change.completed_at ?? at,
    ...change,
  };
  return { event_id: v5(JSON.stringify(scanData), identityNamespace), ...scanData };
}

const schema = z.object(scanCompletedFields);

/** Applies a scan as its event type does; returns the reason if the scan is refused. */
export async function applyScan(
  table: Table,
  organization: string,
  scanData: ScanData,
): Promise<string | undefined> {
  const store = { table, clock: new TestClock(), random: systemRandom };
  return await completeScan(store, organization, schema.parse(scanData), versionOf(scanData));
}

const versionOf = ({ occurred_at, event_id }: ScanData) => `${occurred_at}#${event_id}`;

const reading = (table: Table) => ({
  table,
  signal: new AbortController().signal,
  narrowing: "Narrow it.",
});

type Choice = {
  readonly repositoryId?: string;
  readonly states?: readonly FindingRecord["state"][];
  readonly severities?: readonly FindingRecord["severity"][];
};

async function queryOf(table: Table, organizations: readonly string[], choice: Choice) {
  const items = await table.getMany(
    organizations.map((organization) => kinds.organization.key({ organization })),
  );
  return {
    organizations: items.filter((item) => item !== undefined).map(parseOrganization),
    repositoryId: choice.repositoryId,
    states: choice.states ?? findingStates,
    severities: choice.severities ?? findingSeverities,
  };
}

/** Every finding, walked in pages of `limit`. */
export async function walk(
  table: Table,
  organizations: readonly string[],
  { limit = 1000, ...choice }: Choice & { readonly limit?: number } = {},
): Promise<FindingRecord[]> {
  const query = await queryOf(table, organizations, choice);
  const records: FindingRecord[] = [];
  let after: FindingPosition | null = null;
  do {
    const page = await readFindings(reading(table), query, { after, limit });
    records.push(...page.records);
    after = page.next;
  } while (after);
  return records;
}

export async function download(table: Table, organizations: readonly string[], choice: Choice = {}) {
  return await readDownload(reading(table), await queryOf(table, organizations, choice));
}

export const byId = (records: readonly FindingRecord[]) =>
  records.toSorted((one, other) => (one.id < other.id ? -1 : 1));

export const statesById = (records: readonly FindingRecord[]): Record<string, string> =>
  Object.fromEntries(byId(records).map(({ id, state }) => [id, state]));

/** The expected findings for these scan events, whatever their order: written independently of the code, from the rules in docs/use/jobs/code-scanning.md#limits. */
export function expectedFindings(scans: readonly ScanData[]) {
  const unique = [...new Map(scans.map((scanData) => [scanData.event_id, scanData])).values()];
  const inOrder = unique.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const newest = inOrder.at(-1);
  const ids = new Set(inOrder.flatMap(({ findings }) => findings.map(({ id }) => id)));
  return [...ids].sort().map((id) => {
    const seen = inOrder.flatMap((scanData) =>
      scanData.findings.filter((each) => each.id === id).map((each) => ({ scanData, finding: each })),
    );
    const last = seen.at(-1);
    if (!last) throw new Error("An id comes from some scanData.");
    let isDismissed = false;
    for (const { state } of seen.map((each) => each.finding)) {
      if (state === "dismissed") isDismissed = true;
      if (state === "fixed") isDismissed = false;
    }
    const openState = isDismissed ? "dismissed" : last.scanData === newest ? "open" : "fixed";
    const state = last.finding.state === "open" ? openState : last.finding.state;
    return {
      ...last.finding,
      state,
      repository_id: last.scanData.repository_id,
      scan_id: last.scanData.scan_id,
      commit_sha: last.scanData.commit_sha,
      detected_at: seen[0]?.scanData.completed_at,
      updated_at: last.scanData.completed_at,
    };
  });
}

const orderOf = (scanData: ScanData) => `${scanData.completed_at}#${versionOf(scanData)}`;

/** The fields of a record that a scan event sets. */
export const reportedPart = ({
  organization_id,
  organization_name,
  provider,
  repository_name,
  repository_short_name,
  ...reported
}: FindingRecord) => reported;
