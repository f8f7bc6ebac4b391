import { builtDashboard, builtReportStyle } from "../../dashboard/build.ts";
import { operations } from "../contract/operations.ts";
import { documentFile, examplesFile } from "../contract/reference.ts";
import { generateClientTypes } from "../openapi/client-types.ts";
import { toolsFile } from "../openapi/tools.ts";
import { dashboardContract } from "./dashboard-contract.ts";
import { joinedExamples } from "./examples.ts";
import { openApi } from "./interface.ts";
import { reportInputsFile } from "./report-inputs.ts";

export async function writeProducts(write: (path: string, content: string) => void): Promise<void> {
  const document = openApi();
  write(documentFile, `${JSON.stringify(document, null, 1)}\n`);
  write(examplesFile, joinedExamples());
  write("lib/client/operations.generated.ts", generateClientTypes(document));
  write("lib/mcp/tools.generated.ts", toolsFile(operations));
  write("lib/mcp/report-inputs.generated.ts", reportInputsFile());
  write("dashboard/worker/contract.generated.ts", dashboardContract(operations));
  write("lib/report/style.generated.ts", await builtReportStyle());
  // Last: the dashboard contains products that were just written.
  for (const [path, content] of await builtDashboard()) write(path, content);
}
