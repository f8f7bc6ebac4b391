import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Api } from "./api.ts";
import { callOperation } from "./call-operation.ts";
import type { JsonObject, OperationTool, ToolPolicy } from "./operation-tool.ts";
import { reportTools } from "./reports.ts";
import { resultOf, type ToolAnswer } from "./result.ts";
import { operationTools } from "./tools.generated.ts";

/** A tool with the function that answers a call. */
export type CallableTool = Pick<OperationTool, "kindsOfArgument" | "workspaceNames" | "listing"> & {
  /** The operations that the tool calls. */
  readonly uses: readonly ToolPolicy[];
  run(args: JsonObject, api: Api): Promise<ToolAnswer>;
};

export const allTools: readonly CallableTool[] = [
  ...reportTools,
  ...operationTools.map((tool) => ({
    ...tool,
    uses: [tool],
    run: (args: JsonObject, api: Api) => callOperation(tool, args, api),
  })),
];

const byName = new Map(allTools.map((tool) => [tool.listing.name, tool]));

export type CallTool = (args: JsonObject, api: Api) => Promise<CallToolResult>;

export function toolOf(name: string): CallTool | undefined {
  const tool = byName.get(name);
  return tool && (async (args, api) => resultOf(await tool.run(args, api)));
}
