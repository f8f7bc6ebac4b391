import type { Command } from "../command.ts";
import { openApi } from "../generate/generated-files.ts";

const openapi: Command = {
  name: "",
  summary: "Print the OpenAPI 3.1 document of the API",
  connects: false,
  examples: ["openapi > openapi.json"],
  async run(input, terminal) {
    terminal.out(JSON.stringify(openApi(), null, input.flag("json") ? undefined : 2));
  },
};

export const commands: readonly Command[] = [openapi];
