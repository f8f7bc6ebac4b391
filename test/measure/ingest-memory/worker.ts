import { closeSync, openSync, readSync, statSync } from "node:fs";
import { ingest } from "../../../lib/events/ingest.ts";
import type { DeadLetter, EventDeps } from "../../../lib/events/ports.ts";
import { engineClient } from "../../../lib/local/engine/engine.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import { peakMemoryBytes } from "../../support/peak-memory.ts";

/**
 * Runs the worker in a separate process with a batch of scans by reference, each of another group. Prints the
 * messages that it left over and its peak memory.
 */
const [endpoint = "", tableName = "", findings = "", scansText = "1", round = "1"] = process.argv.slice(2);
const scans = Number(scansText);

const eventOf = (index: number) => ({
  id: `00000000-0000-4000-8000-${String(Number(round) * 100 + index).padStart(12, "0")}`,
  type: "security_scan.completed",
  occurred_at: `2026-10-01T0${round}:00:00.000Z`,
});

/** The event's bytes as the bucket returns them, without a second copy in memory. */
function contentOf(index: number): Uint8Array {
  const data = JSON.stringify({
    provider: "github",
    instance_id: null,
    provider_organization_id: String(index),
    repository_id: "r1",
    scan_id: `scan-${round}`,
    commit_sha: "c",
    completed_at: `2026-10-01T0${round}:00:00.000Z`,
  });
  const head = JSON.stringify(eventOf(index)).slice(0, -1);
  const before = Buffer.from(`${head},"data":${data.slice(0, -1)},"findings":`);
  const content = Buffer.allocUnsafe(before.length + statSync(findings).size + 2);
  before.copy(content);
  const file = openSync(findings, "r");
  readSync(file, content, before.length, statSync(findings).size, 0);
  closeSync(file);
  content.write("}}", content.length - 2);
  return content;
}

const client = engineClient(endpoint);
const letters: DeadLetter[] = [];
const deps: EventDeps = {
  table: createDynamoTable({ client, tableName, clock: systemClock, random: systemRandom }),
  clock: systemClock,
  random: systemRandom,
  log: (level, message, fields) => console.error(level, message, JSON.stringify(fields)),
  bucket: {
    put: () => Promise.reject(new Error("Nothing is put.")),
    get: async (name) => contentOf(Number(name.slice(1))),
  },
  deadLetters: { send: async (sent) => void letters.push(...sent) },
};
const messages = Array.from({ length: scans }, (_, index) => ({
  id: eventOf(index).id,
  group: `g${index}`,
  body: JSON.stringify({ ...eventOf(index), reference: `e${index}` }),
}));
const startedMs = systemClock.nowMs();
const left = await ingest(deps, messages);
client.destroy();
console.log(
  JSON.stringify({
    left: left.length,
    letters: letters.map(({ reason }) => reason),
    megabytes: Math.round(peakMemoryBytes() / 2 ** 20),
    seconds: Math.round((systemClock.nowMs() - startedMs) / 1000),
  }),
);
