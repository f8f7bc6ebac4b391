import { beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { queueLimits } from "../../lib/contract/platform.ts";
import { EventRefused } from "../../lib/events/envelope.ts";
import type { CheckedEvent } from "../../lib/events/event-types.ts";
import { ingest } from "../../lib/events/ingest.ts";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  createIngestHarness,
  event,
  everything,
  type IngestHarness,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "./support.ts";

/** The numbers that each call of the test event type was asked to apply. */
const applied: number[][] = [];

vi.mock("../../lib/events/event-types.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../lib/events/event-types.ts")>();
  const schema = z.object({ number: z.number() });
  const counted = {
    schema,
    eventsMax: 3,
    dependency: () => undefined,
    provides: () => undefined,
    async apply(_: unknown, events: ReadonlyArray<CheckedEvent<z.output<typeof schema>>>) {
      const numbers = events.map(({ data }) => data.number);
      if (numbers.includes(13)) throw new EventRefused("number: 13 is not applied");
      if (numbers.includes(99)) throw new StoreUnavailable("injected", true);
      applied.push(numbers);
    },
  };
  return { ...original, eventTypes: { ...original.eventTypes, "number.sent": counted } };
});

const store = useStore();
const numbered = (number: number) => event("number.sent", number, { ...organizationName(), number });

let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
  applied.length = 0;
});

/** The table, and whether no call to it is in progress. Between two calls in a row it is not idle. */
function watched(table: Table): { table: Table; isIdle: () => boolean } {
  let running = 0;
  const call = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    running++;
    return await run().finally(() => {
      running--;
    });
  };
  return {
    isIdle: () => running === 0,
    table: {
      ...table,
      get: (...given) => call(() => table.get(...given)),
      getMany: (...given) => call(() => table.getMany(...given)),
      queryPage: (...given) => call(() => table.queryPage(...given)),
      write: (...given) => call(() => table.write(...given)),
    },
  };
}

describe("a permanent fault", () => {
  const bad: ReadonlyArray<[string, OutgoingEvent, RegExp]> = [
    ["an unknown type", event("pull_request.dreamt", 1, organizationName()), /type: .* is unknown/],
    [
      "the name of an Object.prototype member as its type",
      event("constructor", 1, organizationName()),
      /is unknown/,
    ],
    ["a missing field", organizationSaved(1, { plan: undefined }), /plan: /],
    ["a value outside its list", organizationSaved(1, { metrics: "fine" }), /metrics: /],
    [
      "a workspace and an instance at once",
      organizationSaved(1, { workspace_id: "acme", instance_id: "forge" }),
      /workspace_id: .*not to both/,
    ],
    ["a lone surrogate", organizationSaved(1, { name: "\ud800" }), /name: .*surrogate/],
    [
      "NUL in an id",
      organizationSaved(1, { provider_organization_id: "a\u0000" }),
      /provider_organization_id: /,
    ],
    [
      "an approval delay over 30 days",
      organizationSaved(1, { approval_delay_days: 31 }),
      /approval_delay_days: /,
    ],
    ["half a seat", organizationSaved(1, { seats_purchased: 1.5 }), /seats_purchased: /],
    ["a URL that is none", repositorySaved(1, { url: "javascript:alert(1)" }), /url: .*http/],
    ["no moment", { ...organizationSaved(1), occurred_at: "yesterday" }, /occurred_at: /],
    [
      "a moment without an offset",
      { ...organizationSaved(1), occurred_at: "2026-10-01T00:00:00" },
      /occurred_at: /,
    ],
    ["no data", { ...organizationSaved(1), data: null }, /data: /],
  ];

  test.each(bad)(
    "an event with %s goes to the dead letters with its reason and does not block the others",
    async (_, event, reason) => {
      const [letter, ...others] = await toMessages(harness, [
        event,
        organizationSaved(2),
        repositorySaved(3),
      ]);
      const group = others[0]?.group ?? "";
      const messages = [{ id: event.id, group, body: letter?.body ?? "" }, ...others];

      expect(await ingest(harness, messages)).toEqual([]);

      expect(harness.letters).toEqual([{ ...messages[0], reason: expect.stringMatching(reason) }]);
      expect(
        await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
      ).toBeDefined();
    },
  );

  test("a body that is not a JSON object goes to the dead letters", async () => {
    const messages = ["{", "7", "null", '"text"'].map((body, index) => ({
      id: `m${index}`,
      group: "g",
      body,
    }));
    expect(await ingest(harness, messages)).toEqual([]);
    expect(harness.letters.map(({ id, body }) => ({ id, group: "g", body }))).toEqual(messages);
  });

  test("a reason never shows the value of the field", async () => {
    const [message] = await toMessages(harness, [organizationSaved(1, { plan: "s3cret", workspace_id: 7 })]);
    await ingest(harness, message ? [message] : []);
    expect(harness.letters[0]?.reason).not.toContain("s3cret");
  });

  test("a message longer than the queue's own limit must come by reference", async () => {
    const body = JSON.stringify(organizationSaved(1)).padEnd(queueLimits.messageBytesMax + 1);
    await ingest(harness, [{ id: "m", group: "g", body }]);
    expect(harness.letters).toMatchObject([{ id: "m", reason: expect.stringContaining("by reference") }]);
  });

  test("a bad message is not acknowledged until the dead letters have it", async () => {
    const down = { ...harness, deadLetters: { send: () => Promise.reject(new Error("queue down")) } };
    const messages = [{ id: "m", group: "g", body: "{" }];
    expect(await ingest(down, messages)).toEqual(messages);
  });
});

