import { plural } from "../../lib/contract/plural.ts";
import { formatCount } from "../../lib/report/words.ts";
import type { McpFigures } from "../figures/mcp.ts";
import { countColumn, textColumn } from "../tables.ts";
import { Bar } from "./bar.tsx";
import { Card } from "./numbers.tsx";

type ToolRow = {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
};

export function Mcp({ figures: { pullRequests, calls, servers } }: { readonly figures: McpFigures }) {
  const most = Math.max(1, ...servers.map((server) => server.calls));
  const numbers = {
    name: "mcp-use",
    caption: "MCP tools",
    columns: [
      textColumn("server", "Server", ({ server }: ToolRow) => server),
      textColumn("tool", "Tool", ({ tool }: ToolRow) => tool),
      countColumn("calls", "Calls", ({ calls: count }: ToolRow) => count),
      countColumn("failures", "Failed", ({ failures }: ToolRow) => failures),
    ],
    rows: servers.flatMap(({ name: server, tools }) =>
      tools.map(({ name: tool, ...counts }) => ({ server, tool, ...counts })),
    ),
  };
  return (
    <Card
      title="MCP use"
      definition="Servers and tools that reviews of merged pull requests used in the period. Counts are best-effort."
      numbers={numbers}
    >
      {servers.length === 0 ? (
        <p class="empty">No review used an MCP server in this period.</p>
      ) : (
        <>
          <p class="sum">
            <strong>{formatCount(calls)}</strong> calls in {plural(pullRequests, "pull request")}
          </p>
          <ul class="bars">
            {servers.map((server) => (
              <Bar
                key={server.name}
                name={<b>{server.name}</b>}
                value={
                  <span>
                    {formatCount(server.calls)} calls
                    {server.failures > 0 && <small> · {formatCount(server.failures)} failed</small>}
                    <small> · {plural(server.pullRequests, "pull request")}</small>
                  </span>
                }
                parts={[
                  ["good", (server.calls - server.failures) / most],
                  ["bad", server.failures / most],
                ]}
              />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
