import { Code } from "aws-cdk-lib/aws-lambda";
import { bundleDirectory, bundleFunctions, projectDirectory, releasesOf } from "./bundle.ts";
import { commitOf } from "./commit.ts";
import { InvalidOptions } from "./options.ts";
import { keepSourceMaps } from "./source-maps.ts";
import { createApp } from "./stack.ts";

/** Not deployed: loading source maps adds 15 ms to a cold start. `npm run explain` applies them to a log line. */
const codeOf = (source: string) => Code.fromAsset(bundleDirectory(source), { exclude: ["*.map"] });

try {
  await bundleFunctions();
  const releases = await releasesOf();
  const { app } = createApp({
    codeOf,
    releases,
    checked: true,
    commit: commitOf(projectDirectory),
    region: process.env.CDK_DEFAULT_REGION,
  });
  await keepSourceMaps(releases);
  app.synth();
} catch (error) {
  if (!(error instanceof InvalidOptions)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
