import { builtOnce } from "./build.ts";
import type { StackTemplate } from "./support.ts";

const { templates } = await builtOnce();

/** The template of the stack with no options given. */
export const plainTemplate = (): StackTemplate => templates.plain;

/** With `chosenOptions` of ./build.ts. */
export const chosenTemplate = (): StackTemplate => templates.chosen;
