import type { Command } from "../command.ts";
import { profileFile, removeProfile } from "../connection/profile.ts";

const logout: Command = {
  name: "",
  summary: "Delete what login stored; the key itself still works",
  connects: false,
  examples: ["logout"],
  async run(input, terminal) {
    const removed = await removeProfile();
    if (input.flag("json")) terminal.out(JSON.stringify({ removed }));
    else terminal.say(removed ? `Removed ${profileFile()}.` : "Nothing was stored.");
  },
};

export const commands: readonly Command[] = [logout];
