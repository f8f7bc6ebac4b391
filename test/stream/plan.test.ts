import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { entryBody } from "../../lib/stream/entry.ts";
import { classifyChange, compareEvents, planChange, planMove, staysInPlace } from "../../lib/stream/plan.ts";
import type { Pointer } from "../../lib/stream/pointer.ts";
import { fingerprintOf, parsePointer, pointerItemOf, pointerUnchanged } from "../../lib/stream/pointer.ts";
import { facetsOf, facetsValue, type PlannedRemoval } from "../../lib/stream/removal.ts";
import type { EntryDraft } from "../../lib/stream/stream.ts";
import { datasetOf, datasets, letterOf, StreamBusy } from "../../lib/stream/stream.ts";
import { organization, pointer, pointerId, reviews, spill, week } from "./one-pointer.ts";
import { acme, change, dayMs, draft, everywhere, someDayMs } from "./support.ts";

const event = (order: number, more: Parameters<typeof change>[3]) =>
  change(organization, "pr/1", order, more);
const same = { "review-comments": draft("one"), reviews: draft("one") };

test("every dataset has its own letter", () => {
  expect(datasets.map(letterOf)).toEqual(["c", "r", "m"]);
  expect(datasets.map((dataset) => datasetOf(letterOf(dataset)))).toEqual([...datasets]);
  expect(new StreamBusy("text").name).toBe("StreamBusy");
});

test("of two events the later one counts, then the one with the greater id", () => {
  const at = (occurredAtMs: number, eventId: string) => ({ occurredAtMs, eventId });
  expect(compareEvents(at(1, "b"), at(2, "a"))).toBe(-1);
  expect(compareEvents(at(2, "a"), at(1, "b"))).toBe(1);
  expect(compareEvents(at(1, "a"), at(1, "b"))).toBe(-1);
  expect(compareEvents(at(1, "b"), at(1, "a"))).toBe(1);
  expect(compareEvents(at(1, "a"), at(1, "a"))).toBe(0);
});

test("of two events within a millisecond the one with the later fraction counts", () => {
  const at = (occurredAtFiner: string | undefined) => ({ occurredAtMs: 1, occurredAtFiner, eventId: "a" });
  expect(compareEvents(at(undefined), at("456"))).toBe(-1);
  expect(compareEvents(at("5"), at("456"))).toBe(1);
  expect(compareEvents(at("45"), at("456"))).toBe(-1);
  expect(compareEvents(at("456"), at("456"))).toBe(0);
});

describe("the effect of an event", () => {
  test.each([
    ["the event that the pointer names", 1, same, acme, "duplicate"],
    ["older", 0, everywhere("other"), acme, "older"],
    ["older, of a pull request in another tenant", 0, same, "w#other", "older"],
    ["the same, of a pull request in another tenant", 1, same, "w#other", "append"],
    ["newer, of a pull request in another tenant", 2, same, "w#other", "append"],
    ["newer, with the same content", 2, same, acme, "touch"],
    ["newer, with other content", 2, { ...same, reviews: draft("two") }, acme, "append"],
    ["newer, with a dataset more", 2, everywhere("one"), acme, "append"],
    ["newer, with a dataset less", 2, { reviews: draft("one") }, acme, "append"],
    ["newer, without content", 2, {}, acme, "append"],
  ] as const)("an event has the right effect if it is %s", (_name, order, content, tenant, verdict) => {
    expect(classifyChange(event(order, content), pointer, tenant)).toBe(verdict);
  });

  test("the content is everything that a reader sees: time, repository, author and payload", () => {
    const shown = draft("one");
    const others = [
      { ...shown, atMs: shown.atMs + 1 },
      { ...shown, repositoryId: "2" },
      { ...shown, authorId: null },
      { ...shown, digest: "two" },
    ];
    const fingerprints = [shown, ...others].map(fingerprintOf);
    expect(new Set(fingerprints).size).toBe(5);
    // The fingerprint is stored in every position: with another algorithm every entry would move at its next event.
    expect(fingerprints[0]).toBe("UdeQ25elUNdzvAf94mv5J6");
    expect(fingerprintOf({ ...shown, payload: "not looked at", renderedBytes: 1 })).toBe(fingerprints[0]);
    expect(others.map((each) => staysInPlace(pointer, acme, "reviews", each))).toEqual(
      others.map(() => false),
    );
    expect(staysInPlace(pointer, acme, "reviews", shown)).toBe(true);
    expect(staysInPlace(pointer, acme, "mcp", shown)).toBe(false);
    expect(staysInPlace(pointer, "w#other", "reviews", shown)).toBe(false);
    expect(staysInPlace(undefined, acme, "reviews", shown)).toBe(false);
  });
});

