import type { Command } from "../command.ts";
import { readDocument } from "../document-file.ts";

const openapi: Command = {
  name: "",
  summary: "Print the OpenAPI 3.1 document of the API",
  connects: false,
  examples: ["openapi > openapi.json"],
  async run(input, terminal) {
    terminal.out(JSON.stringify(await readDocument(), null, input.flag("json") ? undefined : 2));
  },
};

export const commands: readonly Command[] = [openapi];
