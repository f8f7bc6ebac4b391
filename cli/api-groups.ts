import type { CommandGroup } from "./command.ts";

/** The commands that speak only HTTP. The package has them, and the checkout too. */
export const apiGroups: readonly CommandGroup[] = [
  {
    name: "login",
    summary: "Store an address and a key for the commands below",
    load: async () => (await import("./commands/login.ts")).loginCommands,
  },
  {
    name: "logout",
    summary: "Delete what login stored",
    load: async () => (await import("./commands/login.ts")).logoutCommands,
  },
  {
    name: "whoami",
    summary: "Show what the key is and what it may do",
    load: async () => (await import("./api/whoami.ts")).commands,
  },
  {
    name: "export",
    summary: "Write metrics, Learnings, audit logs or findings to a file, and update it later",
    load: async () => (await import("./commands/export.ts")).commands,
  },
  {
    name: "people",
    summary: "Give seats and roles to the people of a CSV file; show somebody, or take back what they have",
    load: async () => (await import("./people/commands.ts")).commands,
  },
  {
    name: "roles",
    summary: "List the roles of an organization",
    load: async () => (await import("./api/roles.ts")).commands,
  },
  {
    name: "webhooks",
    summary: "Create, change, test and delete webhooks; list what was sent",
    load: async () => (await import("./api/webhooks.ts")).commands,
  },
  {
    name: "listen",
    summary: "Deliver to a program on this machine when there is new data",
    load: async () => (await import("./api/listen.ts")).commands,
  },
  {
    name: "openapi",
    summary: "Print the OpenAPI document",
    load: async () => (await import("./commands/openapi.ts")).commands,
  },
];

/** These speak HTTP too; the checkout has an operator's form of them beside that. */
export const sharedGroups: readonly CommandGroup[] = [
  {
    name: "report",
    summary: "Report pull requests, findings, acceptance and review times",
    load: async () => (await import("./commands/report.ts")).commands,
  },
  {
    name: "keys",
    summary: "Make, list, rotate and revoke API keys",
    load: async () => (await import("./api/keys.ts")).commands,
  },
  {
    name: "learnings",
    summary: "Search Learnings; approve or disapprove pending ones",
    load: async () => (await import("./api/learnings.ts")).commands,
  },
  {
    name: "seats",
    summary: "Find seats that nobody uses, and take them back",
    load: async () => (await import("./api/seats.ts")).commands,
  },
];
