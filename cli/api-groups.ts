import { group } from "./command.ts";

/** The commands that speak only HTTP. The package has them, and the checkout too. */
export const apiGroups = [
  group("login", "Store an address and a key for the commands below", () => import("./commands/login.ts")),
  group("logout", "Delete what login stored", () => import("./commands/logout.ts")),
  group("whoami", "Show what the key is and what it may do", () => import("./api/whoami.ts")),
  group(
    "export",
    "Write metrics, Learnings, audit logs or findings to a file, and update it later",
    () => import("./commands/export.ts"),
  ),
  group(
    "people",
    "Give seats and roles to the people of a CSV file; show somebody, or take back what they have",
    () => import("./api/people.ts"),
  ),
  group("roles", "List the roles of an organization", () => import("./api/roles.ts")),
  group(
    "webhooks",
    "Create, change, test and delete webhooks; list what was sent",
    () => import("./api/webhooks.ts"),
  ),
  group(
    "listen",
    "Deliver to a program on this machine when there is new data",
    () => import("./api/listen.ts"),
  ),
  group("openapi", "Print the OpenAPI document", () => import("./commands/openapi.ts")),
];

/** These speak HTTP too; the checkout has an operator's form of them beside that. */
export const sharedGroups = [
  group("keys", "Create, list, rotate and revoke API keys", () => import("./api/keys.ts")),
  group(
    "report",
    "Report pull requests, findings, acceptance and review times",
    () => import("./commands/report.ts"),
  ),
  group(
    "learnings",
    "Search Learnings; approve or disapprove pending ones",
    () => import("./api/learnings.ts"),
  ),
  group("seats", "Find seats that nobody uses, and take them back", () => import("./api/seats.ts")),
];
