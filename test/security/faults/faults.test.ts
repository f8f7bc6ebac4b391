import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { timeoutMs } from "../../support/volume.ts";
import { type Case, casesOf, type How } from "./cases.ts";
import { writtenSites } from "./sites.ts";
import { Theatre } from "./theatre.ts";
import type { Wire } from "./wire.ts";

/** Everything that leaves a function leaves by this door. */
const door = vi.hoisted((): { wire?: Wire } => ({}));
vi.mock("../../../lib/runtime/aws-request.ts", async (original) => {
  const real = await original<typeof import("../../../lib/runtime/aws-request.ts")>();
  const createAwsClient: typeof real.createAwsClient = (options) => {
    const client = real.createAwsClient(options);
    return door.wire?.door(client, options) ?? client;
  };
  return { ...real, createAwsClient };
});

const theatre = new Theatre(door);
let cases: readonly Case[] = [];
const struck = new Map<string, number>();

beforeAll(async () => {
  await theatre.open();
  cases = casesOf(theatre.rehearsed);
}, timeoutMs);
afterAll(() => {
  theatre.close();
  const sum = [...struck.values()].reduce((one, other) => one + other, 0);
  const parts = [...struck].map(([fault, count]) => `${fault}: ${count}`).join(", ");
  console.info(
    `faults: ${sum} strikes at ${writtenSites.length} call sites of ${theatre.rehearsed.size} scenes; ${parts}`,
  );
});

test("every call of store, queue, bucket and embedder in the source is made by a scene", () => {
  const made = new Set([...theatre.rehearsed.values()].flatMap(({ calls }) => calls.map(({ site }) => site)));
  expect(writtenSites.filter((site) => !made.has(site))).toEqual([]);
  expect([...made].filter((site) => !writtenSites.includes(site))).toEqual([]);
});

async function playAll(how: How): Promise<void> {
  const wrong: string[] = [];
  for (const each of cases.filter((one) => one.how === how)) {
    const problem = await theatre.play(each);
    struck.set(each.fault, (struck.get(each.fault) ?? 0) + 1);
    if (problem) wrong.push(`${each.scene} at ${each.site}, ${each.fault}: ${problem}`);
  }
  expect(wrong).toEqual([]);
}

describe("a call that fails", () => {
  test("once is not noticed, and the table is what it would have been", () => playAll("once"), timeoutMs);
  test(
    "for good is a documented answer, and the same again later does it",
    () => playAll("for good"),
    timeoutMs,
  );
  test(
    "together with the whole process loses nothing: the same again does it",
    () => playAll("crash"),
    timeoutMs,
  );
});
