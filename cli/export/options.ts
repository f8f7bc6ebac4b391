import { ReviewApiError } from "../../lib/client/error.ts";
import { formatByName } from "../../lib/mirror/format.ts";
import { OperatorError, systemCode, UsageError, unwritable } from "../../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "../command.ts";
import { describeApiError } from "../describe-api-error.ts";

export const fileOptions: OptionDefinitions = {
  output: { value: "FILE", help: "where to write (default, and -: standard output)" },
  overwrite: { help: "replace FILE" },
};
export const organizationsOption: OptionDefinitions = {
  orgs: { value: "A,B", help: "only these organizations (instance keys)" },
};
export const scopeOptions = {
  org: { value: "ID", help: "only this organization (workspace tokens)" },
  ...organizationsOption,
  users: { value: "A,B", help: "only these users, by provider user id" },
} as const satisfies OptionDefinitions;
export const repositoriesOption: OptionDefinitions = {
  repositories: { value: "A,B", help: "only these repositories, by provider id" },
};

/** What these options say, as the API's own filters. */
export const scopeOf = (input: CommandInput): Readonly<Record<string, string>> =>
  withoutMissing({
    org_id: input.text("org"),
    organization_ids: input.list("orgs")?.join(","),
    user_ids: input.list("users")?.join(","),
    repository_ids: input.list("repositories")?.join(","),
  });

export const withoutMissing = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** The file of --output; undefined for standard output, which `-` stands for too. */
export function outputName(input: CommandInput): string | undefined {
  const name = input.text("output");
  const isFile = name !== undefined && name !== "-";
  if (!isFile && !input.has("changes") && input.flag("overwrite"))
    throw new UsageError("--overwrite works only with --output FILE.");
  return isFile ? name : undefined;
}

/** The same for an export, whose options have to fit together. */
export function outputOption(input: CommandInput): string | undefined {
  const output = outputName(input);
  if (input.text("changes") === "-")
    throw new UsageError(
      "--changes takes the name of a file, not -: the records and the state of the export stay beside it.",
    );
  if (input.has("changes") && input.has("output") && output === undefined)
    throw new UsageError(
      "--output - and --changes cannot be used together: the next run compares with the file of --output.",
    );
  if (input.flag("resume") && input.flag("overwrite"))
    throw new UsageError("--resume and --overwrite cannot be used together.");
  if (input.has("changes") && input.flag("overwrite"))
    throw new UsageError(
      "--changes and --overwrite cannot be used together: whoever loads the changes would have to start again too.",
    );
  if (output === undefined && !input.has("changes") && input.flag("resume"))
    throw new UsageError("--resume works only with --output FILE or --changes FILE.");
  return output;
}

/** Without a file the records are the answer, and --json means one JSON document. */
export function formatOption<Name extends string>(
  input: CommandInput,
  output: string | undefined,
  known: readonly ["json", "ndjson", ...Name[]],
): "json" | "ndjson" | Name {
  const given = input.choice("format", known);
  if (given !== undefined) return given;
  if (output !== undefined) return formatByName(output, known);
  return input.flag("json") ? "json" : "ndjson";
}

type ErrorContext = {
  readonly url: string;
  readonly output?: string | undefined;
  /** What happened to the work that was done. */
  readonly hint?: string;
};

/** The error of the service, the network or the disk, with the information that nothing is lost. */
export function explainError(error: unknown, { url, output, hint = "" }: ErrorContext): unknown {
  if (error instanceof ReviewApiError && error.code === "INVALID_CURSOR" && output !== undefined)
    return new OperatorError(
      `The stored cursor of ${output} no longer works for this key and these filters: ${error.message} --overwrite starts again.`,
    );
  const said = describeApiError(error, url);
  if (said) return new OperatorError(`${said}${hint}`);
  const code = systemCode(error);
  return code !== undefined && output !== undefined ? unwritable(output, code) : error;
}
