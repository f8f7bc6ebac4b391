#!/usr/bin/env node
import { apiGroups, sharedGroups } from "./api-groups.ts";
import { findTarget } from "./connection/named-target.ts";
import { runProcess } from "./process.ts";
import { runTool, type Tool } from "./tool.ts";

/** The tool of the package: what speaks only HTTP. */
const tool: Tool = {
  summary: "The code-review API from the command line.",
  sections: [{ heading: "With a key, over HTTP:", groups: [...apiGroups, ...sharedGroups] }],
  connectionOptions: {},
  findTarget,
  unknownHint: " Operators of the service have more commands and options, in a checkout of it.",
  example: "report --last-week",
};

await runProcess((words) => runTool(tool, words));
