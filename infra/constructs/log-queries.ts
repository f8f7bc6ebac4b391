import { Stack } from "aws-cdk-lib";
import { type LogGroup, QueryDefinition, QueryString, type QueryStringProps } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export type LogGroups = { readonly apiLogs: LogGroup; readonly accessLogs: LogGroup };

/** Saved queries of CloudWatch's Logs Insights. Replace `REQUEST_ID` and `KEY_ID` by the one you look for. */
export function addLogQueries(scope: Construct, { apiLogs, accessLogs }: LogGroups): void {
  const add = (name: string, logGroups: LogGroup[], query: QueryStringProps) =>
    new QueryDefinition(scope, `${name} query`, {
      queryDefinitionName: `${Stack.of(scope).stackName}/${name}`,
      logGroups,
      queryString: new QueryString(query),
    });
  // An answer of the gateway itself is only in the access log.
  add("by request id", [apiLogs, accessLogs], {
    fields: ["@timestamp", "@message"],
    filterStatements: [
      'request_id = "REQUEST_ID" or gateway_request_id = "REQUEST_ID" or requestId = "REQUEST_ID" or extendedRequestId = "REQUEST_ID"',
    ],
  });
  add("by key", [apiLogs], {
    fields: ["@timestamp", "operation", "status", "code", "request_id", "gateway_request_id"],
    filterStatements: ['key_id = "KEY_ID"'],
    sort: "@timestamp desc",
  });
  add("slowest", [accessLogs], {
    fields: ["@timestamp", "resource", "method", "status", "latencyMs", "requestId"],
    sort: "latencyMs desc",
    limit: 100,
  });
  add("refused", [apiLogs], {
    filterStatements: ["status >= 400"],
    statsStatements: ["count(*) as refused by code, operation, key_id"],
    sort: "refused desc",
  });
}
