import type { SharedCommand } from "./api/call.ts";
import { apiGroups } from "./api-groups.ts";
import type { CommandGroup } from "./command.ts";
import { connectionOptions } from "./connection/open.ts";
import { findTarget } from "./connection/target.ts";
import type { Terminal } from "./terminal.ts";
import { commandPaths as pathsOf, runTool, type Tool } from "./tool.ts";

async function bothWays(loaded: Promise<{ readonly shared: readonly SharedCommand[] }>) {
  const { overHttpOrAsOperator } = await import("./over-http-or-as-operator.ts");
  return (await loaded).shared.map(overHttpOrAsOperator);
}

/** With a key over HTTP, otherwise as the operator: see `overHttpOrAsOperator`. */
const bothGroups: readonly CommandGroup[] = [
  {
    name: "keys",
    summary: "Create, list, rotate and revoke API keys",
    load: async () => (await import("./commands/keys.ts")).commands,
  },
  {
    name: "report",
    summary: "Report pull requests, findings, acceptance and review times",
    load: () => bothWays(import("./commands/report.ts")),
  },
  {
    name: "learnings",
    summary: "Search Learnings; approve or disapprove pending ones",
    load: () => bothWays(import("./api/learnings.ts")),
  },
  {
    name: "seats",
    summary: "Find seats that nobody uses, and take them back",
    load: () => bothWays(import("./api/seats.ts")),
  },
];

const operatorGroups: readonly CommandGroup[] = [
  {
    name: "dev",
    summary: "Serve the API on this machine, with demo data",
    load: async () => (await import("./commands/dev.ts")).commands,
  },
  {
    name: "events",
    summary: "Check and send platform events; list, resend and drop those that wait or failed",
    load: async () => (await import("./commands/events.ts")).commands,
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
];

/** The tool of the checkout: every command. */
const tool: Tool = {
  summary: "The review API on this machine and the operator's tool for deployed stacks.",
  sections: [
    {
      heading: "With a key, over HTTP (also in the package review-api, which others install):",
      groups: apiGroups,
    },
    {
      heading: "With a key over HTTP (also in the package); with --data, --stack or no key as the operator:",
      groups: bothGroups,
    },
    {
      heading: "As the operator, on the local service or with --stack NAME on a deployed one (only here):",
      groups: operatorGroups,
    },
  ],
  connectionOptions,
  findTarget,
  unknownHint: "",
  example: "dev",
};

export const main = (words: readonly string[], terminal?: Terminal): Promise<0 | 1 | 2> =>
  runTool(tool, words, terminal);

/** Every command, as typed. */
export const commandPaths = (): Promise<readonly string[]> => pathsOf(tool);
