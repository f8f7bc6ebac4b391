import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import * as z from "zod";
import { parseOptions, type StackOptions } from "./options.ts";

/** The options of the stack as CDK will read them: from `-c NAME=VALUE`, then cdk.context.json, then cdk.json. */
export async function optionsOfCommand(words: readonly string[]): Promise<StackOptions> {
  const files = [await contextOf("cdk.context.json", (file) => file), await contextOf("cdk.json", inContext)];
  const given = Object.fromEntries(words.flatMap(contextWords));
  return parseOptions((name) => given[name] ?? files.find((file) => file[name] !== undefined)?.[name]);
}

function contextWords(word: string, index: number, words: readonly string[]): [string, string][] {
  const [, joined] = /^(?:-c=?|--context=)(.+)$/.exec(word) ?? [];
  const text = joined ?? (["-c", "--context"].includes(word) ? words[index + 1] : undefined);
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text ?? "") ?? [];
  return name === "" ? [] : [[name, value]];
}

const record = z.record(z.string(), z.unknown());
const inContext = (file: unknown): unknown => z.object({ context: record.default({}) }).parse(file).context;

async function contextOf(
  path: string,
  pick: (file: unknown) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, "utf8").catch(() => "{}");
  return record.parse(pick(JSON.parse(text)));
}

/** How a command's own clients of AWS find their credentials. */
export type ClientOptions = { readonly profile?: string };

/** As CDK reads `--profile NAME` and `--profile=NAME`; without it, both use AWS_PROFILE. */
export function clientOptions(words: readonly string[]): ClientOptions {
  const { values } = parseArgs({
    args: [...words],
    options: { profile: { type: "string" } },
    strict: false,
    allowPositionals: true,
  });
  return typeof values.profile === "string" ? { profile: values.profile } : {};
}
