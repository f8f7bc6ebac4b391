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

/** Includes the fences, so that each block can be parsed as a separate text. */
export const blocksOf = (text: string): string[] => text.match(/^( *)```sh\n(.*?)^\1```$/gms) ?? [];

/** A line of an `sh` block may continue after a backslash; text after a hash is a comment. */
export const blockCommands = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)]
    .flatMap(([, , block = ""]) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