describe("a pointer", () => {
  const stored = {
    ...kinds.pointer.key({ organization, pointerId }),
    t: acme,
    n: 5,
    o: pointer.occurredAtMs,
    e: "event-000001",
    c: { n: 5, w: week, f: fingerprintOf(draft("one")), s: ["s1", 2] },
    r: { n: 3, w: week, f: fingerprintOf(draft("one")) },
  };

  test("a pointer is stored with one letter per field, and read back unchanged", () => {
    expect(pointerItemOf(pointer)).toEqual(stored);
    expect(parsePointer(stored, organization)).toEqual(pointer);
    // This id is stored everywhere: with another algorithm every pull request would be orphaned.
    expect(pointerId).toBe("w3UofnUtRHt2h5Sg");
  });

  test("a pointer is stored with its millisecond's fraction and its pull request's facets, where it has them", () => {
    const facets = facetsOf(draft("one", { status: "m" }));
    const full = { ...pointer, occurredAtFiner: "456", facets };
    const item = pointerItemOf(full);
    expect(item).toEqual({ ...stored, f: "456", x: facetsValue(facets) });
    expect(parsePointer(item, organization)).toEqual(full);
  });

  test("a pointer that is damaged is reported", () => {
    expect(() => parsePointer({ ...stored, c: { n: 5, w: week } }, organization)).toThrow(
      `The pull request pointer at PR#${organization} / ${pointerId} is damaged in: c.f.`,
    );
    expect(() => parsePointer({ ...stored, t: "nobody" }, organization)).toThrow("is damaged in: t.");
  });

  test("a pointer is unchanged while its position, number and event are as read, or while it is still absent", () => {
    expect(pointerUnchanged(undefined)).toEqual({ absent: "pk" });
    expect(pointerUnchanged(pointer)).toEqual({
      all: [
        { equals: ["t", acme] },
        { equals: ["n", 5] },
        { equals: ["o", pointer.occurredAtMs] },
        { absent: "f" },
        { equals: ["e", "event-000001"] },
      ],
    });
    expect(pointerUnchanged({ ...pointer, occurredAtFiner: "456" })).toMatchObject({
      all: expect.arrayContaining([{ equals: ["f", "456"] }]),
    });
  });
});

