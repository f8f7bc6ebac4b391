import { Code } from "aws-cdk-lib/aws-lambda";
import { bundleDirectory, bundleFunctions } from "./bundle.ts";
import { InvalidOptions } from "./options.ts";
import { createApp } from "./stack.ts";

/** Maps stay here: to load them costs a cold start 15 ms, and they are rebuilt from the same commit. */
const codeOf = (source: string) => Code.fromAsset(bundleDirectory(source), { exclude: ["*.map"] });

try {
  await bundleFunctions();
  const { app } = createApp({ codeOf, checked: true });
  app.synth();
} catch (error) {
  if (!(error instanceof InvalidOptions)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
