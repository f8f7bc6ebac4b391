import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { KeyKind } from "../lib/contract/access.ts";
import { isCalendarDay } from "../lib/contract/parameters.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Terminal } from "./terminal.ts";

export type OptionDefinition = {
  readonly help: string;
  /** Name of the value in the help; without it the option is a switch. */
  readonly value?: string;
  readonly required?: boolean;
  /** Throws a UsageError before the command does anything. */
  check?(input: CommandInput): void;
};
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** The address of the API and the key to send there. */
export type Target = { readonly url: string; readonly key: string };

/** `demoKey` is the kind of key that the local service's demo lends if no key is given. */
export type FindTarget = (input: CommandInput, demoKey?: KeyKind) => Promise<Target>;

export type Command = {
  /** The word after the group's name; empty for a group that is a single command. */
  readonly name: string;
  readonly summary: string;
  /** Sentences that the help adds to the summary. */
  readonly note?: string;
  readonly argument?: { readonly name: string; readonly required: boolean; readonly help: string };
  readonly options?: OptionDefinitions;
  /** False if it works neither on the local service nor on a stack: then it takes no connection options of the tool. */
  readonly connects?: false;
  readonly examples: readonly [string, ...string[]];
  run(input: CommandInput, terminal: Terminal, findTarget: FindTarget): Promise<void>;
};

/** One entry of the tool's list; the module with its commands is loaded when it is needed. */
export type CommandGroup<Module extends CommandModule = CommandModule> = {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Module>;
};
type CommandModule = { readonly commands: readonly Command[] };

export const group = <Module extends CommandModule>(
  name: string,
  summary: string,
  load: () => Promise<Module>,
): CommandGroup<Module> => ({ name, summary, load });

const jsonOption: OptionDefinitions = {
  json: { help: "print JSON, one line" },
  help: { help: "show this text" },
};

/** The command's own options, where it connects to (if it connects), and those of every command. */
export const optionsOf = (
  { options = {}, connects }: Command,
  connectionOptions: OptionDefinitions,
): OptionDefinitions => ({
  ...options,
  ...(connects !== false && connectionOptions),
  ...jsonOption,
});

/** The words after a command's name, checked. */
export class CommandInput {
  readonly argument: string | undefined;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(argument: string | undefined, values: Readonly<Record<string, unknown>>) {
    this.argument = argument;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is missing.`);
    return value;
  }

  requiredArgument(name: string): string {
    if (this.argument === undefined) throw new UsageError(`${name} is missing.`);
    return this.argument;
  }

  integer(name: string, bounds: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = /^(?:0|[1-9][0-9]*)$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= bounds.min && number <= bounds.max)) {
      const allowed =
        bounds.max === Number.MAX_SAFE_INTEGER
          ? `from ${bounds.min} up`
          : `from ${bounds.min} to ${bounds.max}`;
      throw new UsageError(`--${name} takes a whole number ${allowed}, not ${JSON.stringify(value)}.`);
    }
    return number;
  }

  choice<const Choices extends readonly string[]>(
    name: string,
    choices: Choices,
  ): Choices[number] | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined)
      throw new UsageError(`--${name} takes one of ${choices.join(", ")}, not ${JSON.stringify(value)}.`);
    return chosen;
  }

  day(name: string): string | undefined {
    const day = this.text(name);
    if (day !== undefined && !isCalendarDay(day))
      throw new UsageError(`--${name} takes a calendar day as YYYY-MM-DD, not ${JSON.stringify(day)}.`);
    return day;
  }

  /** Comma-separated. */
  list(name: string): readonly string[] | undefined {
    const values = this.text(name)
      ?.split(",")
      .map((value) => value.trim());
    if (values?.some((value) => value === ""))
      throw new UsageError(`--${name} takes values separated by commas, none of them empty.`);
    return values;
  }
}

export function parseInput(
  command: Command,
  options: OptionDefinitions,
  words: readonly string[],
  unknownHint: string,
): CommandInput {
  const { values, positionals } = parseWords(options, words, unknownHint);
  const wanted = command.argument;
  const [argument, ...more] = positionals;
  const input = new CommandInput(argument, values);
  if (values.help !== true) {
    if (!wanted && argument !== undefined)
      throw new UsageError(`Unexpected argument ${JSON.stringify(argument)}.`);
    if (more.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(more[0])}.`);
    if (wanted?.required && argument === undefined) throw new UsageError(`${wanted.name} is missing.`);
    if (argument === "") throw new UsageError(`${wanted?.name} must not be empty.`);
    for (const [name, { required }] of Object.entries(options))
      if (required && values[name] === undefined) throw new UsageError(`--${name} is missing.`);
    for (const [name, value] of Object.entries(values))
      if (value === "") throw new UsageError(`--${name} must not be empty.`);
    for (const { check } of Object.values(options)) check?.(input);
  }
  return input;
}

function parseWords(options: OptionDefinitions, words: readonly string[], unknownHint: string) {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      { type: value ? "string" : "boolean", ...(name === "help" && { short: "h" }) },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options: config, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node's message continues with advice about leading dashes; its first sentence is enough.
    const said = `${message.split(/\.\s|\n/, 1)[0]?.replace(/\.$/, "")}.`;
    const [, unknown] = /^Unknown option '--([\w-]+)'/.exec(said) ?? [];
    const known = Object.keys(options);
    const near = unknown && didYouMean(unknown, known).replace("mean ", "mean --");
    throw new UsageError(`${said}${near ?? ""}${near === "" ? unknownHint : ""}`);
  }
}

export function commandHelp(path: string, command: Command, definitions: OptionDefinitions): string {
  const { argument, summary, note, examples } = command;
  const options = Object.entries(definitions);
  const flags = options.map(([name, { value }]) => `--${name}${value ? ` ${value}` : ""}`);
  const width = Math.max(...flags.map((flag) => flag.length));
  const required = options
    .map(([name, { required, value }]) => (required ? ` --${name} ${value}` : ""))
    .join("");
  const usage = argument ? ` ${argument.required ? argument.name : `[${argument.name}]`}` : "";
  return [
    `${summary}.`,
    ...(note ? [note] : []),
    "",
    `  review-api ${path}${usage}${required} [options]`,
    "",
    ...(argument ? [`  ${argument.name}: ${argument.help}`, ""] : []),
    "Options:",
    ...options.map(
      ([, { help, required: must }], index) =>
        `  ${flags[index]?.padEnd(width)}  ${help}${must ? " (required)" : ""}`,
    ),
    "",
    examples.length > 1 ? "Examples:" : "Example:",
    ...examples.map((example) => `  npx --no-install review-api ${example}`),
  ].join("\n");
}
