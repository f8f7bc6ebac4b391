import { readFile } from "node:fs/promises";
import type { Command } from "../command.ts";
import { documentFile } from "../document-file.ts";

const openapi: Command = {
  name: "",
  summary: "Print the OpenAPI 3.1 document of the API",
  connects: false,
  examples: ["openapi > openapi.json"],
  async run(input, terminal) {
    const document: unknown = JSON.parse(await readFile(documentFile, "utf8"));
    terminal.out(JSON.stringify(document, null, input.flag("json") ? undefined : 2));
  },
};

export const commands: readonly Command[] = [openapi];
