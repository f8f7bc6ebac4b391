import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { cursorLimits, learningLimits } from "../../lib/contract/limits.ts";
import { removedOrganization } from "../../lib/contract/records.ts";
import { learningRecord, removedLearning } from "../../lib/contract/records-learnings.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

const page = z.object({
  data: z.array(learningRecord),
  removed: z.array(z.union([removedLearning, removedOrganization])),
  next_cursor: z.string().nullable(),
});

/** A caller that applies every page: the last record per organization and Learning. */
class Mirror {
  readonly held = new Map<string, string>();
  readonly removed: string[] = [];
  #cursor = "";
  readonly #key: string;
  readonly #filters: string;
  constructor(key: string, filters = "") {
    this.#key = key;
    this.#filters = filters;
  }

  /** Reads to the end; returns the ids and organizations that were removed. */
  async follow(limit = 1000): Promise<string[]> {
    const before = this.removed.length;
    for (;;) {
      const path = `/v1/learnings?include_removed=true&limit=${limit}${this.#filters}${this.#cursor}`;
      const answer = await api.call(path, { key: this.#key });
      expect([answer.status, answer.message]).toEqual([200, ""]);
      const { data, removed, next_cursor } = page.parse(answer.json);
      expect(data.length + removed.length).toBeLessThanOrEqual(limit);
      for (const { organization_id, id, learning } of data)
        this.held.set(`${organization_id} ${id}`, learning);
      for (const record of removed) this.#drop(record);
      this.#cursor = `&cursor=${next_cursor ?? answer.headers["x-resume-cursor"]}`;
      if (next_cursor === null) return this.removed.slice(before);
    }
  }

  #drop(record: z.output<typeof removedLearning> | z.output<typeof removedOrganization>): void {
    const gone = `${record.organization_id} ${"id" in record ? record.id : ""}`;
    for (const id of this.held.keys()) if (id.startsWith(gone)) this.held.delete(id);
    this.removed.push("id" in record ? record.id : record.organization_id);
  }

  async expectFresh(): Promise<void> {
    const fresh = new Mirror(this.#key, this.#filters);
    expect(await fresh.follow(1)).toEqual([]);
    expect([...this.held].toSorted()).toEqual([...fresh.held].toSorted());
  }
}

const keyOf = async ({ uuid }: Home) => await world.adminKey(uuid, "ann");

/** The verbs of a writer whose clock is off by this much. */
async function writerOf(home: Home, aheadMs = 0) {
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const organization = await organizationOf(table(), home.uuid);
  const verbs = verbsOf(table(), { clock });
  return {
    write: async (...texts: string[]) => {
      const data = texts.map((text) => item(text));
      const { results } = await verbs.post({ organization, authorId: "ann" }, ...data);
      return results.map(({ id }) => id ?? "");
    },
    change: (id: string, text: string) => verbs.patch(organization, id, text),
    remove: (id: string) => verbs.remove(organization, id),
  };
}

describe("a mirror of Learnings", () => {
  test("a mirror drops deleted Learnings during its first walk and after; a new walk receives no removals", async () => {
    const home = await newHome(world);
    const { write, remove } = await writerOf(home);
    const [one = "", two = "", three = ""] = await write("one", "two", "three");
    const mirror = new Mirror(await keyOf(home));
    expect(await mirror.follow(2)).toEqual([]);
    await remove(two);
    expect(await mirror.follow()).toEqual([two]);
    await mirror.expectFresh();
    await remove(one);
    await remove(three);
    expect((await mirror.follow(1)).toSorted()).toEqual(expect.arrayContaining([one, three]));
    expect(mirror.held.size).toBe(0);
    await mirror.expectFresh();
    await checkTable(table());
  });

  test.each([
    ["ahead", 60_000],
    ["behind", -60_000],
  ])(
    "a mirror keeps a Learning that was created again after its deletion, by a writer whose clock is %s",
    async (_, aheadMs) => {
      const home = await newHome(world);
      const [right, wrong] = [await writerOf(home), await writerOf(home, aheadMs)];
      const [id = ""] = await right.write("made again");
      const mirror = new Mirror(await keyOf(home));
      await mirror.follow();
      await wrong.remove(id);
      expect(await right.write("made again")).toEqual([id]);
      await mirror.follow();
      expect([...mirror.held.values()]).toEqual(["made again"]);
      await right.remove(id);
      expect(await wrong.write("made again")).toEqual([id]);
      await mirror.follow(1);
      await mirror.expectFresh();
      await wrong.remove(id);
      await mirror.follow();
      expect(mirror.held.size).toBe(0);
      await checkTable(table());
    },
  );

  test("a mirror receives only removals that match its filters; only the audit log keeps first words", async () => {
    const home = await newHome(world);
    await world.repository(home.name, "repo-2");
    const { write, remove } = await writerOf(home);
    const [id = ""] = await write("a deleted text");
    const key = await keyOf(home);
    const [mine, other] = [new Mirror(key, "&repository_ids=repo-1"), new Mirror(key, "&user_ids=bob")];
    await mine.follow();
    await other.follow();
    await remove(id);
    expect([await mine.follow(), await other.follow()]).toEqual([[id], []]);
    const { items } = await table().scanPage({});
    const others = items.filter(({ pk }) => !pk.startsWith("AUDIT#"));
    expect(JSON.stringify(others)).not.toContain("a deleted text");
  });

  test("a mirror drops an organization that left a workspace, and has it again when it returns", async () => {
    const workspace_id = await world.workspace("mirrored");
    const [one, two] = [await newHome(world, { workspace_id }), await newHome(world, { workspace_id })];
    await (await writerOf(one)).write("stays");
    const writer = await writerOf(two);
    const [id = ""] = await writer.write("leaves", "leaves too");
    const mirror = new Mirror((await world.token(workspace_id)).text);
    await mirror.follow();
    const organization_id = two.name.provider_organization_id;
    await world.organization(organization_id, { workspace_id, active: false });
    expect(await mirror.follow()).toEqual([organization_id]);
    expect([...mirror.held.values()]).toEqual(["stays"]);
    // The removal of the last organization is sent too, before its reader is refused.
    await world.organization(one.name.provider_organization_id, { workspace_id, plan: "pro" });
    expect(await mirror.follow()).toEqual([one.name.provider_organization_id]);
    expect(mirror.held.size).toBe(0);
    await writer.remove(id);
    for (const { name } of [one, two])
      await world.organization(name.provider_organization_id, { workspace_id });
    await mirror.follow(1);
    await mirror.expectFresh();
    expect(mirror.held.size).toBe(2);
  });

  test("a mirror drops a deleted Learning that a request from before the move listed with the old tenant", async () => {
    const [from, to] = [await world.workspace("moved-from"), await world.workspace("moved-to")];
    const home = await newHome(world, { workspace_id: from });
    await newHome(world, { workspace_id: to });
    const before = await writerOf(home);
    const [deleted = "", changed = ""] = await before.write("deleted", "changed");
    await world.organization(home.name.provider_organization_id, { workspace_id: to });
    const mirror = new Mirror((await world.token(to)).text);
    await mirror.follow();
    expect(mirror.held.size).toBe(2);
    await before.change(deleted, "deleted soon");
    await before.change(changed, "changed late");
    await (await writerOf(home)).remove(deleted);
    await mirror.follow();
    const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 2 * learningLimits.settledAfterMs };
    await relistMoved({ ...world.deps, clock: later });
    await mirror.follow(1);
    expect([...mirror.held.values()]).toEqual(["changed late"]);
    await mirror.expectFresh();
    await checkTable(table());
  });

  test("a mirror gets a Learning only once it moved with its organization; until then none needs a removal", async () => {
    const [from, to] = [await world.workspace("arriving-from"), await world.workspace("arriving-to")];
    const [home, other] = [
      await newHome(world, { workspace_id: from }),
      await newHome(world, { workspace_id: to }),
    ];
    // Long enough ago that the mirror has already passed their positions.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 10 * learningLimits.settledAfterMs });
    const [deleted = ""] = await (await writerOf(home)).write("deleted soon", "arrives late");
    vi.useRealTimers();
    await (await writerOf(other)).write("of another");
    const mirror = new Mirror((await world.token(to)).text);
    await mirror.follow();
    // The organization is visible in its new tenant, and the move is interrupted before its first Learning.
    const cutOff: Table = {
      ...table(),
      write: async (write, options) => {
        if ("put" in write && write.put.pk === kinds.relist.partition())
          throw new StoreUnavailable("cut off", true);
        return await table().write(write, options);
      },
    };
    const moving = new World(() => cutOff).organization(home.name.provider_organization_id, {
      workspace_id: to,
    });
    await expect(moving).rejects.toThrow();
    await mirror.follow();
    await (await writerOf(home)).remove(deleted);
    // A newer event about the organization leaves the rest of the move to the scheduled worker.
    await world.organization(home.name.provider_organization_id, { workspace_id: to });
    await mirror.follow();
    expect([...mirror.held.values()]).toEqual(["of another"]);
    expect(await resumeMoves({ ...world.deps, clock: { ...systemClock, sleep: async () => {} } })).toBe(1);
    await mirror.follow();
    expect([...mirror.held.values()].sort()).toEqual(["arrives late", "of another"]);
    await mirror.expectFresh();
  });

  test.each(["", "&include_removed=true"])(
    "a cursor with repository_name is refused once the name belongs to another repository%s",
    async (more) => {
      const home = await newHome(world);
      await world.repository(home.name, "repo-2");
      const [mine = ""] = await (await writerOf(home)).write("mine");
      const { text: key } = await world.key({ kind: "user", organization: home.uuid, owner: "ann" });
      const path = `/v1/learnings?repository_name=group/repository-repo-1${more}`;
      const get = (cursor = "") => api.call(`${path}${cursor}`, { key });
      const cursor = `&cursor=${(await get()).headers["x-resume-cursor"]}`;
      expect((await get(cursor)).status).toBe(200);
      await world.repository(home.name, "repo-1", { full_name: "group/renamed" });
      await world.repository(home.name, "repo-2", { full_name: "group/repository-repo-1" });
      const refused = await get(cursor);
      expect([refused.status, refused.codes]).toEqual([400, ["INVALID_CURSOR"]]);
      expect(refused.message).toContain("Start again without a cursor.");
      expect(JSON.stringify((await get()).json)).not.toContain(mine);
    },
  );

  test("a removal record outlives every cursor that needs it: 401 days, and cursors 400", async () => {
    expect([cursorLimits.resumeAgeDaysMax, learningLimits.removalDays]).toEqual([400, 401]);
    const workspace_id = await world.workspace("long-lived");
    const home = await newHome(world, { workspace_id });
    const { write, remove } = await writerOf(home);
    const [id = ""] = await write("removed");
    const merged = (change: object) =>
      world.pullRequest(home.name, 1, { repository_id: "repo-1", ...change });
    await merged({});
    const beforeMs = systemClock.nowMs();
    await remove(id);
    await merged({ comments: [], reviewed: false });
    await world.organization(home.name.provider_organization_id, { workspace_id, active: false });
    const { items } = await table().scanPage({});
    const tenant = workspaceTenant(workspace_id);
    const kept = items.filter(
      ({ pk, sk }) =>
        (pk.endsWith("#removed") && pk.includes(tenant)) || (pk.endsWith(tenant) && sk.startsWith("LEFT#")),
    );
    expect(kept.map(({ pk }) => pk.split("#")[0]).toSorted()).toEqual([
      "LEARNINGS",
      "ORGS",
      "S",
      "S",
      "S",
      "S",
    ]);
    const dayMs = 86_400_000;
    for (const { ttl } of kept) {
      expect(Number(ttl) * 1000).toBeGreaterThanOrEqual(beforeMs + 401 * dayMs);
      expect(Number(ttl) * 1000).toBeLessThan(beforeMs + 402 * dayMs);
    }
  });

  test.each(["format=csv", "search=x", "file=x", "stat_filter=total"])(
    "a mirror is refused with %s",
    async (more) => {
      const key = await keyOf(await newHome(world));
      const answer = await api.call(`/v1/learnings?include_removed=true&${more}`, { key });
      expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
      expect(answer.message).toContain("include_removed: must not be sent with");
    },
  );
});
