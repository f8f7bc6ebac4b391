import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { msPerDay } from "../../../lib/contract/days.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { learningLimits } from "../../../lib/contract/limits.ts";
import { expireWaiting } from "../../../lib/events/expire.ts";
import { ingest } from "../../../lib/events/ingest.ts";
import type { QueueMessage } from "../../../lib/events/ports.ts";
import { redactMessage } from "../../../lib/events/redact-message.ts";
import { redactContent } from "../../../lib/learnings/content.ts";
import { learningCapturedFields } from "../../../lib/learnings/events/schemas.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import {
  createIngestHarness,
  deliver,
  event,
  everything,
  type IngestHarness,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
} from "../../events/support.ts";
import { cleanSamples, secretSamples } from "../../redaction/samples/read.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { timeoutMs } from "../../support/volume.ts";

/** No raw credentials at rest: plants secrets, then searches everything that the write side stores or logs. */

const store = useStore();
let harness: IngestHarness;
let logged: string[];
beforeEach(async () => {
  logged = [];
  const made = createIngestHarness((await openStore(store().endpoint)).table);
  harness = { ...made, log: (...line) => void logged.push(JSON.stringify(line)) };
});

/** Built at run time, so that secret scanners do not report this file. */
const secrets = {
  github: `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`,
  aws: `AKIA${"Q3EXAMPLE7ZXCVBN".slice(0, 16)}`,
  stripe: `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc".slice(0, 24)}`,
  password: "Kx9!mPq2vL&7-zrT",
} as const;
const planted = Object.values(secrets);

const captured = (change: object = {}) =>
  event("learning.captured", 6, {
    ...organizationName(),
    repository_id: "9001",
    author_id: "bob",
    source: "chat",
    learning: `  Deploy with ${secrets.github} and password="${secrets.password}".  `,
    file: `src/${secrets.aws}/deploy.ts`,
    source_url: `https://${secrets.github}.example.com/chat?token=${secrets.stripe}`,
    ...change,
  });

async function foundIn(place: unknown): Promise<string[]> {
  const text = typeof place === "string" ? place : JSON.stringify(place);
  return planted.filter((secret) => text.includes(secret));
}
const raw = (id: string, body: string): QueueMessage => ({ id, group: "g", body });

/** Table, dead letters and log of the write side. */
async function leaks(): Promise<Record<string, string[]>> {
  return {
    table: await foundIn(await everything(harness.table)),
    deadLetters: await foundIn(harness.letters),
    log: await foundIn(logged.join("\n")),
  };
}
const none = { table: [], deadLetters: [], log: [] };

describe("credentials in the texts of an event", () => {
  test("credentials of a waiting event are in no item, nor in its dead letter after it waited too long", async () => {
    await deliver(harness, [captured({ note: `key ${secrets.stripe}` })]);
    expect(await everything(harness.table)).toHaveLength(2);
    expect(await leaks()).toEqual(none);
    harness.clock.now += 20 * msPerDay;
    await expireWaiting(harness);
    expect(harness.letters).toHaveLength(1);
    expect(await leaks()).toEqual(none);
  });

  test("a Learning whose event waited has the same id and texts as one that never waited", async () => {
    const ofTable = async () => {
      const { items } = await harness.table.queryPage({
        pk: kinds.learning.partition({ organization: uuidOf() }),
      });
      return items
        .map(parseLearning)
        .map(({ id, text, file, source_url }) => ({ id, text, file, source_url }));
    };
    const base = [organizationSaved(1), repositorySaved(2)];
    const random = `${"q7Zk2Vb9Xw4N".repeat(4)}`;
    const texts = [
      captured(),
      captured({ learning: `What is ${random} doing in this fixture?`, file: `snapshots/${random}.json` }),
      captured({ learning: `password: |\n  ${secrets.password}\n"quoted"`, file: `key: ${random}` }),
    ];
    for (const learning of texts) {
      harness = createIngestHarness((await openStore(store().endpoint)).table);
      await deliver(harness, [learning]);
      await deliver(harness, base);
      const late = await ofTable();
      harness = createIngestHarness((await openStore(store().endpoint)).table);
      await deliver(harness, [...base, learning]);
      expect(late).toHaveLength(1);
      expect(late).toEqual(await ofTable());
      expect(await foundIn(late)).toEqual([]);
    }
  });

  test("every sample gives the same text and file, whether its event waits or not", {
    timeout: timeoutMs,
  }, () => {
    const schema = z.object(learningCapturedFields);
    const halves = ["development", "held-out"] as const;
    const samples = halves.flatMap((half) => [
      ...secretSamples(half, "4").map(({ text }) => text),
      ...cleanSamples(half),
    ]);
    const hosts = Array.from({ length: 12 }, (_, index) => `${"abcdefghijkl"[index]}luebird on host${index}`);
    const rows = `user,password\n${",wren\n".repeat(1_650)}`;
    const texts = [...samples, `The password is ${hosts.join(" and ")}.`, rows, "pwd=wren&".repeat(110)];
    const differing = texts.filter((text) => {
      const file = text.slice(0, learningLimits.fileCharactersMax).trim();
      const body = JSON.stringify(captured({ learning: text, file, source_url: null }));
      const sent = schema.parse(JSON.parse(body).data);
      const waiting = schema.parse(JSON.parse(redactMessage(body)).data);
      const [direct, late] = [sent, waiting].map(({ learning, file }) =>
        redactContent({ repositoryId: "9001", text: learning, file, sourceUrl: null }),
      );
      // The id is made from the digest.
      return direct?.digest !== late?.digest || direct?.text !== late?.text || direct?.file !== late?.file;
    });
    expect(samples.length).toBeGreaterThan(1_500);
    expect(differing).toEqual([]);
  });

  test("no dead letter of a bad event has credentials, and the event can still be sent again", async () => {
    const messages = await toMessages(harness, [
      captured({ author_id: 7 }),
      captured({ learning: [{ text: secrets.github }, [secrets.stripe]] }),
      captured({ repository_id: undefined, [secrets.github]: 1, password: secrets.password }),
    ]);
    const bodies = [
      JSON.stringify({ ...captured(), type: "learning.capturd" }),
      JSON.stringify({ ...captured(), type: secrets.github }),
      `{"type":"learning.captured","data":{"learning":"${secrets.github}"`,
      `{"id":"x","type":"learning.captured","data":{"learning":"${secrets.stripe}","learning":"twice"}}`,
      JSON.stringify([secrets.aws, secrets.github]),
      `${'{"data":['.repeat(2_000)}"${secrets.github}"${"]}".repeat(2_000)}`,
    ];
    const all = [...messages, ...bodies.map((body, index) => raw(`raw-${index}`, body))];
    expect(await ingest(harness, all)).toEqual([]);
    expect(harness.letters).toHaveLength(all.length);
    expect(await leaks()).toEqual(none);
    const [first] = harness.letters;
    expect(JSON.parse(first?.body ?? "")).toMatchObject({
      type: "learning.captured",
      data: { ...organizationName(), repository_id: "9001", learning: expect.stringContaining("[REDACTED:") },
    });
  });

  test("only Learnings are redacted: an event of names and ids stays byte for byte", async () => {
    const [message] = await toMessages(harness, [repositorySaved(2, { name: secrets.github })]);
    expect(redactMessage(message?.body ?? "")).toBe(message?.body);
  });
});
