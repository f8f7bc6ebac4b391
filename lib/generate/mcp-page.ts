import { operationTools } from "../../lib/mcp/tools.generated.ts";
import { reportTools } from "../mcp/reports.ts";
import { markdownTable, withParts } from "./marked-parts.ts";

/** docs/use/mcp.md with the table of tools. */
export const mcpPage = (page: string): string =>
  withParts(page, {
    tools: () =>
      markdownTable(
        ["Tool", "What it is for", "Changes data"],
        [...reportTools, ...operationTools].map(({ listing: { name, title, annotations } }) => [
          `\`${name}\``,
          title,
          annotations?.readOnlyHint ? "no" : "yes",
        ]),
      ),
  });
