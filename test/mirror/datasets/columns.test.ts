import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { createClient } from "../../../lib/client/client.ts";
import { type DatasetName, datasetNamed, datasetNames } from "../../../lib/mirror/datasets/datasets.ts";
import { people, repositories, teams } from "../../../lib/mirror/directory.ts";
import {
  auditLogs,
  type ExportSource,
  findings,
  learnings,
  metricsSources,
} from "../../../lib/mirror/sources.ts";

const sources: Readonly<Record<DatasetName, ExportSource>> = {
  ...metricsSources,
  learnings,
  "audit-logs": auditLogs,
  security: findings,
  teams,
  people,
  repositories,
};

const counted = (names: string): string =>
  names
    .split(" ")
    .map((name) => `${name}_comments_posted,${name}_comments_accepted`)
    .join(",");

/** Written out: readers use the positions of columns. A new column comes last. */
const headers: Readonly<Record<DatasetName, string>> = {
  reviews: [
    "pr_url,author_id,author_username,organization_id,organization_name,repository_id,repository_name,created_at",
    "ready_for_review_at,first_human_review_at,last_commit_at,merged_at,closed_at,status,review_iterations",
    "estimated_complexity,estimated_review_minutes",
    counted("total_coderabbit critical major minor trivial info"),
    counted("data_integrity_and_integration functional_correctness maintainability_and_code_quality"),
    counted("performance_and_scalability security_and_privacy stability_and_availability"),
    "provider,repository_full_name,author_type",
  ].join(","),
  "review-comments":
    "pr_url,organization_id,repository_id,author_id,merged_at,comment_url,comment_severity,comment_category,comment_accepted",
  mcp: "pr_url,organization_id,repository_id,author_id,merged_at,servers,provider",
  learnings:
    "id,learning,organization_id,organization_name,repository_id,repository_name,author_id,author_username,file,source_url,usage_count,last_used_at,created_at,updated_at,provider,repository_short_name",
  "audit-logs":
    "id,action,resource_type,resource_id,summary,actor_type,actor_id,actor_name,actor_key_id,actor_key_kind,organization_id,metadata,ip_address,request_id,created_at,gateway_request_id,provider,actor_email",
  security:
    "id,organization_id,organization_name,repository_id,repository_name,title,description,severity,state,cwe,file_path,start_line,end_line,evidence,scan_id,commit_sha,detected_at,updated_at,provider,repository_short_name",
  teams: "provider,organization_id,team_id,name,user_ids",
  people: "provider,organization_id,user_id,username,email,seat_assigned,role",
  repositories: "provider,organization_id,repository_id,id,name,full_name,private,url",
};

test.each(datasetNames)("the CSV of %s has every column at its place", (name) => {
  const client = createClient({ baseUrl: "https://api.test", key: "none" });
  const isMetrics = Object.hasOwn(metricsSources, name);
  const query: Record<string, string> = isMetrics ? { start_date: "2026-01-01", end_date: "2026-01-31" } : {};
  const { layout } = sources[name].walk(client, { query, format: "csv", followsRemovals: false });
  expect(layout.header).toBe(headers[name]);
});

const property = z.object({ items: z.object({ properties: z.record(z.string(), z.unknown()) }) });
const released = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({
          operationId: z.string(),
          responses: z.object({
            "200": z.object({
              content: z.object({
                "application/json": z.object({ schema: z.object({ properties: z.looseObject({}) }) }),
              }),
            }),
          }),
        })
        .optional(),
    }),
  ),
});

test("tables and Parquet files keep the columns of the last release in their order", () => {
  const document = JSON.parse(
    readFileSync(new URL("../../../docs/released/openapi.json", import.meta.url), "utf8"),
  );
  const operations = Object.values(released.parse(document).paths).map(({ get }) => get);
  const compared = datasetNames.filter((name) => {
    const { operation, list = "data", columns } = datasetNamed(name);
    const answer = operations.find((each) => each?.operationId === operation)?.responses["200"].content;
    const records = property.safeParse(answer?.["application/json"].schema.properties[list]);
    // Not released yet, or rows that the tool makes from what the API answers.
    if (!records.success || name === "repositories") return false;
    const before = Object.keys(records.data.items.properties);
    expect(columns.map((column) => column.name).filter((column) => before.includes(column))).toEqual(before);
    return true;
  });
  expect(compared).toEqual(["reviews", "review-comments", "mcp", "learnings", "audit-logs", "security"]);
});
