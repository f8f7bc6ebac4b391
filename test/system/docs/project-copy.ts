import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../docs/pages.ts";

const run = promisify(execFile);

export type ProjectCopy = {
  readonly folder: string;
  /** Returns the end of a command's output; throws with more of it if the command fails. */
  readonly run: (line: string) => Promise<string>;
  readonly remove: () => void;
};

/** Committed and new files, without those that git ignores: no product. Installed packages are shared. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = mkdtempSync(join(tmpdir(), "review-api-copy-"));
  // A test runs the tool as another user, who must be able to read the copy.
  chmodSync(folder, 0o755);
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"];
  const { stdout } = await run("git", words, { cwd: root, maxBuffer: 16_000_000 });
  const { stdout: gone } = await run("git", ["ls-files", "--deleted", "-z"], { cwd: root });
  const deleted = new Set(gone.split("\0"));
  for (const file of stdout.split("\0")) if (!deleted.has(file)) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    run: (line) => runIn(folder, line),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A separate run: from this run's environment it keeps only the paths of programs. */
const environment = () => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  JAVA_HOME: process.env.JAVA_HOME,
  TMPDIR: tmpdir(),
});

async function runIn(folder: string, line: string): Promise<string> {
  const options = { cwd: folder, env: environment(), maxBuffer: 256_000_000 };
  const endOf = (output: string, lines: number) => output.trimEnd().split("\n").slice(-lines).join("\n");
  const { stdout } = await run("bash", ["-c", `${line} 2>&1`], options).catch((error: { stdout: string }) => {
    throw new Error(`${line} failed in ${folder}:\n${endOf(error.stdout, 200)}`);
  });
  return `${line}\n${endOf(stdout, 6)}`;
}
