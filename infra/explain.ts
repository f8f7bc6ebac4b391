import { text } from "node:stream/consumers";
import { bundleFunctions } from "./bundle.ts";
import { explainCause, keepSourceMaps, NoSourceMap } from "./source-maps.ts";

/** `npm run explain < line.json`: where in our own files a logged fault came from. */
try {
  const line = await text(process.stdin);
  if (process.argv.includes("--build")) {
    await bundleFunctions();
    await keepSourceMaps(JSON.parse(line).release);
  }
  console.log((await explainCause(line)).join("\n"));
} catch (error) {
  if (!(error instanceof NoSourceMap)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
