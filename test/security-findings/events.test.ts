import { beforeAll, describe, expect, test } from "vitest";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { scan, statesById, walk } from "./support.ts";
import { createDelivery } from "./support-events.ts";

const store = useStore();
const world = new World(() => store().table);

describe("security_scan.completed", () => {
  test("a scan that comes before its repository waits for it", async () => {
    const delivery = createDelivery(store().table);
    const name = github("early");
    const organization = await world.organization("early");
    expect(await delivery.deliverScan(scan(1, [finding("a")]), name)).toEqual([]);
    expect(await walk(store().table, [organization])).toEqual([]);
    const repository = {
      ...name,
      repository_id: "9001",
      name: "web",
      full_name: "early/web",
      private: true,
      url: "https://git.example.com/early/web",
      active: true,
      approval_delay_days: null,
    };
    const head = { id: "11111111-1111-4111-8111-111111111111", occurred_at: "2026-10-01T00:00:00.000Z" };
    await delivery.deliver("repository.saved", repository, head);
    expect(statesById(await walk(store().table, [organization]))).toEqual({ a: "open" });
    expect(delivery.letters).toEqual([]);
  });

  test("a large scan is sent by reference and stored whole", async () => {
    const delivery = createDelivery(store().table);
    const organization = await world.organization("large");
    await world.repository(github("large"), "9001");
    const findings = Array.from({ length: 2_000 }, (_, index) => finding(`finding-${index}`));
    expect(await delivery.deliverScan(scan(1, findings), github("large"))).toEqual([]);
    expect(delivery.objects.size).toBe(1);
    expect(await walk(store().table, [organization])).toHaveLength(2_000);
  });

  test("a weakness without a CWE name is stored as null; leading zeros and letter case are ignored", async () => {
    const delivery = createDelivery(store().table);
    const organization = await world.organization("weak");
    await world.repository(github("weak"), "9001");
    const named = { a: "cwe-079", b: "OWASP-A1", c: null, d: "CWE-0" };
    const findings = Object.entries(named).map(([id, cwe]) => finding(id, { cwe }));
    await delivery.deliverScan(scan(1, findings), github("weak"));
    const records = await walk(store().table, [organization]);
    expect(Object.fromEntries(records.map(({ id, cwe }) => [id, cwe]))).toEqual({
      a: "CWE-79",
      b: null,
      c: null,
      d: null,
    });
  });

  test("without a state a finding is open, and without evidence it has none, whether null or left out", async () => {
    const delivery = createDelivery(store().table);
    const organization = await world.organization("bare");
    await world.repository(github("bare"), "9001");
    const { evidence: _evidence, state: _state, ...bare } = finding("a");
    const findings = [bare, { ...finding("b"), evidence: null, state: null }];
    const { event_id: id, occurred_at, ...data } = scan(1, []);
    const event = { ...github("bare"), ...data, findings };
    await delivery.deliver("security_scan.completed", event, { id, occurred_at });
    expect(delivery.letters).toEqual([]);
    expect(await walk(store().table, [organization])).toMatchObject([
      { state: "open", evidence: [] },
      { state: "open", evidence: [] },
    ]);
  });

  let organization: string;
  beforeAll(async () => {
    organization = await world.organization("bad");
    await world.repository(github("bad"), "9001");
  });

  test.each([
    [
      "from the year 2099",
      { completed_at: "2099-01-01T00:00:00Z" },
      /^occurred_at: lies more than 10 minutes/,
    ],
    ["from before 2000", { completed_at: "1999-12-31T00:00:00Z" }, /^completed_at: must lie between/],
    [
      "whose time has no zone",
      { completed_at: "2026-10-01T00:00:00", occurred_at: "2026-10-01T00:00:00Z" },
      /^completed_at: must be a date-time/,
    ],
    [
      "with two findings of one id",
      { findings: [finding("a"), finding("a")] },
      /^findings: must not have two/,
    ],
    [
      "with a severity of its own",
      { findings: [finding("a", { severity: "urgent" })] },
      /^findings\[0\]\.severity: /,
    ],
    [
      "with a state of its own",
      { findings: [finding("a", { state: "ignored" })] },
      /^findings\[0\]\.state: /,
    ],
    [
      "with an end before the start",
      { findings: [finding("a", { end_line: 9 })] },
      /^findings\[0\]\.end_line: /,
    ],
    ["with a line 0", { findings: [finding("a", { start_line: 0 })] }, /^findings\[0\]\.start_line: /],
    ["with an empty title", { findings: [finding("a", { title: "" })] }, /^findings\[0\]\.title: /],
    [
      "with a finding too large for a chunk",
      { findings: [finding("a", { evidence: Array.from({ length: 100 }, () => "é".repeat(1_000)) })] },
      /^findings\[0\]: must not take more than 131072 bytes/,
    ],
  ])("a scan %s goes to the dead letters with the reason", async (_, change, reason) => {
    const delivery = createDelivery(store().table);
    expect(await delivery.deliverScan(scan(1, [], change), github("bad"))).toEqual([]);
    expect(delivery.letters).toMatchObject([{ reason: expect.stringMatching(reason) }]);
    expect(await walk(store().table, [organization])).toEqual([]);
  });

  test("findings of the maximum size that do not compress are stored and read", async () => {
    const organization = await world.organization("heavy");
    await world.repository(github("heavy"), "9001");
    const delivery = createDelivery(store().table);
    let seed = 1;
    const noise = (length: number) =>
      Array.from({ length }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return String.fromCharCode(33 + (seed % 90));
      }).join("");
    const findings = Array.from({ length: 8 }, (_each, index) =>
      finding(`finding-${index}`, { evidence: Array.from({ length: 11 }, () => noise(10_000)) }),
    );
    expect(await delivery.deliverScan(scan(1, findings), github("heavy"))).toEqual([]);
    expect(delivery.letters).toEqual([]);
    const records = await walk(store().table, [organization]);
    expect(new Set(records.map(({ evidence }) => evidence[0]))).toEqual(
      new Set(findings.map(({ evidence }) => evidence[0])),
    );
  });
});
