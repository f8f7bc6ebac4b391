import { expect, test } from "vitest";
import { ingest } from "../../lib/events/ingest.ts";
import type { Table } from "../../lib/store/table.ts";
import { createIngestHarness, deliver, event, toMessages } from "../events/support.ts";
import { useApi } from "../support/api.ts";
import { comments, finalized, urlOf } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { november, standalone } from "./support.ts";

const api = useApi();
const world = new World(() => api.store().table);

const finalizedEvent = (name: string, number: number, change: object = {}) =>
  event("pull_request.finalized", number, finalized(github(name), number, change));

test("a bad event among good events goes to the dead letters with its reason and does not block the others", async () => {
  const { walk } = await standalone(api, world, "bad");
  const harness = createIngestHarness(api.store().table);
  await deliver(harness, [
    finalizedEvent("bad", 1),
    finalizedEvent("bad", 2, { merged_at: "2031-01-01T00:00:00.000Z" }),
    finalizedEvent("bad", 3, { merged_at: null }),
    finalizedEvent("bad", 4),
  ]);
  expect(harness.letters.map(({ reason }) => reason)).toEqual([
    "merged_at: must lie between 2000-01-01 and tomorrow",
    "merged_at: is required of a merged pull request",
  ]);
  expect(await walk(`review-comments?${november}`)).toEqual([urlOf(1), urlOf(4)]);
});

test("a pull request of an unknown repository waits for it", async () => {
  const { walk, organization } = await standalone(api, world, "early");
  const harness = createIngestHarness(api.store().table);
  await deliver(harness, [finalizedEvent("early", 1, { repository_id: "9009" }), finalizedEvent("early", 2)]);
  expect(await walk(`reviews?${november}`)).toEqual([urlOf(2)]);
  const repository = {
    name: "late",
    full_name: "acme/late",
    private: null,
    url: "https://example.test/late",
  };
  const saved = {
    ...organization,
    repository_id: "9009",
    ...repository,
    active: true,
    approval_delay_days: null,
  };
  await deliver(harness, [event("repository.saved", 3, saved)]);
  expect(await walk(`reviews?${november}`)).toEqual([urlOf(2), urlOf(1)]);
  expect(harness.letters).toEqual([]);
});

test("a pull request too large for the queue is sent through the bucket", async () => {
  const { page } = await standalone(api, world, "heavy");
  const harness = createIngestHarness(api.store().table);
  await deliver(harness, [finalizedEvent("heavy", 1, { comments: comments(urlOf(1), 5_000) })]);
  expect(harness.objects.size).toBe(1);
  expect((await page(`review-comments?${november}`)).data).toMatchObject([
    { coderabbit_comments: { length: 5_000 } },
  ]);
});

test("a pull request whose worker died after the commit becomes visible when its event is redelivered", async () => {
  const { walk } = await standalone(api, world, "interrupted");
  const { table } = api.store();
  const dying: Table = {
    ...table,
    write: async () => {
      throw new Error("The worker dies before it can publish.");
    },
  };
  const harness = createIngestHarness(table);
  const messages = await toMessages(harness, [finalizedEvent("interrupted", 1)]);
  expect(await ingest({ ...harness, table: dying }, messages)).toEqual(messages);
  expect(await walk(`review-comments?${november}`)).toEqual([]);
  expect(await ingest(harness, messages)).toEqual([]);
  expect(await walk(`review-comments?${november}`)).toEqual([urlOf(1)]);
});

test("forty events that are sent twice appear once each, in write order", async () => {
  const { walk } = await standalone(api, world, "forty");
  const harness = createIngestHarness(api.store().table);
  const events = Array.from({ length: 40 }, (_, number) => finalizedEvent("forty", number));
  await deliver(harness, events);
  await deliver(harness, events);
  expect(await walk(`review-comments?${november}&limit=7`)).toEqual(events.map((_, number) => urlOf(number)));
});
