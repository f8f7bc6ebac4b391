import type * as z from "zod";
import type { OperationName } from "../../client/client.ts";
import { auditRecord } from "../../contract/records-audit.ts";
import { learningRecord } from "../../contract/records-learnings.ts";
import { mcpRecord, reviewCommentsRecord, reviewRecord } from "../../contract/records-metrics.ts";
import { findingRecord } from "../../contract/records-security.ts";
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
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly operation: OperationName;
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
  /** The name of its table. */
  readonly table: string;
  /** The operation that reads it. */
  readonly operation: OperationName;
  readonly columns: readonly Column[];
  /** The columns that identify a record. */
  readonly key: readonly string[];
};

export function datasetNamed(name: DatasetName): Dataset {
  const { operation, record, source } = datasets[name];
  const columns = columnsOf(record);
  return { name, table: name.replaceAll("-", "_"), operation, columns, key: identityFields(source.identity) };
}
