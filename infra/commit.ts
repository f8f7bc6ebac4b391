import { execFileSync } from "node:child_process";

/**
 * The commit of a folder, marked if the tree has changes; undefined without git. The options of a deployment are not
 * part of the code: `cdk.context.json` is written beside it. `ignored` names what else is not.
 */
export function commitOf(cwd: string, ignored: readonly string[] = []): string | undefined {
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const id = git("rev-parse", "--short=12", "HEAD");
    const others = ["cdk.context.json", ...ignored].map((path) => `:!${path}`);
    return git("status", "--porcelain", "--", ".", ...others) === "" ? id : `${id}-changed`;
  } catch {
    return undefined;
  }
}