describe("a plan", () => {
  const dropped = (dataset: "c" | "r", number: number) => ({
    tenant: acme,
    organization,
    dataset,
    week,
    number,
  });
  const later = draft("two", { atMs: someDayMs + 7 * dayMs });

  test("a plan of a new pull request adds its datasets and leaves nothing behind", () => {
    const plan = planChange({ change: event(1, { reviews: later }), pointerId, tenant: acme });
    expect(plan).toEqual({
      organization,
      pointerId,
      before: undefined,
      occurredAtMs: pointer.occurredAtMs,
      eventId: "event-000001",
      entries: [
        {
          dataset: "reviews",
          week: week + 1,
          fingerprint: fingerprintOf(later),
          body: entryBody(pointerId, later, undefined),
          spill: undefined,
        },
      ],
      kept: [],
      dropped: [],
      spills: [],
      removals: [],
      facets: facetsOf(later),
    });
  });

  test("a plan of a change has the facets of the pull request, whichever dataset it is in", () => {
    for (const dataset of datasets) {
      const plan = planChange({ change: event(1, { [dataset]: later }), pointerId, tenant: acme });
      expect([dataset, plan.facets]).toEqual([dataset, facetsOf(later)]);
    }
  });

  test("a plan of a change keeps equal entries, and drops replaced or ended ones, with their parts", () => {
    const newSpill = { id: "s2", parts: 3 };
    const plan = planChange({
      change: event(2, { reviews: draft("one"), mcp: later }),
      pointerId,
      before: pointer,
      tenant: acme,
      spillOf: () => newSpill,
    });
    expect(plan).toMatchObject({
      before: pointer,
      entries: [{ dataset: "mcp", spill: newSpill, body: entryBody(pointerId, later, newSpill) }],
      kept: [["reviews", reviews]],
      dropped: [dropped("c", 5)],
      spills: [{ organization, ...spill }],
    });
    const removal = planChange({ change: event(2, {}), pointerId, before: pointer, tenant: acme });
    expect(removal).toMatchObject({ entries: [], kept: [], dropped: [dropped("c", 5), dropped("r", 3)] });
  });

  test("a plan of a change that comes with a new tenant keeps nothing in the old one", () => {
    const plan = planChange({ change: event(2, same), pointerId, before: pointer, tenant: "w#other" });
    expect(plan.entries.map(({ dataset }) => dataset)).toEqual(["review-comments", "reviews"]);
    expect(plan).toMatchObject({ kept: [], dropped: [dropped("c", 5), dropped("r", 3)] });
  });

  test("a plan of a move keeps the parts that it moves, and drops the others", () => {
    const entry = { dataset: "review-comments", week, fingerprint: "f", spill } as const;
    const body = entryBody(pointerId, { ...later, payload: undefined }, spill);
    const plan = planMove(pointer, [{ ...entry, body }]);
    expect(plan).toEqual({
      organization,
      pointerId,
      before: pointer,
      occurredAtMs: pointer.occurredAtMs,
      eventId: pointer.eventId,
      entries: [{ ...entry, body }],
      kept: [],
      dropped: [dropped("c", 5), dropped("r", 3)],
      spills: [],
      removals: [],
    });
    expect(planMove(pointer, [{ ...entry, body, spill: undefined }]).spills).toEqual([
      { organization, ...spill },
    ]);
  });
});

describe("removals", () => {
  const old = draft("one", { status: "m" });
  const known = { ...pointer, facets: facetsOf(old) };
  const removalsOf = (datasets: Parameters<typeof change>[3], before: Pointer = known, tenant = acme) =>
    planChange({ change: change(organization, "pr/1", 2, datasets), pointerId, before, tenant }).removals;
  const both = (more: Partial<EntryDraft>) => {
    const one = draft("two", { status: "m", ...more });
    return { "review-comments": one, reviews: one };
  };
  const named = (removals: readonly PlannedRemoval[]) => removals.map(({ dataset }) => dataset);

  test("removals are not made if only the content changed", () => {
    expect(removalsOf(both({}))).toEqual([]);
  });

  test.each([
    ["the day, inside one week", { atMs: someDayMs + 86_400_000 }],
    ["the repository", { repositoryId: "9002" }],
    ["the author", { authorId: null }],
  ])(
    "removals are made if %s changed, in every dataset of the pull request, with the previous values",
    (_, more) => {
      const { status: _status, ...shared } = facetsOf(old);
      expect(removalsOf(both(more))).toEqual([
        { dataset: "review-comments", pullRequest: "pr/1", facets: { ...shared, status: undefined } },
        { dataset: "reviews", pullRequest: "pr/1", facets: { ...shared, status: "m" } },
      ]);
    },
  );

  test("removals of a changed status are for reviews only; a dataset that lost the pull request gets one", () => {
    const closed = draft("two", { status: "c" });
    expect(named(removalsOf(both({ status: "c" })))).toEqual(["reviews"]);
    expect(named(removalsOf({ reviews: draft("two", { status: "m" }) }))).toEqual(["review-comments"]);
    expect(named(removalsOf({ reviews: closed }))).toEqual(["review-comments", "reviews"]);
    expect(named(removalsOf({}))).toEqual(["review-comments", "reviews"]);
  });

  test("removals are not made in the stream of another tenant, where no reader has the pull request", () => {
    expect(removalsOf({}, { ...known, tenant: "w#other" })).toEqual([]);
  });
});
