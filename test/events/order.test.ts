import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { isOf } from "../../lib/contract/kind.ts";
import { instanceTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { ingest } from "../../lib/events/ingest.ts";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { approveDue } from "../../lib/learnings/approval.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";
import { parseLearning } from "../../lib/store/items/learning.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import { canonicalInstant, finerOf, occurredAtOf, versionOf } from "../../lib/store/items/version.ts";
import { openStore, useStore } from "../support/engine.ts";
import { captured } from "../support/event-data.ts";
import { asFunction } from "../support/granted-table.ts";
import {
  createIngestHarness,
  deliver,
  event,
  everything,
  type IngestHarness,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "./support.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});
const nameNow = async () => {
  const item = await harness.table.get(kinds.organization.key({ organization: uuidOf() }));
  return item && parseOrganization(item).name;
};
const at = (occurred_at: string, name: string) => ({ ...organizationSaved(1, { name }), occurred_at });

describe("versions", () => {
  test("versions sort as text in time order, to the last digit that was sent", () => {
    const times = [
      "2026-10-01T00:00:00Z",
      "2026-10-01T00:00:00.1229999Z",
      "2026-10-01T00:00:00.123Z",
      "2026-10-01T00:00:00.123000001Z",
      "2026-10-01T00:00:00.12345Z",
      "2026-10-01T00:00:00.123456Z",
      "2026-10-01T00:00:00.1235Z",
      "2026-10-01T00:00:00.124Z",
    ];
    const versions = times.map((occurred_at) => versionOf({ occurred_at, id: "f" }));
    expect(versions.toSorted()).toEqual(versions);
    expect(versions.map(occurredAtOf)).toContain("2026-10-01T00:00:00.123Z");
    expect(versions.map(finerOf)).toEqual(["", "9999", "", "000001", "45", "456", "5", ""]);
  });

  test("versions of the same instant are equal, however the time was written", () => {
    const same = ["2026-10-01T02:00:00.1234500+02:00", "2026-10-01T00:00:00.12345Z"];
    expect(new Set(same.map((occurred_at) => versionOf({ occurred_at, id: "a" }))).size).toBe(1);
    expect(same.map(canonicalInstant)).toEqual(Array(2).fill("2026-10-01T00:00:00.12345Z"));
  });
});

test("of two events within a millisecond the later one wins, whichever arrives first", async () => {
  const [newer, older] = [
    at("2026-10-01T00:00:00.123456Z", "newer"),
    at("2026-10-01T00:00:00.123Z", "older"),
  ];
  await deliver(harness, [newer, older]);
  expect(await nameNow()).toBe("newer");
});

test("an event from more than ten minutes ahead goes to the dead letters", async () => {
  const nowMs = harness.clock.now;
  const ahead = (ms: number, name: string) => at(new Date(nowMs + ms).toISOString(), name);
  expect(await ingest(harness, await toMessages(harness, [ahead(600_001, "far ahead")]))).toEqual([]);
  expect(harness.letters).toMatchObject([{ reason: "occurred_at: lies more than 10 minutes in the future" }]);
  expect(await nameNow()).toBeUndefined();
  await deliver(harness, [ahead(600_000, "just in time")]);
  expect(await nameNow()).toBe("just in time");
});

test("an event that was accepted and waited is applied by a host whose clock is behind", async () => {
  const saved = { ...memberSaved(1), occurred_at: new Date(harness.clock.now + 599_000).toISOString() };
  await deliver(harness, [saved]);
  harness.clock.now -= 2_000;
  await deliver(harness, [organizationSaved(0)]);
  expect(harness.letters).toEqual([]);
  expect(await harness.table.get(kinds.member.key({ organization: uuidOf(), userId: "4411" }))).toMatchObject(
    { username: "ann" },
  );
});

describe("an event of a sender whose clock is ahead", () => {
  const events = [
    ["organization.saved", organizationSaved, kinds.organization.key({ organization: uuidOf() }), "name"],
    ["workspace.saved", workspaceSaved, kinds.tenant.key({ tenant: workspaceTenant("acme") }), "name"],
    ["instance.saved", instanceSaved, kinds.tenant.key({ tenant: instanceTenant("forge") }), "name"],
    [
      "repository.saved",
      repositorySaved,
      kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" }),
      "name",
    ],
    ["member.saved", memberSaved, kinds.member.key({ organization: uuidOf(), userId: "4411" }), "username"],
  ] as const;

  test.each(events)("%s stays the newest on a host whose clock is behind", async (_, saved, key, field) => {
    await deliver(harness, [organizationSaved(0)]);
    const nowMs = harness.clock.now;
    const at = (ms: number, value: string) => ({
      ...saved(1, { [field]: value }),
      occurred_at: new Date(nowMs + ms).toISOString(),
    });
    await deliver(harness, [at(599_000, "newer")]);
    harness.clock.now -= 2_000;
    await deliver(harness, [at(0, "older")]);
    expect(await harness.table.get(key)).toMatchObject({ [field]: "newer" });
  });
});

test("a capture that waited for its repository ends as one in order, with an approval by the deadline", async () => {
  const capture = event("learning.captured", 2, captured(organizationName(), "Say why."));
  const endOf = async (events: readonly OutgoingEvent[]) => {
    harness = createIngestHarness((await openStore(store().endpoint)).table);
    await deliver(harness, [organizationSaved(0), ...events]);
    harness.clock.now += 60_000;
    await asFunction("approveDue", () => approveDue(harness, expect.fail));
    const items = await everything(harness.table);
    const learnings = items.filter((each) => isOf(kinds.learning, each)).map(parseLearning);
    const entries = items.filter((each) => isOf(kinds.audit, each)).map(parseAudit);
    return {
      // The approval is a change of its own: only its time and the place in the list differ.
      learnings: learnings.map(({ updated_at, revision, listed, ...learning }) => learning),
      waiting: items.filter((each) => isOf(kinds.waiting, each) || isOf(kinds.pending, each)),
      entries: entries.map(({ action, actor, resource_id }) => [action, actor.name, resource_id]),
    };
  };
  const inOrder = await endOf([repositorySaved(1), capture]);
  const waited = await endOf([capture, repositorySaved(1)]);
  const [learning] = inOrder.learnings;
  expect(inOrder).toMatchObject({ learnings: [{ text: "Say why.", state: "approved" }], entries: [] });
  expect(waited).toEqual({
    ...inOrder,
    waiting: [],
    entries: [["learning.approved", "deadline", learning?.id]],
  });
});
