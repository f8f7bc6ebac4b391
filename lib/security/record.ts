import { fieldColumns } from "../contract/csv-row.ts";
import { type FindingRecord, findingRecord } from "../contract/records-security.ts";
import type { RepositoryItem } from "../store/items/repository.ts";
import { type FindingRow, findingStateOf } from "./finding.ts";
import type { FindingSource } from "./sources.ts";

export function toRecord(
  row: FindingRow,
  { organization, ledger }: FindingSource,
  repository: RepositoryItem,
): FindingRecord {
  const { finding, detectedAt } = row;
  const seen = row.last ?? ledger.newest;
  return {
    id: finding.id,
    organization_id: organization.provider_organization_id,
    organization_name: organization.name,
    repository_id: ledger.repositoryId,
    repository_name: repository.full_name,
    title: finding.title,
    description: finding.description,
    severity: finding.severity,
    state: findingStateOf(row),
    cwe: finding.cwe,
    file_path: finding.file_path,
    start_line: finding.start_line,
    end_line: finding.end_line,
    evidence: [...finding.evidence],
    scan_id: seen.scanId,
    commit_sha: seen.commitSha,
    detected_at: detectedAt,
    updated_at: seen.completedAt,
    provider: organization.provider,
    repository_short_name: repository.name,
  };
}

export const findingColumns = fieldColumns(findingRecord);