describe("a passing fault", () => {
  test("a passing fault fails its message and the later ones of its group; other groups continue", async () => {
    const other = event("organization.saved", 1, {
      ...(organizationSaved(1).data as object),
      provider_organization_id: "2",
    });
    const messages = await toMessages(harness, [
      numbered(1),
      other,
      organizationSaved(2),
      numbered(99),
      repositorySaved(4),
      workspaceSaved(1),
    ]);

    const unfinished = await ingest(harness, messages);

    expect(unfinished).toEqual([messages[3], messages[4]]);
    expect(applied).toEqual([[1]]);
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf("2") }))).toBeDefined();
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toBeDefined();
    expect(
      await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
    ).toBeUndefined();
  });

  test("a group that runs out of time is delivered again, but finished groups are not", async () => {
    const messages = await toMessages(harness, [organizationSaved(1), workspaceSaved(1)]);
    const stuck = { ...harness.table, transact: () => new Promise<never>(() => undefined) };
    const instance = await toMessages(harness, [
      event("instance.saved", 1, {
        id: "i",
        name: "i",
        provider: "gitlab",
        base_url: "https://i.test",
        active: true,
      }),
    ]);
    let wake: () => void = () => undefined;
    const clock = Object.assign(harness.clock, {
      sleep: () =>
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
    });
    const { table, isIdle } = watched({ ...stuck, write: harness.table.write });

    const running = ingest({ ...harness, table, clock }, [...messages, ...instance], { timeBudgetMs: 10 });
    await expect.poll(() => everything(harness.table)).toHaveLength(1);
    await expect.poll(isIdle).toBe(true);
    wake();

    expect(await running).toEqual(messages);
  });
});

describe("events that can be applied together", () => {
  test("consecutive events of one type are applied together, up to the type's maximum", async () => {
    const messages = await toMessages(harness, [1, 2, 3, 4, 5].map(numbered));
    const [organization] = await toMessages(harness, [organizationSaved(1)]);
    const mixed = [...messages.slice(0, 4), ...(organization ? [organization] : []), ...messages.slice(4)];
    expect(await ingest(harness, mixed)).toEqual([]);
    expect(applied).toEqual([[1, 2, 3], [4], [5]]);
  });

  test("a bad event among events applied together goes to the dead letters alone", async () => {
    expect(await ingest(harness, await toMessages(harness, [12, 13, 14].map(numbered)))).toEqual([]);
    expect(applied).toEqual([[12], [14]]);
    expect(harness.letters).toMatchObject([{ id: numbered(13).id, reason: "number: 13 is not applied" }]);
  });
});

describe("an event by reference", () => {
  const large = organizationSaved(1, { note: "x".repeat(200_000) });

  test("an event by reference is fetched from the bucket", async () => {
    const messages = await toMessages(harness, [large]);
    expect(messages[0]?.body.length).toBeLessThan(400);
    expect(await ingest(harness, messages)).toEqual([]);
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
      name: "Widgets",
    });
  });

  const reference = (change: object) =>
    JSON.stringify({ ...large, data: undefined, reference: "a.json", ...change });
  test.each([
    ["nothing of that name", reference({ reference: "b.json" }), /nothing of this name/],
    ["another event", reference({ id: organizationSaved(2).id }), /another event/],
    ["a way out of the folder", reference({ reference: "../a.json" }), /reference: /],
    ["no UTF-8", reference({ reference: "broken.json" }), /UTF-8/],
  ])("a reference that names %s goes to the dead letters", async (_, body, reason) => {
    await harness.bucket.put("a.json", Buffer.from(JSON.stringify(large)));
    await harness.bucket.put("broken.json", Uint8Array.of(0xff));
    expect(await ingest(harness, [{ id: "m", group: "g", body }])).toEqual([]);
    expect(harness.letters).toEqual([{ id: "m", group: "g", body, reason: expect.stringMatching(reason) }]);
  });

  test("an event by reference is delivered again when the bucket does not answer", async () => {
    const messages = await toMessages(harness, [large]);
    const get = () => Promise.reject(new Error("bucket down"));
    expect(await ingest({ ...harness, bucket: { ...harness.bucket, get } }, messages)).toEqual(messages);
  });
});
