import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../lib/contract/operation.ts";
import { checkMark } from "../../lib/http/cursors.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { noEpochs } from "../../lib/store/items/scope-epochs.ts";
import { organizationItem } from "../access/principals.ts";
import { invalidCursor, type PageRequest, resumable, useCursorFixture } from "./cursor-fixture.ts";

const newFixture = useCursorFixture();

describe("a cursor", () => {
  test.each([
    ["another selector", { selector: "one:1" }],
    ["another filter", { query: { repository_ids: ["1", "3"], start_date: "2026-01-01" } }],
    ["a filter more", { query: { repository_ids: ["1", "2"], start_date: "2026-01-01", user_ids: ["9"] } }],
    ["another window", { query: { repository_ids: ["1", "2"], start_date: "2026-01-02" } }],
  ])("a cursor is bound to its walk: %s is refused", async (_, change) => {
    const { walk, open } = await newFixture();
    const query = { repository_ids: ["1", "2"], start_date: "2026-01-01" };
    const cursor = await open(walk({ operation: resumable, query }).next("a"), resumable);
    expect(() => walk({ operation: resumable, query, ...change, cursor })).toThrow(
      expect.objectContaining({
        ...invalidCursor,
        message:
          "cursor: belongs to another request. Keep the filters and the organization of the first page.",
      }),
    );
  });

  test("a cursor from before a change of tenant is refused with the advice to start a new walk", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk({ operation: resumable, selector: "one:1" }).next("a"), resumable);
    expect(() => walk({ operation: resumable, selector: "one:1", tenant: "w#other", cursor })).toThrow(
      expect.objectContaining({
        ...invalidCursor,
        message:
          "cursor: was made before the organization changed its workspace or instance, before the service was " +
          "restored from a backup, or with a key of another one. Start again without a cursor.",
      }),
    );
  });

  test("a cursor accepts filters in any order, omitted filters, and any way to name the scope", async () => {
    const { walk, open } = await newFixture();
    const filters = [
      ["status", "merged"],
      ["user_ids", ["9"]],
      ["start_date", "2026-01-01"],
      ["end_date", "2026-02-01"],
    ];
    const query = Object.fromEntries(filters);
    const cursor = await open(walk({ operation: resumable, query }).next("a"), resumable);
    const later = [
      Object.fromEntries(filters.toReversed()),
      Object.fromEntries([...filters.slice(2), ...filters.slice(0, 2)]),
      { ...query, repository_ids: undefined },
      { ...query, cursor: "x", org_id: "1001", organization_ids: ["1001"] },
    ];
    for (const each of later) expect(walk({ operation: resumable, query: each, cursor }).position).toBe("a");
  });

  test("a cursor is bound to the repositories that the caller can read", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk({ readable: "some" }).next("a"));
    expect(walk({ readable: "some", cursor }).position).toBe("a");
    for (const change of [{ readable: "others" }, {}])
      expect(() => walk({ ...change, cursor })).toThrow(
        expect.objectContaining({
          ...invalidCursor,
          message:
            "cursor: was made for other repositories: those that the key's member can read have changed. Start again without a cursor.",
        }),
      );
  });

  test("a cursor treats filter lists as sets, and accepts another limit or format", async () => {
    const { walk, open } = await newFixture();
    const made = walk({
      operation: resumable,
      query: { repository_ids: ["1", "2"], limit: 5, format: "csv" },
    });
    const cursor = await open(made.next("a"), resumable);
    const later = walk({ operation: resumable, query: { repository_ids: ["2", "1"], limit: 9 }, cursor });
    expect(later).toMatchObject({ position: "a", pageSize: 9 });
  });

  test("a cursor stores the page size where the operation says so: the limit may be omitted, never changed", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk({ query: { limit: 5 } }).next("a"));
    expect(walk({ cursor }).pageSize).toBe(5);
    expect(walk({ query: { limit: 5 }, cursor }).pageSize).toBe(5);
    expect(() => walk({ query: { limit: 6 }, cursor })).toThrow(
      expect.objectContaining({
        ...invalidCursor,
        message: "cursor: keeps the first page's limit of 5. Leave limit out, or send that value.",
      }),
    );
  });
});

