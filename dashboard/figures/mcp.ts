import type { McpRecord } from "../../lib/contract/records-metrics.ts";

/** The use of MCP servers by reviews; counts are best-effort, as documented in the API. */
export type McpFigures = ReturnType<typeof mcpFigures>;

/**
 * Sorted by number of calls, descending. A pull request that was written again occurs again: the last record counts.
 */
export function mcpFigures(records: readonly McpRecord[]) {
  const last = [...new Map(records.map((record) => [nameOf(record), record])).values()];
  const servers = byServerOrTool(last.flatMap((record) => record.servers)).map(([name, uses]) => {
    const tools = byServerOrTool(uses.flatMap((use) => use.tools))
      .map(([tool, all]) => ({ name: tool, calls: sum(all, "calls"), failures: sum(all, "failures") }))
      .toSorted(byCalls);
    return {
      name,
      tools,
      pullRequests: uses.length,
      calls: sum(uses, "calls"),
      failures: sum(tools, "failures"),
    };
  });
  return {
    /** Those whose review used MCP. */
    pullRequests: last.length,
    calls: sum(servers, "calls"),
    servers: servers.toSorted(byCalls),
  };
}

const byServerOrTool = <Use extends { readonly name: string }>(uses: readonly Use[]) => [
  ...Map.groupBy(uses, ({ name }) => name),
];

const nameOf = ({ provider, organization_id, pr_url }: McpRecord): string =>
  `${provider} ${organization_id} ${pr_url}`;

const sum = <Field extends string>(counts: ReadonlyArray<Record<Field, number>>, field: Field): number =>
  counts.reduce((total, count) => total + count[field], 0);

type Counted = { readonly name: string; readonly calls: number };
const byCalls = (one: Counted, other: Counted): number =>
  other.calls - one.calls || (one.name < other.name ? -1 : 1);
