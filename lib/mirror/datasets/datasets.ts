import type * as z from "zod";
import type { OperationName } from "../../client/client.ts";
import { auditRecord } from "../../contract/records-audit.ts";
import { learningRecord } from "../../contract/records-learnings.ts";
import { mcpRecord, reviewCommentsRecord, reviewRecord } from "../../contract/records-metrics.ts";
import { teamRecord } from "../../contract/records-people.ts";
import { findingRecord } from "../../contract/records-security.ts";
import { people, personRow, repositories, repositoryRow, teams } from "../directory.ts";
import { identityFields, type RecordIdentity } from "../identity.ts";
import { auditLogs, findings, learnings, metricsSources } from "../sources.ts";
import { type Column, columnsOf } from "./columns.ts";

const datasets = {
  reviews: { operation: "listReviewMetrics", record: reviewRecord, source: metricsSources.reviews },
  "review-comments": {
    operation: "listReviewCommentMetrics",
    record: reviewCommentsRecord,
    source: metricsSources["review-comments"],
  },
  mcp: { operation: "listMcpMetrics", record: mcpRecord, source: metricsSources.mcp },
  learnings: { operation: "listLearnings", record: learningRecord, source: learnings },
  "audit-logs": { operation: "listAuditLogs", record: auditRecord, source: auditLogs },
  security: { operation: "listSecurityFindings", record: findingRecord, source: findings },
  teams: { operation: "listTeams", list: "teams", record: teamRecord, source: teams },
  people: { operation: "listUsers", list: "users", record: personRow, source: people },
  repositories: {
    operation: "listRepositories",
    list: "repositories",
    record: repositoryRow,
    source: repositories,
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly operation: OperationName;
      /** The name of the array in its answer, unless `data`. */
      readonly list?: string;
      readonly record: z.ZodObject;
      readonly source: { readonly identity: RecordIdentity };
    }
  >
>;

export type DatasetName = keyof typeof datasets;

export const datasetNames = Object.keys(datasets).filter((name): name is DatasetName =>
  Object.hasOwn(datasets, name),
);

export type Dataset = {
  readonly name: DatasetName;
  readonly table: string;
  /** The operation that reads it. */
  readonly operation: OperationName;
  readonly list: string | undefined;
  readonly columns: readonly Column[];
  /** The columns that identify a record. */
  readonly key: readonly string[];
};

export function datasetNamed(name: DatasetName): Dataset {
  const { operation, record, source, ...more } = datasets[name];
  const names = { name, table: name.replaceAll("-", "_"), list: "list" in more ? more.list : undefined };
  return { ...names, operation, columns: columnsOf(record), key: identityFields(source.identity) };
}