describe("a cursor of several organizations", () => {
  const knowing = (published: number, authorized: string[] | null = null) => ({
    key: { authorized },
    scopeEpochs: { ...noEpochs, published },
  });
  const refused = (sentence: string) =>
    expect.objectContaining({
      ...invalidCursor,
      message: `cursor: ${sentence} Start again without a cursor.`,
    });
  const lost = refused("was made before the service was restored from a backup.");

  test("a cursor of several organizations stores the epoch of its scope, and the place of a catch-up", async () => {
    const { walk, open } = await newFixture();
    const catchingUp = { epoch: 3, catchUp: { epoch: 5, place: "x" } };
    for (const mark of [{ epoch: 3 }, catchingUp])
      expect((await open(walk().next("a", mark))).mark).toEqual(mark);
    expect((await open(walk().next("a"))).mark).toBeUndefined();
    expect(() => walk().next("a", { epoch: 3, catchUp: { epoch: 5, place: ["x"] } })).toThrow();
  });

  test("a cursor of several organizations is refused if the service does not know its epoch", async () => {
    expect(checkMark({ mark: { epoch: 3 }, authorizedDigest: undefined }, knowing(3))).toEqual({
      epoch: 3,
    });
    const mark = { epoch: 3, catchUp: { epoch: 5, place: "x" } };
    const cursor = { mark, authorizedDigest: undefined };
    expect(checkMark(cursor, knowing(5))).toBe(mark);
    expect(() => checkMark(cursor, knowing(4))).toThrow(lost);
    expect(() => checkMark({ ...cursor, mark: { epoch: 3 } }, knowing(2))).toThrow(lost);
    expect(() => checkMark({ ...cursor, mark: { epoch: 1 } }, { key: { authorized: null } })).toThrow(lost);
    expect(() => checkMark({ ...cursor, mark: undefined }, knowing(5))).toThrow(
      expect.objectContaining({
        ...invalidCursor,
        message: "cursor: is damaged. Send next_cursor of the previous page as it is.",
      }),
    );
  });

  test("a cursor of several organizations is bound to the key's authorized organizations, in any order", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk({ authorized: ["b", "a"] }).next("a", { epoch: 1 }));
    expect(checkMark(cursor, knowing(1, ["a", "b"]))).toEqual({ epoch: 1 });
    for (const authorized of [["a"], null])
      expect(() => checkMark(cursor, knowing(1, authorized))).toThrow(
        refused("was made with a key that is authorized for other organizations."),
      );
  });
});

describe("a cursor after a restore or a return", () => {
  const moved = expect.objectContaining({
    ...invalidCursor,
    message: expect.stringContaining("before the service was restored from a backup"),
  });
  const changed = (first: Partial<PageRequest>, later: Partial<PageRequest>) => async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk(first).next("a"), first.operation);
    expect(walk({ ...first, cursor }).position).toBe("a");
    return walk({ ...first, ...later, cursor }).position;
  };
  const oneWith = (change: Partial<OrganizationItem>) => ({
    selector: "one:uuid-1",
    organizations: [organizationItem("1", change)],
  });
  const operation = resumable;
  const ending: Operation = {
    ...resumable,
    paging: { bindsPageSize: false, resumable: true, endsWithRestore: true, defaultSize: 7 },
  };
  const query = { include_removed: true };

  test("a cursor of several organizations is refused after a restore if its walk can be resumed", async () => {
    await expect(changed({ operation, restored: "r1" }, { restored: "r2" })()).rejects.toEqual(moved);
    expect(await changed({ restored: "r1" }, { restored: "r2" })()).toBe("a");
  });

  test("a cursor of one organization is refused after a restore if of a mirror, or if the operation says so", async () => {
    const [before, after] = [oneWith({ restored: "r1" }), oneWith({ restored: "r2" })];
    await expect(changed({ operation: ending, ...before }, after)()).rejects.toEqual(moved);
    await expect(changed({ operation, query, ...before }, after)()).rejects.toEqual(moved);
    expect(await changed({ operation, ...before }, after)()).toBe("a");
  });

  test("a cursor is valid in every release if nothing was restored or came back: only the tenant is bound", async () => {
    const { walk, open } = await newFixture();
    const tenantDigest = createHash("sha256").update("w#acme").digest().subarray(0, 6).toString("base64url");
    const one = oneWith({});
    for (const change of [{ operation }, { operation, ...one }, { operation: ending, query, ...one }])
      expect(await open(walk(change).next("a"), change.operation)).toMatchObject({ tenantDigest });
  });

  test("a cursor of a mirror of one organization is refused if the organization left and came back", async () => {
    const [before, after] = [oneWith({ arrived: "a1" }), oneWith({ arrived: "a2" })];
    await expect(changed({ operation, query, ...before }, after)()).rejects.toEqual(moved);
    expect(await changed({ operation, ...before }, after)()).toBe("a");
    expect(
      await changed({ operation, query, ...before, selector: "all" }, { ...after, selector: "all" })(),
    ).toBe("a");
  });
});
