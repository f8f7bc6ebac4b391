import { readFileSync } from "node:fs";
import { type Command, type CommandGroup, commandHelp, optionNames, parseInput } from "./command.ts";
import { type Continuations, completionScript, shells } from "./completion.ts";
import { didYouMean } from "./did-you-mean.ts";
import { UsageError } from "./errors.ts";
import { sentence } from "./sentence.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** The operator's tool. A group of commands has one entry here and one file in commands/. */
const groups: readonly CommandGroup[] = [
  {
    name: "dev",
    summary: "Serve the API on this machine, with demo data",
    load: async () => (await import("./commands/dev.ts")).commands,
  },
  {
    name: "events",
    summary: "Send platform events; list and resend failed ones",
    load: async () => (await import("./commands/events.ts")).commands,
  },
  {
    name: "keys",
    summary: "Create, list, rotate and revoke API keys",
    load: async () => (await import("./commands/keys.ts")).commands,
  },
  {
    name: "tokens",
    summary: "Create, list and delete workspace tokens",
    load: async () => (await import("./commands/tokens.ts")).commands,
  },
  {
    name: "org",
    summary: "Show organizations and change their settings",
    load: async () => (await import("./commands/org.ts")).commands,
  },
  {
    name: "members",
    summary: "List members; set their roles and seats",
    load: async () => (await import("./commands/members.ts")).commands,
  },
  {
    name: "learnings",
    summary: "Approve or disapprove pending Learnings; search as the reviewer does",
    load: async () => (await import("./commands/learnings.ts")).commands,
  },
  {
    name: "seats",
    summary: "Find seats that nobody uses, and take them back",
    load: async () => (await import("./commands/seats.ts")).commands,
  },
  {
    name: "report",
    summary: "Report pull requests, findings, acceptance and review times",
    load: async () => (await import("./commands/report.ts")).commands,
  },
  {
    name: "export",
    summary: "Write metrics, Learnings, audit logs or findings to a file, and update it later",
    load: async () => (await import("./commands/export.ts")).commands,
  },
  {
    name: "login",
    summary: "Store an address and a key for export and report",
    load: async () => (await import("./commands/login.ts")).loginCommands,
  },
  {
    name: "logout",
    summary: "Delete what login stored",
    load: async () => (await import("./commands/login.ts")).logoutCommands,
  },
  {
    name: "index",
    summary: "Repair the review index of Learnings",
    load: async () => (await import("./commands/index.ts")).commands,
  },
  {
    name: "repair",
    summary: "Repair the data after the table was restored",
    load: async () => (await import("./commands/repair.ts")).commands,
  },
  {
    name: "preflight",
    summary: "Check before a deployment what the AWS account allows",
    load: async () => (await import("./commands/preflight.ts")).commands,
  },
  {
    name: "verify",
    summary: "Check after a deployment that everything works, and clean up",
    load: async () => (await import("./commands/verify.ts")).commands,
  },
  {
    name: "openapi",
    summary: "Print the OpenAPI document",
    load: async () => (await import("./commands/openapi.ts")).commands,
  },
  {
    name: "completion",
    summary: "Print a script that completes commands and options in your shell",
    load: async () => [completion],
  },
];

