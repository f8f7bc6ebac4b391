import { execFileSync } from "node:child_process";

/** Marked if the tree has changes; undefined without git. `cdk.context.json` and `ignored` are not part of the code. */
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
