import { describe, expect, test } from "vitest";
import { type AuditPage, type AuditPosition, readAuditLog } from "../../../lib/audit/list.ts";
import { auditLimits } from "../../../lib/contract/limits.ts";
import { toTimestamp } from "../../../lib/runtime/clock.ts";
import { auditKey } from "../../../lib/store/layout.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import { TestClock } from "../../support/clock.ts";
import { tableWith } from "../../support/partial-table.ts";
import { volume } from "../../support/volume.ts";
import { Dice } from "../simulation/model/scheduler.ts";
import { SortedItems } from "../simulation/model/sorted-items.ts";

const seeds = volume(150, 5_000);
const owner = "w#acme";

/**
 * Writers whose entries become visible late, and a reader that walks the log in small pages and resumes it repeatedly.
 */
class AuditResumeSimulation {
  readonly #dice: Dice;
  readonly #clock = new TestClock("2026-11-30T23:30:00.000Z");
  readonly #shelf = new SortedItems();
  readonly #underWay: Array<{ readonly item: Item; readonly visibleMs: number }> = [];
  readonly #written = new Set<string>();
  readonly mirror = new Set<string>();
  #cursor: AuditPosition | null = null;
  readonly #resume: (page: AuditPage, pageStartMs: number) => AuditPosition;

  constructor(seed: number, resume: (page: AuditPage, pageStartMs: number) => AuditPosition) {
    this.#dice = new Dice(seed);
    this.#resume = resume;
  }

  #write(): void {
    const startMs = this.#clock.nowMs();
    const createdAt = toTimestamp(startMs);
    const id = `00000000-0000-4000-8000-${String(this.#dice.below(1e9)).padStart(12, "0")}`;
    const item = {
      ...auditKey(owner, createdAt, id),
      id,
      action: "key.created",
      resource_type: "api_key",
      resource_id: null,
      summary: "",
      actor: { type: "system", id: null, name: null, key_id: null, key_kind: null },
      organization_id: null,
      provider: null,
      organization: null,
      metadata: {},
      ip_address: null,
      request_id: null,
      created_at: createdAt,
      gateway_request_id: null,
      ttl: Math.ceil(startMs / 1000) + 86_400,
    };
    const delayMs = this.#dice.below(3) === 0 ? this.#dice.below(auditLimits.settledAfterMs - 1_000) : 0;
    this.#underWay.push({ item, visibleMs: startMs + delayMs });
  }

  /** Makes the entries visible that are due by now. */
  #land(): void {
    for (const { item, visibleMs } of this.#underWay) {
      if (visibleMs > this.#clock.nowMs() || this.#written.has(item.sk)) continue;
      this.#written.add(item.sk);
      this.#shelf.set(item, item);
    }
  }

  async #readPage(): Promise<boolean> {
    this.#land();
    const table: Table = tableWith({
      queryPage: async (range, resume) => {
        const left = this.#shelf.range(resume ? { ...range, after: resume.sk } : range);
        const items = left.slice(0, 3);
        const last = items.at(-1);
        return last && left.length > items.length ? { items, resume: last } : { items };
      },
    });
    const startMs = this.#clock.nowMs();
    const limit = 1 + this.#dice.below(4);
    const page = await readAuditLog(
      { table, clock: this.#clock },
      {
        owner,
        order: "asc",
        fromMs: undefined,
        toMs: undefined,
        after: this.#cursor,
        limit,
        retentionDays: 400,
        wanted: () => true,
      },
    );
    for (const { sk } of page.entries) this.mirror.add(sk);
    this.#cursor = page.next ?? this.#resume(page, startMs);
    return page.next === null;
  }

  /** Returns the entries that the mirror lacks at the end. */
  async run(): Promise<string[]> {
    for (let step = 0; step < 60; step++) {
      for (let count = this.#dice.below(3); count > 0; count--) this.#write();
      this.#clock.advance(this.#dice.below(2) === 0 ? this.#dice.below(2_000) : this.#dice.below(240_000));
      if (this.#dice.below(2) === 0) await this.#readPage();
    }
    this.#clock.advance(2 * auditLimits.settledAfterMs);
    for (let walks = 0; walks < 2; ) if (await this.#readPage()) walks++;
    return [...this.#written].filter((sk) => !this.mirror.has(sk));
  }
}

/** A cursor that knows too little: only the last page's time counts. */
const lastPageOnly = ({ entries, resume }: AuditPage, startMs: number): AuditPosition => {
  const settled = `${toTimestamp(startMs - auditLimits.settledAfterMs)}#`;
  const last = entries.at(-1)?.sk ?? resume.place;
  const place = last > settled ? settled : last;
  return { place, settled: place };
};

describe("a reader who walks the audit log and resumes the walk has every entry in the end", () => {
  test(`a reader who resumes a walk of the audit log has every entry in the end, in ${seeds} random lives`, async () => {
    for (let seed = 0; seed < seeds; seed++) {
      expect(await new AuditResumeSimulation(seed, ({ resume }) => resume).run(), `seed ${seed}`).toEqual([]);
    }
  });

  test("the simulation detects a resume that knows only the last page's time", async () => {
    let missed = 0;
    for (let seed = 0; seed < seeds; seed++)
      missed += (await new AuditResumeSimulation(seed, lastPageOnly).run()).length;
    expect(missed).toBeGreaterThan(0);
  });
});