/** 0: success. 1: the command failed. 2: the command was not understood. */
export async function main(
  words: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<0 | 1 | 2> {
  try {
    return await dispatch(words, terminal);
  } catch (error) {
    terminal.say(terminal.paintSaid("bad", sentence(error)));
    if (error instanceof UsageError)
      terminal.say(`Try: review-api ${[...(await helpPath(words)), "--help"].join(" ")}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<0> {
  const [first, ...rest] = words;
  if (first === "help" && rest.length > 0) return dispatch([...rest, "--help"], terminal);
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    showHelp(terminal, toolHelp());
    return 0;
  }
  if (first === "--version") {
    terminal.out(version());
    return 0;
  }
  const group = groups.find(({ name }) => name === first);
  if (!group)
    throw new UsageError(
      `There is no command ${JSON.stringify(first)}.${didYouMean(
        first,
        groups.map(({ name }) => name),
      )}`,
    );
  const commands = await group.load();
  const single = commands.find(({ name }) => name === "");
  const [second, ...more] = rest;
  const command = single ?? commands.find(({ name }) => name === second);
  if (!command) {
    if (second !== undefined && second !== "--help" && second !== "-h")
      throw new UsageError(
        `There is no command ${JSON.stringify(`${first} ${second}`)}.${didYouMean(
          second,
          commands.map(({ name }) => name),
        )}`,
      );
    showHelp(terminal, groupHelp(group, commands));
    if (second === undefined)
      throw new UsageError(
        `review-api ${first} needs one of: ${commands.map(({ name }) => name).join(", ")}.`,
      );
    return 0;
  }
  const input = parseInput(command, single ? rest : more);
  if (input.flag("help")) showHelp(terminal, commandHelp(pathOf(group, command), command));
  else await command.run(input, terminal);
  return 0;
}

/** Highlights headings and the names at the beginning of lines. */
const showHelp = (terminal: Terminal, help: string): void =>
  terminal.out(
    help.replaceAll(/^\S.*:$|^ {2}(?!review-api |npx )(?:--)?[a-z-]+(?= )/gm, (text) =>
      terminal.paint("heading", text),
    ),
  );

const manifest = new URL("../package.json", import.meta.url);

/** The package's version, from its package.json. */
const version = (): string => String(Reflect.get(JSON.parse(readFileSync(manifest, "utf8")), "version"));

const loadAll = () => Promise.all(groups.map(async (group) => ({ group, commands: await group.load() })));

/** Every command, as typed. */
export const commandPaths = async (): Promise<readonly string[]> =>
  (await loadAll()).flatMap(({ group, commands }) => commands.map((command) => pathOf(group, command)));

/** What can follow which words, for shell completion. */
async function continuations(): Promise<Continuations> {
  const next = new Map<string, readonly string[]>([["", groups.map(({ name }) => name)]]);
  for (const { group, commands } of await loadAll()) {
    if (!commands.some(({ name }) => name === ""))
      next.set(
        group.name,
        commands.map(({ name }) => name),
      );
    for (const command of commands)
      next.set(
        pathOf(group, command),
        optionNames(command).map((name) => `--${name}`),
      );
  }
  return next;
}

/** Here, not in its own file: it needs the list of all commands. */
const completion: Command = {
  name: "",
  summary: "Print a script that completes commands and options in your shell",
  connects: false,
  argument: { name: "SHELL", required: true, help: shells.join(", ") },
  examples: ["completion bash > ~/.review-api-completion", "completion fish"],
  async run(input, terminal) {
    const name = input.requiredArgument("SHELL");
    const shell = shells.find((each) => each === name);
    if (!shell) throw new UsageError(`SHELL is one of ${shells.join(", ")}, not ${JSON.stringify(name)}.`);
    const script = completionScript(shell, await continuations());
    terminal.out(input.flag("json") ? JSON.stringify({ shell, script }) : script);
  },
};

const pathOf = (group: CommandGroup, command: Command): string =>
  [group.name, command.name].filter(Boolean).join(" ");

function toolHelp(): string {
  const rows = groups.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return [
    "The review API on this machine and the operator's tool for deployed stacks.",
    "",
    "  review-api COMMAND [options]",
    "",
    ...rows,
    "",
    "Every command takes --help, and --json for an answer in JSON. --version shows the version.",
    "",
    "Example:",
    "  npx review-api dev",
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
    ...commands.map(({ examples: [example] }) => `  npx review-api ${example}`),
  ].join("\n");
}

async function helpPath([first, second]: readonly string[]): Promise<readonly string[]> {
  const group = groups.find(({ name }) => name === first);
  const command = (await group?.load())?.find(({ name }) => name !== "" && name === second);
  return [group, command].flatMap((named) => named?.name ?? []);
}
