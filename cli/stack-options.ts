import { readFile } from "node:fs/promises";
import * as z from "zod";
import { parseOptions, type StackOptions, stackOptionNames } from "../infra/options.ts";
import { OperatorError, systemCode } from "../lib/runtime/operator-error.ts";
import { didYouMean } from "./did-you-mean.ts";

/** The file from which CDK reads options that are not on its command line. */
export const optionsFile = "cdk.context.json";

export const defaultOptions = (): StackOptions => parseOptions(() => undefined);

/** The options that the next deployment takes from the file; `optionsFile` may be absent. `region`: the stack's, if known. */
export async function readStackOptions(file: string = optionsFile, region?: string): Promise<StackOptions> {
  const context = await readContext(file);
  // CDK stores its own entries there too; none of their names is one plain word.
  for (const name of Object.keys(context))
    if (/^\w+$/.test(name) && !stackOptionNames.includes(name))
      throw new OperatorError(
        `${file} has ${name}, which is not an option of the stack.${didYouMean(name, stackOptionNames)}`,
      );
  try {
    return parseOptions((name) => context[name], region);
  } catch (error) {
    if (!(error instanceof Error && error.name === "InvalidOptions")) throw error;
    const [, ...problems] = error.message.split("\n").map((line) => line.trim());
    throw new OperatorError(`${file}: ${problems.join("; ")}.`);
  }
}

async function readContext(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const text = (await readFile(file, "utf8")).replace(/^\ufeff/, "");
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" && file === optionsFile) return {};
    throw new OperatorError(
      `${file} ${code === undefined ? "must be a JSON object" : `cannot be read (${code})`}.`,
    );
  }
}
