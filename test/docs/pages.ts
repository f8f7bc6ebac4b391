import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const read = (page: string): string => readFileSync(join(root, page), "utf8");
export const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
].toSorted();

/** With the fences, so that each can be read as a text of its own. */
export const blocksOf = (text: string): string[] => text.match(/^( *)```sh\n(.*?)^\1```$/gms) ?? [];

/** A line of an `sh` block may go on after a backslash; what follows a hash is for people. */
export const blockCommands = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)]
    .flatMap(([, , block = ""]) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
