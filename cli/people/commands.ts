import type { Command } from "../command.ts";
import { apply } from "./apply.ts";
import { leave } from "./leave.ts";
import { show } from "./show.ts";

export const commands: readonly Command[] = [apply, show, leave];
