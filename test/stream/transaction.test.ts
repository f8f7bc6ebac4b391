import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { storeLimits, streamLimits } from "../../lib/contract/limits.ts";
import { entryBody, entryPuts } from "../../lib/stream/entry.ts";
import { advanceHead, emptyHead } from "../../lib/stream/head.ts";
import { type ChangePlan, planChange } from "../../lib/stream/plan.ts";
import { fingerprintOf, pointerIdOf, pointerItemOf, pointerUnchanged } from "../../lib/stream/pointer.ts";
import { facetsOf } from "../../lib/stream/removal.ts";
import { sizeOf } from "../../lib/stream/size.ts";
import { datasets } from "../../lib/stream/stream.ts";
import { buildAppend, packPlans } from "../../lib/stream/transaction.ts";
import { organization, pointer, pointerId, reviews, spill, week } from "./one-pointer.ts";
import { acme, change, draft, everywhere } from "./support.ts";

const event = (order: number, more: Parameters<typeof change>[3]) =>
  change(organization, "pr/1", order, more);

describe("an append", () => {
  test("an append is refused when the stream has no numbers left", () => {
    expect(() => buildAppend(acme, { ...emptyHead, next: streamLimits.numberMax + 1 }, [], 0)).toThrow(
      new RangeError("The stream has no numbers left."),
    );
    expect(buildAppend(acme, { ...emptyHead, next: streamLimits.numberMax }, [], 0).writes).toHaveLength(1);
  });

  test("an append is one transaction: head, organizations, both copies, checks of the parts, pointers", () => {
    const other = "00000000-0000-5000-8000-000000000002";
    const large = draft("large");
    const newSpill = { id: "s2", parts: 3 };
    const plans = [
      planChange({
        change: event(2, { reviews: draft("one"), mcp: large }),
        pointerId,
        before: pointer,
        tenant: acme,
        spillOf: () => newSpill,
      }),
      planChange({ change: change(other, "pr/1", 3, {}), pointerId, tenant: acme }),
      planChange({ change: change(other, "pr/2", 4, { reviews: large }), pointerId: "p2", tenant: acme }),
    ];
    const head = { next: 8, published: 7, pending: undefined, weeks: [{ week: 3, lowest: 1, highest: 7 }] };

    const { writes, after, tenantChecks, spillChecks } = buildAppend(acme, head, plans, 0);

    const address = { tenant: acme, organization, dataset: "m", week, number: 8 } as const;
    const place = { number: 8, week, fingerprint: fingerprintOf(large), spill: newSpill };
    const { occurredAtMs, eventId } = event(2, {});
    expect(after).toEqual({
      next: 11,
      published: 7,
      pending: {
        added: [
          { organization, pointerId, number: 8, weeks: [["m", week]] },
          { organization: other, pointerId, number: 9, weeks: [] },
          { organization: other, pointerId: "p2", number: 10, weeks: [["r", week]] },
        ],
        dropped: [{ tenant: acme, organization, dataset: "c", week, number: 5 }],
        spills: [{ organization, ...spill }],
      },
      weeks: [
        { week: 3, lowest: 1, highest: 7 },
        { week, lowest: 8, highest: 10 },
      ],
    });
    expect(writes).toEqual([
      advanceHead(acme, head, after),
      { check: kinds.organization.key({ organization }), when: { equals: ["tenant", acme] } },
      { check: kinds.organization.key({ organization: other }), when: { equals: ["tenant", acme] } },
      ...entryPuts(address, entryBody(pointerId, large, newSpill)),
      {
        check: kinds.spill.key({ organization, spillId: "s2" }),
        when: { all: [{ present: "i" }, { absent: "x" }] },
      },
      {
        put: pointerItemOf({
          ...pointer,
          number: 8,
          occurredAtMs,
          eventId,
          places: { reviews, mcp: place },
          facets: facetsOf(large),
        }),
        when: pointerUnchanged(pointer),
      },
      expect.objectContaining({ put: expect.objectContaining({ n: 9 }), when: { absent: "pk" } }),
      ...entryPuts(
        { ...address, organization: other, dataset: "r", number: 10 },
        entryBody("p2", large, undefined),
      ),
      expect.objectContaining({ put: expect.objectContaining({ n: 10 }), when: { absent: "pk" } }),
    ]);
    expect([...tenantChecks]).toEqual([
      [1, organization],
      [2, other],
    ]);
    expect([...spillChecks]).toEqual([[5, "s2"]]);
    expect(writes[0]).toMatchObject({ update: kinds.streamHead.key({ tenant: acme }) });
    expect(buildAppend(acme, emptyHead, plans, 0).after.next).toBe(4);
  });

  test("an append notes in which datasets it wrote removals, until they are settled", () => {
    const before = { ...pointer, facets: facetsOf(draft("one")) };
    const plan = planChange({ change: event(2, {}), pointerId, before, tenant: acme });
    expect(buildAppend(acme, emptyHead, [plan], 0).after.pending?.added).toEqual([
      { organization, pointerId, number: 1, weeks: [], removals: ["c", "r"] },
    ]);
  });
});

