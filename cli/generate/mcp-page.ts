import { operations } from "../../lib/contract/operations.ts";
import { reportTools } from "../../lib/mcp/reports.ts";
import { describeTools } from "../../lib/openapi/tools.ts";
import { markdownTable, withParts } from "./marked-parts.ts";

/** docs/use/mcp.md with the table of tools. The tools are described anew: the generated file may be older. */
export const mcpPage = (page: string): string =>
  withParts(page, {
    tools: () =>
      markdownTable(
        ["Tool", "What it is for", "Changes data"],
        [...reportTools, ...describeTools(operations)].map(({ listing: { name, title, annotations } }) => [
          `\`${name}\``,
          title,
          annotations?.readOnlyHint ? "no" : "yes",
        ]),
      ),
  });
