import type { McpRecord } from "../../lib/contract/records-metrics.ts";

/** The use of MCP servers by reviews; counts are best-effort, as documented in the API. */
export type McpFigures = {
  /** Pull requests whose review used MCP. */
  readonly pullRequests: number;
  readonly calls: number;
  readonly servers: readonly McpServerFigures[];
};
export type McpServerFigures = {
  readonly name: string;
  readonly pullRequests: number;
  readonly calls: number;
  readonly failures: number;
  readonly tools: ReadonlyArray<{ readonly name: string; readonly calls: number; readonly failures: number }>;
};

type McpCounts = {
  pullRequests: number;
  calls: number;
  tools: Map<string, { calls: number; failures: number }>;
};

/**
 * Sorted by number of calls, descending. A pull request that was written again occurs again: the last record counts.
 */
export function mcpFigures(records: readonly McpRecord[]): McpFigures {
  const last = new Map(records.map((record) => [nameOf(record), record]));
  const servers = new Map<string, McpCounts>();
  for (const { servers: used } of last.values()) for (const server of used) add(servers, server);
  const rows = [...servers].map(([name, { pullRequests, calls, tools }]) => ({
    name,
    pullRequests,
    calls,
    failures: sum([...tools.values()].map(({ failures }) => failures)),
    tools: [...tools].map(([tool, counts]) => ({ name: tool, ...counts })).toSorted(byCalls),
  }));
  return {
    pullRequests: last.size,
    calls: sum(rows.map(({ calls }) => calls)),
    servers: rows.toSorted(byCalls),
  };
}

function add(servers: Map<string, McpCounts>, { name, calls, tools }: McpRecord["servers"][number]): void {
  const counts = servers.get(name) ?? { pullRequests: 0, calls: 0, tools: new Map() };
  servers.set(name, counts);
  counts.pullRequests++;
  counts.calls += calls;
  for (const tool of tools) {
    const known = counts.tools.get(tool.name) ?? { calls: 0, failures: 0 };
    counts.tools.set(tool.name, {
      calls: known.calls + tool.calls,
      failures: known.failures + tool.failures,
    });
  }
}

const nameOf = ({ provider, organization_id, pr_url }: McpRecord): string =>
  `${provider} ${organization_id} ${pr_url}`;
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

type Counted = { readonly name: string; readonly calls: number };
const byCalls = (one: Counted, other: Counted): number =>
  other.calls - one.calls || (one.name < other.name ? -1 : 1);