describe("the number of changes in a transaction", () => {
  const plans = (count: number, more: { tenant?: `${"w" | "o"}#${string}`; spilled?: boolean } = {}) =>
    Array.from({ length: count }, (_, index) =>
      planChange({
        change: change(organization, `pr/${index}`, index, everywhere("text")),
        pointerId: pointerIdOf(`pr/${index}`),
        tenant: more.tenant ?? acme,
        spillOf: () => (more.spilled ? spill : undefined),
      }),
    );
  const many = { ...streamLimits, changesPerTransactionMax: 1000 };
  const facets = { day: 1, repositoryId: "r", authorId: null, status: "m" };
  const removedEverywhere = (plan: ChangePlan): ChangePlan => ({
    ...plan,
    removals: datasets.map((dataset) => ({ dataset, pullRequest: "pr", facets })),
  });

  test("the number of changes in a transaction is seven for a FIFO batch in which every pull request moves", () => {
    const batch = plans(10).map(removedEverywhere);
    expect(packPlans(acme, batch, streamLimits)).toEqual(batch.slice(0, 7));
  });

  test("the number of changes in a transaction is at most the limit, and all of a FIFO batch", () => {
    const batch = plans(10);
    expect(packPlans(acme, batch, streamLimits)).toEqual(batch);
    expect(packPlans(acme, batch, { ...streamLimits, changesPerTransactionMax: 3 })).toEqual(
      batch.slice(0, 3),
    );
  });

  test("the changes of a transaction need at most a hundred actions, and use as many as possible", () => {
    const batches = [
      { tenant: acme, batch: plans(100), fit: 14 },
      { tenant: acme, batch: plans(100, { spilled: true }), fit: 9 },
      { tenant: "o#1" as const, batch: plans(100, { tenant: "o#1" }), fit: 24 },
      {
        tenant: acme,
        batch: plans(100, { spilled: true }).map((plan, index) => ({ ...plan, organization: `${index}` })),
        fit: 9,
      },
      { tenant: acme, batch: plans(100).map(removedEverywhere), fit: 7 },
    ];
    for (const { tenant, batch, fit } of batches) {
      expect(packPlans(tenant, batch, many)).toHaveLength(fit);
      const actions = (count: number) =>
        buildAppend(tenant, emptyHead, batch.slice(0, count), 0).writes.length;
      expect(actions(fit)).toBeLessThanOrEqual(storeLimits.transactionActionsMax);
      expect(actions(fit + 1)).toBeGreaterThan(storeLimits.transactionActionsMax);
    }
  });

  test("a transaction's changes need at most the maximum of bytes, by a high estimate, but are at least one", () => {
    const batch = plans(4);
    const [first] = batch;
    const bodyBytes = sizeOf(first?.entries[0]?.body);
    const planBytes = 1000 + 3 * 2 * (bodyBytes + 200);
    const packed = (transactionBytesMax: number) =>
      packPlans(acme, batch, { ...many, transactionBytesMax }).length;
    expect([
      packed(3 * planBytes),
      packed(3 * planBytes - 1),
      packed(2 * planBytes),
      packed(1),
      packed(0),
    ]).toEqual([3, 2, 2, 1, 1]);
    const removing = batch.map(removedEverywhere);
    const removingBytes = planBytes + 3 * 2 * 10_000;
    for (const [transactionBytesMax, fit] of [
      [3 * removingBytes, 3],
      [3 * removingBytes - 1, 2],
    ] as const)
      expect(packPlans(acme, removing, { ...many, transactionBytesMax })).toHaveLength(fit);
    const real = sizeOf(
      buildAppend(acme, emptyHead, batch, 0).writes.map((write) => ("put" in write ? write.put : null)),
    );
    expect(real).toBeLessThan(4 * planBytes);
  });
});
