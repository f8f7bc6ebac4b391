import * as z from "zod";
import { builtDashboard, builtReportStyle } from "../../dashboard/build.ts";
import { keyKinds } from "../contract/access.ts";
import type { Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { documentFile, examplesFile } from "../contract/reference.ts";
import { generateClientTypes } from "../openapi/client-types.ts";
import { toolsFile } from "../openapi/tools.ts";
import { idleArguments, listArguments, reportArguments } from "../report/arguments.ts";
import { joinedExamples } from "./examples.ts";
import { openApi } from "./interface.ts";

/** Passes every product to `write`: its path below the project's root, and its content. */
export async function writeProducts(write: (path: string, content: string) => void): Promise<void> {
  const document = openApi();
  write(documentFile, `${JSON.stringify(document, null, 1)}\n`);
  write(examplesFile, joinedExamples());
  write("lib/client/operations.generated.ts", generateClientTypes(document));
  write("lib/mcp/tools.generated.ts", toolsFile(operations));
  write("lib/mcp/report-inputs.generated.ts", reportInputsFile());
  write("dashboard/worker/contract.generated.ts", dashboardContract());
  write("lib/report/style.generated.ts", await builtReportStyle());
  // Last: the dashboard contains products that were just written.
  for (const [path, content] of await builtDashboard()) write(path, content);
}

/** The input schemas of the tools that report: no function contains what makes a JSON Schema. */
const reportInputsFile = (): string =>
  [
    "// Made by npm install from lib/report/arguments.ts. Do not edit.",
    `export const reportInputs = ${JSON.stringify(
      {
        review_report: inputOf(reportArguments),
        find_pull_requests: inputOf(listArguments),
        find_idle_seats: inputOf(idleArguments),
      },
      // The service checks these itself, and a model reads the list of tools every time.
      (name, value) =>
        ["minLength", "pattern", "minimum"].includes(name) || value === "" ? undefined : value,
    )};`,
    "",
  ].join("\n");

function inputOf(schema: z.ZodObject) {
  const { properties, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return { properties, required };
}

/** For the dashboard's worker: limits, and who may call what. Without schemas, so that no browser loads them. */
const dashboardContract = (): string => `// Made by npm install from lib/contract/operations.
import type { OperationName } from "../../lib/client/client.ts";
import type { OperationPolicy } from "./policy.ts";

export const policies: Readonly<Record<OperationName, OperationPolicy>> = {
${operations.map((operation) => `  ${operation.id}: ${JSON.stringify(policyOf(operation))},`).join("\n")}
};
`;

function policyOf(operation: Operation) {
  const { rateLimit, keys, needs, needsOfKind, keysOfParameter, needsOfParameter } = operation;
  const { bucket, requestsMax, windowSeconds } = rateLimit;
  const names = new Set([...Object.keys(keysOfParameter ?? {}), ...Object.keys(needsOfParameter ?? {})]);
  return {
    limit: { bucket, requestsMax, windowSeconds },
    kinds: keyKinds.filter((kind) => keys[kind] === "accepted"),
    plan: operation.plan,
    needsMetrics: operation.gates?.includes("metrics") ?? false,
    actsOnHome: operation.instanceScope === "home",
    needs,
    needsOfKind: needsOfKind ?? {},
    only: operation.only,
    parameters: Object.fromEntries(
      [...names].map((name) => [name, { kinds: keysOfParameter?.[name], needs: needsOfParameter?.[name] }]),
    ),
  };
}
