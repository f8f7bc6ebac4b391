import { readFileSync } from "node:fs";
import { UsageError } from "../lib/runtime/operator-error.ts";
import {
  type Command,
  type CommandGroup,
  commandHelp,
  type FindTarget,
  type OptionDefinitions,
  optionsOf,
  parseInput,
} from "./command.ts";
import { type Continuations, completionScript, shells } from "./completion.ts";
import { didYouMean } from "./did-you-mean.ts";
import { sentence } from "./sentence.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** The tool of the checkout, or that of the package: they have different commands. */
export type Tool = {
  readonly summary: string;
  /** By heading, as the help shows them. */
  readonly sections: readonly { readonly heading: string; readonly groups: readonly CommandGroup[] }[];
  /** Where a command works, besides the API's address. */
  readonly connectionOptions: OptionDefinitions;
  readonly findTarget: FindTarget;
  /** A sentence after the error about an unknown command, with a space before it; may be empty. */
  readonly unknownHint: string;
  readonly example: string;
};

/** 0: success. 1: the command failed. 2: the command was not understood. */
export async function runTool(
  tool: Tool,
  words: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<0 | 1 | 2> {
  try {
    return await dispatch(tool, words, terminal);
  } catch (error) {
    terminal.say(terminal.paintSaid("bad", sentence(error)));
    if (error instanceof UsageError)
      terminal.say(`Try: review-api ${[...(await helpPath(tool, words)), "--help"].join(" ")}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(tool: Tool, words: readonly string[], terminal: Terminal): Promise<0> {
  const [first, ...rest] = words;
  if (first === "help" && rest.length > 0) return dispatch(tool, [...rest, "--help"], terminal);
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    showHelp(terminal, toolHelp(tool));
    return 0;
  }
  if (first === "--version") {
    terminal.out(version());
    return 0;
  }
  const group = groupsOf(tool).find(({ name }) => name === first);
  if (!group) throw unknownCommand(tool, [first], groupsOf(tool));
  const { commands } = await group.load();
  const single = commands.find(({ name }) => name === "");
  const [second, ...more] = rest;
  const command = single ?? commands.find(({ name }) => name === second);
  if (!command) {
    if (second !== undefined && second !== "--help" && second !== "-h")
      throw unknownCommand(tool, [first, second], commands);
    showHelp(terminal, groupHelp(group, commands));
    if (second === undefined)
      throw new UsageError(
        `review-api ${first} needs one of: ${commands.map(({ name }) => name).join(", ")}.`,
      );
    return 0;
  }
  const options = optionsOf(command, tool.connectionOptions);
  const input = parseInput(command, options, single ? rest : more, tool.unknownHint);
  if (input.flag("help")) showHelp(terminal, commandHelp(pathOf(group, command), command, options));
  else await command.run(input, terminal, tool.findTarget);
  return 0;
}

function unknownCommand(
  tool: Tool,
  words: readonly string[],
  known: ReadonlyArray<{ readonly name: string }>,
) {
  const names = known.map(({ name }) => name);
  const near = didYouMean(words.at(-1) ?? "", names);
  return new UsageError(`There is no command ${JSON.stringify(words.join(" "))}.${near || tool.unknownHint}`);
}

/** Highlights headings and the names at the beginning of lines. */
const showHelp = (terminal: Terminal, help: string): void =>
  terminal.out(
    help.replaceAll(/^\S.*:$|^ {2}(?!review-api |npx )(?:--)?[a-z-]+(?= )/gm, (text) =>
      terminal.paint("heading", text),
    ),
  );

/** In the checkout and in the package it is one folder above this file. */
const manifest = new URL("../package.json", import.meta.url);
const version = (): string => String(Reflect.get(JSON.parse(readFileSync(manifest, "utf8")), "version"));

/** Every tool can complete its own commands. */
const groupsOf = (tool: Tool): readonly CommandGroup[] => [
  ...tool.sections.flatMap(({ groups }) => groups),
  { ...completionGroup, load: async () => ({ commands: [completionOf(tool)] }) },
];

const loadAll = (tool: Tool) =>
  Promise.all(groupsOf(tool).map(async (group) => ({ group, ...(await group.load()) })));

/** Every command, as typed. */
export const commandPaths = async (tool: Tool): Promise<readonly string[]> =>
  (await loadAll(tool)).flatMap(({ group, commands }) => commands.map((command) => pathOf(group, command)));

/** What can follow which words, for shell completion. */
async function continuations(tool: Tool): Promise<Continuations> {
  const next = new Map<string, readonly string[]>([["", groupsOf(tool).map(({ name }) => name)]]);
  for (const { group, commands } of await loadAll(tool)) {
    if (!commands.some(({ name }) => name === ""))
      next.set(
        group.name,
        commands.map(({ name }) => name),
      );
    for (const command of commands)
      next.set(
        pathOf(group, command),
        Object.keys(optionsOf(command, tool.connectionOptions)).map((name) => `--${name}`),
      );
  }
  return next;
}

const completionGroup = {
  name: "completion",
  summary: "Print a script that completes commands and options in your shell",
};

/** Here, not in its own file: it needs the list of all commands. */
const completionOf = (tool: Tool): Command => ({
  name: "",
  summary: completionGroup.summary,
  connects: false,
  argument: { name: "SHELL", required: true, help: shells.join(", ") },
  examples: ["completion bash > ~/.review-api-completion", "completion fish"],
  async run(input, terminal) {
    const name = input.requiredArgument("SHELL");
    const shell = shells.find((each) => each === name);
    if (!shell) throw new UsageError(`SHELL is one of ${shells.join(", ")}, not ${JSON.stringify(name)}.`);
    const script = completionScript(shell, await continuations(tool));
    terminal.out(input.flag("json") ? JSON.stringify({ shell, script }) : script);
  },
});

const pathOf = (group: CommandGroup, command: Command): string =>
  [group.name, command.name].filter(Boolean).join(" ");

function toolHelp(tool: Tool): string {
  const row = ({ name, summary }: Pick<CommandGroup, "name" | "summary">) =>
    `  ${name.padEnd(10)} ${summary}`;
  return [
    tool.summary,
    "",
    "  review-api COMMAND [options]",
    "",
    ...tool.sections.flatMap(({ heading, groups }) => [heading, ...groups.map(row), ""]),
    "In your shell:",
    row(completionGroup),
    "",
    "Every command takes --help, and --json for JSON. --version shows the version.",
    "",
    "Example:",
    `  npx --no-install review-api ${tool.example}`,
  ].join("\n");
}

function groupHelp(group: CommandGroup, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `${group.summary}.`,
    "",
    ...commands.map(({ name, summary }) => `  review-api ${group.name} ${name.padEnd(width)}  ${summary}`),
    "",
    "Examples:",
    ...commands.map(({ examples: [example] }) => `  npx --no-install review-api ${example}`),
  ].join("\n");
}

async function helpPath(tool: Tool, [first, second]: readonly string[]): Promise<readonly string[]> {
  const group = groupsOf(tool).find(({ name }) => name === first);
  const command = (await group?.load())?.commands.find(({ name }) => name !== "" && name === second);
  return [group, command].flatMap((named) => named?.name ?? []);
}
