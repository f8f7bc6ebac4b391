import { expect, test } from "vitest";
import * as z from "zod";
import { eventList } from "../../../lib/contract/event-fields.ts";
import { eventLimits, requestLimits } from "../../../lib/contract/limits.ts";
import { queueLimits } from "../../../lib/contract/platform.ts";
import { ingest } from "../../../lib/events/ingest.ts";
import { createIngestHarness, event, organizationName, organizationSaved } from "../../events/support.ts";
import { openStore, useStore } from "../../support/engine.ts";

const store = useStore();
const harness = async () => createIngestHarness((await openStore(store().endpoint)).table);

/** Fills a message with a repeated text, up to the last byte that the events queue takes. */
function full(begin: string, piece: string, separator: string, end: string): string {
  const room = queueLimits.messageBytesMax - begin.length - end.length;
  const count = Math.floor((room + separator.length) / (piece.length + separator.length));
  return begin + Array(count).fill(piece).join(separator) + end;
}

/** What grows most: the shortest credentials, and numbers that are longer when they are written out. */
const worst = {
  "no JSON": full("", "pw=a1b2", " ", ""),
  "a text": full('{"type":"x","data":{"text":"', "pw=a1b2", " ", '"}}'),
  fields: full('{"type":"x","data":[', '{"pw":"a1b2c"}', ",", "]}"),
  numbers: full('{"type":"x","data":[', "1e20", ",", "]}"),
};

test.each(Object.entries(worst))(
  "the largest refused message fits the dead-letter queue once it is redacted: %s",
  async (_, body) => {
    const deps = await harness();
    expect(Buffer.byteLength(body)).toBeGreaterThan(queueLimits.messageBytesMax - 20);
    expect(await ingest(deps, [{ id: "1", group: "g", body }])).toEqual([]);
    const [letter] = deps.letters;
    const bytes = Buffer.byteLength(letter?.body ?? "") + eventLimits.messageOverheadBytesMax;
    expect(bytes).toBeLessThanOrEqual(queueLimits.deadLetterBytesMax);
    expect(letter?.body).not.toContain("a1b2");
  },
);

test("an event with very many problems goes to the dead letters with the first of them", async () => {
  const deps = await harness();
  const findings = Array.from({ length: 60_000 }, () => ({}));
  const scan = event("security_scan.completed", 1, {
    ...organizationName(),
    repository_id: "1",
    scan_id: "s",
    commit_sha: "c",
    completed_at: "2026-10-01T00:00:00Z",
    findings,
  });
  const admins = event("workspace.saved", 1, { id: "w", admins: Array(60_000).fill(0) });
  const bodies = [scan, admins, organizationSaved(1, { name: 1 })].map((each) => JSON.stringify(each));

  await ingest(
    deps,
    bodies.map((body, index) => ({ id: `${index}`, group: `${index}`, body })),
  );

  expect(deps.letters.map(({ reason }) => reason.slice(0, 28)).toSorted()).toEqual([
    "findings[0].id: is required;",
    "name: is required; admins[0]",
    "name: must be a string",
  ]);
});

test("a list of events stops at the first problems, whatever its length", () => {
  let judged = 0;
  const element = z.unknown().refine(() => {
    judged++;
    return false;
  });
  const { error } = eventList(element, (list) => list).safeParse(Array(100_000).fill(0));
  expect(error?.issues).toHaveLength(requestLimits.problemsMax + 1);
  expect(judged).toBe(2 * (requestLimits.problemsMax + 1));
});
