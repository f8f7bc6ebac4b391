import { apiGroups, sharedGroups } from "./api-groups.ts";
import { group } from "./command.ts";
import { connectionOptions } from "./connection/open.ts";
import { findTarget } from "./connection/target.ts";
import type { Terminal } from "./terminal.ts";
import { commandPaths as pathsOf, runTool, type Tool } from "./tool.ts";

/** With a key over HTTP, otherwise as the operator: see `overHttpOrAsOperator`. */
const bothGroups = sharedGroups.map(({ name, summary, load }) =>
  group(name, summary, async () => {
    // The operator makes keys of every kind.
    if (name === "keys") return await import("./commands/keys.ts");
    const { overHttpOrAsOperator } = await import("./over-http-or-as-operator.ts");
    return { commands: (await load()).shared.map(overHttpOrAsOperator) };
  }),
);

const operatorGroups = [
  group("dev", "Serve the API on this machine, with demo data", () => import("./commands/dev.ts")),
  group(
    "events",
    "Check and send platform events; list, resend and drop those that wait or failed",
    () => import("./commands/events.ts"),
  ),
  group("tokens", "Create, list and delete workspace tokens", () => import("./commands/tokens.ts")),
  group("org", "Show organizations and change their settings", () => import("./commands/org.ts")),
  group("members", "List members; set their roles and seats", () => import("./commands/members.ts")),
  group("index", "Repair the review index of Learnings", () => import("./commands/index.ts")),
  group("repair", "Repair the data after the table was restored", () => import("./commands/repair.ts")),
  group(
    "preflight",
    "Check before a deployment what the AWS account allows",
    () => import("./commands/preflight.ts"),
  ),
  group(
    "verify",
    "Check after a deployment that everything works, and clean up",
    () => import("./commands/verify.ts"),
  ),
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
