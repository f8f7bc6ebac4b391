import { execFileSync } from "node:child_process";
import { Code } from "aws-cdk-lib/aws-lambda";
import { bundleDirectory, bundleFunctions, releasesOf } from "./bundle.ts";
import { InvalidOptions } from "./options.ts";
import { keepSourceMaps } from "./source-maps.ts";
import { createApp } from "./stack.ts";

/**
 * Source maps are not deployed: loading them adds 15 ms to a cold start. `npm run explain` applies them to a log line.
 */
const codeOf = (source: string) => Code.fromAsset(bundleDirectory(source), { exclude: ["*.map"] });

/** The commit, marked if the tree has changes; undefined without git. */
function commit(): string | undefined {
  const git = (...words: string[]) =>
    execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const id = git("rev-parse", "--short=12", "HEAD");
    return git("status", "--porcelain") === "" ? id : `${id}-changed`;
  } catch {
    return undefined;
  }
}

try {
  await bundleFunctions();
  const releases = await releasesOf();
  const { app } = createApp({
    codeOf,
    releases,
    checked: true,
    commit: commit(),
    region: process.env.CDK_DEFAULT_REGION,
  });
  await keepSourceMaps(releases);
  app.synth();
} catch (error) {
  if (!(error instanceof InvalidOptions)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
