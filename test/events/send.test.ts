import { describe, expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { groupOf, type OutgoingEvent } from "../../lib/events/send.ts";
import fc from "../support/property.ts";
import {
  createIngestHarness,
  event,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "./support.ts";

/** Sending needs no table. */
const untouched = () => Promise.reject(new Error("Sending must not touch the table."));
const harness = createIngestHarness({
  get: untouched,
  getMany: untouched,
  transactGet: untouched,
  queryPage: untouched,
  scanPage: untouched,
  write: untouched,
  transact: untouched,
  writeMany: untouched,
});

describe("message groups", () => {
  test("an organization and everything in it share one message group; another organization has another", () => {
    const own = `organization.${uuidOf()}`;
    expect([organizationSaved(1), repositorySaved(2), memberSaved(3)].map(groupOf)).toEqual([own, own, own]);
    expect(groupOf(memberSaved(3, organizationName("1002")))).toBe(`organization.${uuidOf("1002")}`);
  });

  test("joining a workspace does not change an organization's message group", () => {
    expect(groupOf(organizationSaved(9, { workspace_id: "acme" }))).toBe(groupOf(organizationSaved(1)));
  });

  test("an instance and all its organizations share one message group; a workspace has its own", () => {
    const forge = { provider: "gitlab", instance_id: "forge" };
    const groups = [
      instanceSaved(1),
      organizationSaved(2, forge),
      memberSaved(3, { ...forge, provider_organization_id: "2" }),
    ];
    expect(new Set(groups.map(groupOf)).size).toBe(1);
    expect(groupOf(workspaceSaved(1, { id: "forge" }))).not.toBe(groupOf(instanceSaved(1)));
  });

  test("every event has a stable group name that SQS accepts, whatever its content", () => {
    const anyEvent: fc.Arbitrary<OutgoingEvent> = fc.record({
      id: fc.uuid(),
      type: fc.oneof(fc.string(), fc.constantFrom("workspace.saved", "instance.saved", "member.saved")),
      occurred_at: fc.constant("2026-10-01T00:00:00.000Z"),
      data: fc.oneof(
        fc.jsonValue(),
        fc.record({
          id: fc.string({ unit: "binary" }),
          provider: fc.constant("github"),
          instance_id: fc.option(fc.string({ unit: "binary" })),
          provider_organization_id: fc.string({ unit: "binary" }),
        }),
      ),
    });
    fc.assert(
      fc.property(anyEvent, (each) => {
        expect(groupOf(each)).toMatch(/^[a-z]+\.[0-9a-f-]{36}$/);
        expect(groupOf(structuredClone(each))).toBe(groupOf(each));
      }),
    );
  });
});

describe("sending", () => {
  test("sending keeps the order, and gives each message its event's id", async () => {
    const events = [organizationSaved(1), repositorySaved(2), memberSaved(3)];
    const messages = await toMessages(harness, events);
    expect(messages.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(messages.map(({ body }) => JSON.parse(body))).toEqual(events);
  });

  test.each([
    ["an event of less than 200,000 bytes is sent inline", eventLimits.inlineBytesMax - 1, false],
    ["an event of 200,000 bytes is sent by reference", eventLimits.inlineBytesMax, true],
  ])("%s", async (_, bytes, byReference) => {
    const padded = (note: string) => event("number.sent", 1, { note });
    const rest = Buffer.byteLength(JSON.stringify(padded("")));
    const sent = padded("é".repeat((bytes - rest) >> 1).padEnd(bytes - rest - ((bytes - rest) >> 1), "x"));
    expect(Buffer.byteLength(JSON.stringify(sent))).toBe(bytes);

    const [message] = await toMessages(harness, [sent]);

    const body = JSON.parse(message?.body ?? "");
    if (!byReference) return expect(body).toEqual(sent);
    const { id, type, occurred_at } = sent;
    expect(body).toEqual({ id, type, occurred_at, reference: expect.stringContaining(id) });
    expect(JSON.parse(Buffer.from(harness.objects.get(body.reference) ?? []).toString())).toEqual(sent);
  });

  test("characters that SQS refuses are escaped, and restored when read", async () => {
    const sent = event("number.sent", 1, { note: "\uffff\ufffe\u0007 \u{1F600}" });
    const [message] = await toMessages(harness, [sent]);
    expect([..."\uffff\ufffe\u0007"].filter((character) => message?.body.includes(character))).toEqual([]);
    expect(JSON.parse(message?.body ?? "")).toEqual(sent);
  });
});
