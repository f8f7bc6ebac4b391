import * as z from "zod";
import { idleArguments, listArguments, reportArguments } from "../report/arguments.ts";

/** The input schemas of the tools that report: no function contains what makes a JSON Schema. */
export const reportInputsFile = (): string =>
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
