import { describe, expect, test } from "vitest";
import { moveLogs } from "../../../lib/organizations/move-log.ts";
import { github } from "../../support/world.ts";
import { dayMs, typesOf, useRinging } from "./ringing.ts";

const { clock, company, deps, endpoint, restart, run, world } = useRinging();

describe("the ring of a dataset", () => {
  const metrics = ["metrics.mcp", "metrics.review_comments", "metrics.reviews"] as const;

  test("comes once to a new webhook, and then only when something is new", async () => {
    const uuid = await company();
    const { receiver, stored } = await endpoint(uuid, ["learnings", "audit_logs", ...metrics]);
    await run();
    expect(typesOf(receiver)).toEqual(["audit_logs", "learnings", ...metrics]);
    // The entry about the webhook itself settles meanwhile.
    await run(3);
    expect(typesOf(receiver)).toEqual(["audit_logs"]);
    await run(5);
    expect(typesOf(receiver)).toEqual([]);
    expect((await stored()).last_success_at).not.toBeNull();
  });

  test("says where to resume, and contains no record", async () => {
    const { receiver } = await endpoint(await company("acme"), ["metrics.reviews"]);
    await run();
    expect(receiver.heard).toEqual([
      {
        id: expect.stringMatching(/^ring_/),
        type: "metrics.reviews",
        data: { organization_id: "acme", resume: { operation: "listReviewMetrics" } },
      },
    ]);
  });

  test("comes at most once a minute and type, however many pull requests were finalized", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, metrics);
    await run();
    typesOf(receiver);
    for (const number of [1, 2, 3, 4, 5]) await world().pullRequest(github("one"), number, {});
    await run();
    expect(typesOf(receiver)).toEqual([...metrics]);
    await run(3);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of Learnings comes when a resumed walk surely has them, also for a deletion", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["learnings"]);
    await run();
    typesOf(receiver);
    await world().learning(github("one"), "Say why.");
    await run(2);
    expect(typesOf(receiver)).toEqual([]);
    await run(2);
    expect(typesOf(receiver)).toEqual(["learnings"]);
    await run(3);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of the audit log also comes when the month turned meanwhile", async () => {
    restart("2026-11-30T23:57:30.000Z");
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["audit_logs"]);
    await run(6);
    typesOf(receiver);
    await world().role(uuid, "New");
    clock().advance(40 * dayMs);
    await run();
    expect(typesOf(receiver)).toEqual(["audit_logs"]);
    clock().advance(70 * dayMs);
    await run(2);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("of a workspace also comes when an organization becomes visible", async () => {
    await world().workspace("acme");
    await company("one", { workspace_id: "acme" });
    await company("two", { workspace_id: "acme", plan: "pro" });
    const { receiver } = await endpoint("w#acme", ["learnings", "metrics.reviews"]);
    await run();
    typesOf(receiver);
    await world().organization("two", { workspace_id: "acme", plan: "enterprise" });
    await run();
    expect(typesOf(receiver)).toEqual(["learnings", "metrics.reviews"]);
  });

  test("of a workspace's audit log comes again when the log of an organization that joined is readable", async () => {
    await world().workspace("acme");
    const uuid = await company("one");
    await world().role(uuid, "Before it joined");
    const { receiver } = await endpoint("w#acme", ["audit_logs"]);
    await run(4);
    await world().organization("one", { workspace_id: "acme" });
    await run(6);
    typesOf(receiver);
    expect(await moveLogs(deps())).toBe(1);
    await run();
    expect(typesOf(receiver)).toEqual(["audit_logs"]);
    expect(await moveLogs(deps())).toBe(0);
    await run(4);
    expect(typesOf(receiver)).toEqual([]);
  });

  test("does not come while nobody may read the data", async () => {
    const uuid = await company();
    const { receiver } = await endpoint(uuid, ["metrics.reviews"]);
    await world().organization("one", { plan: "pro" });
    await run();
    await world().organization("one", { active: false });
    await run();
    expect(typesOf(receiver)).toEqual([]);
    await world().organization("one", {});
    await run();
    expect(typesOf(receiver)).toEqual(["metrics.reviews"]);
  });
});
