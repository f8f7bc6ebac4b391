import { text } from "node:stream/consumers";
import { explainCause, NoSourceMap, rebuildSourceMaps } from "./source-maps.ts";

/** `npm run explain < line.json`: shows where in our own files a logged error came from. */
try {
  const line = await text(process.stdin);
  if (process.argv.includes("--build")) await rebuildSourceMaps(line);
  console.log((await explainCause(line)).join("\n"));
} catch (error) {
  if (!(error instanceof NoSourceMap)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
