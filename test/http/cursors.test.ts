import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../../lib/access/scope.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import { cursorLimits, requestLimits } from "../../lib/contract/limits.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { listOrganizations, listRepositories } from "../../lib/contract/operations/organizations.ts";
import { operations } from "../../lib/contract/operations.ts";
import { CursorKeyRing, createCursorKeys, rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { bindPaging, checkMark, openCursor, positionText, positionTexts } from "../../lib/http/cursors.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { noEpochs } from "../../lib/store/items/scope-epochs.ts";
import {
  auditKey,
  cursorKeysKey,
  memberKey,
  organizationDirectoryKey,
  personKey,
  repositoryKey,
} from "../../lib/store/layout.ts";
import { keyItem, organizationItem, principalOf } from "../access/principals.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const resumable: Operation = {
  ...listOrganizations,
  paging: { bindsPageSize: false, resumable: true, defaultSize: 7 },
};

async function bench(clock = new TestClock()) {
  const { table } = store();
  const ring = new CursorKeyRing({ clock });
  await createCursorKeys({ table, clock, random: systemRandom });
  ring.accept(await table.get(cursorKeysKey));
  const walk = (change: Partial<Walk> = {}) => {
    const { operation = listOrganizations, tenant = "w#acme", selector = "all", query = {}, cursor } = change;
    const { organizations = [], restored, authorized = null, readable } = change;
    const key = keyItem("instance", { authorized });
    const principal = principalOf("instance", { tenant, key, scopeEpochs: { ...noEpochs, restored } });
    const scope: Scope = { selector, organizations };
    const defaultPageSize = operation.paging?.defaultSize ?? 100;
    return bindPaging(
      { ring, nowMs: clock.nowMs() },
      { operation, principal, scope, readable, query, cursor, defaultPageSize },
    );
  };
  const open = (text: string, operation: Operation = listOrganizations) =>
    openCursor({ ring, table, nowMs: clock.nowMs() }, operation, text);
  return { clock, ring, table, walk, open };
}
type Walk = {
  operation: Operation;
  tenant: `w#${string}`;
  selector: string;
  query: Record<string, unknown>;
  cursor: Awaited<ReturnType<typeof openCursor>>;
  organizations: readonly OrganizationItem[];
  restored: string;
  authorized: string[];
  readable: string;
};
const invalidCursor = { code: "INVALID_CURSOR" };
const damaged = {
  ...invalidCursor,
  message: "cursor: is damaged. Send next_cursor of the previous page as it is.",
};

/** Units of text that grow in some encoding, and plain ones. */
const unit = fc.constantFrom(
  "#",
  "%",
  "%23",
  "%25",
  '"',
  "\\",
  "\u0001",
  "\u001f",
  "/",
  "a",
  "\u00e9",
  "\uffff",
  "\u{1f600}",
);
const identifierOf = (bytesMax: number) =>
  fc.array(unit, { minLength: 1, maxLength: bytesMax }).map((units) => {
    let id = "";
    for (const each of units) if (Buffer.byteLength(id + each) <= bytesMax) id += each;
    return id;
  });
const placeOf = (bytesMax: number) =>
  fc
    .oneof(
      identifierOf(bytesMax),
      unit.map((each) => each.repeat(Math.floor(bytesMax / Buffer.byteLength(each)))),
    )
    .filter((id) => id !== "");

describe("a cursor is never longer than the service accepts, and returns its position", () => {
  const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const longestName = operations.map(({ id }) => id).toSorted((one, other) => other.length - one.length)[0];
  const kinds: Readonly<Record<string, (id: string) => string>> = {
    repository: (id) => repositoryKey(uuid, id).sk,
    member: (id) => memberKey(uuid, id).sk,
    "person without an address": (id) => personKey("w#a", { organization: uuid, userId: id, email: null }).sk,
    "person by address": (id) => personKey("w#a", { organization: uuid, userId: "u", email: id }).sk,
    "organization in the directory": (id) => organizationDirectoryKey(id, uuid).sk,
    "audit entry": () => auditKey("w#a", "2026-11-15T12:00:00.000Z", uuid).sk,
  };

  test.each(Object.entries(kinds))(
    "a cursor at any possible id is never longer than the service accepts, and returns its position: %s",
    async (_, sortKey) => {
      const { walk, open } = await bench();
      const operation = { ...listRepositories, id: longestName ?? "" };
      await fc.assert(
        fc.asyncProperty(placeOf(requestLimits.idBytesMax), fc.boolean(), async (id, resumes) => {
          const position = sortKey(id);
          const text = walk({ operation, query: { limit: 100 } })[resumes ? "resume" : "next"](position);
          expect(text.length).toBeLessThanOrEqual(cursorLimits.charactersMax);
          expect((await open(text, operation)).position).toBe(position);
        }),
        { numRuns: 200 },
      );
    },
  );

  test("a cursor at any other short text returns its position", async () => {
    const { walk, open } = await bench();
    await fc.assert(
      fc.asyncProperty(identifierOf(100), async (position) => {
        expect((await open(walk().next(position))).position).toBe(position);
      }),
    );
  });

  test("a cursor of release 1, with its sort key in JSON, is still valid", async () => {
    const { walk, open, ring, clock } = await bench();
    const { id, secret } = ring.current();
    const parts = JSON.stringify(["w#acme", "all", []]);
    const binding = createHash("sha256").update(parts).digest().subarray(0, 12).toString("base64url");
    const p = repositoryKey(uuid, "50%#").sk;
    const content = JSON.stringify({ o: listOrganizations.id, b: binding, p, t: clock.nowMs() / 1000 });
    const mac = createHmac("sha256", secret).update(`${id}.`).update(content).digest();
    const text = `${id}.${Buffer.concat([mac, Buffer.from(content)]).toString("base64url")}`;
    const cursor = await open(text);
    expect(walk({ cursor }).position).toBe(p);
    // Its single digest does not show which part differs, so the message names both.
    for (const change of [{ tenant: "w#other" as const }, { query: { user_ids: ["9"] } }])
      expect(() => walk({ ...change, cursor })).toThrow(
        expect.objectContaining({
          ...invalidCursor,
          message:
            "cursor: is of an earlier release, and the organization has changed its workspace or instance since, or the " +
            "filters are not those of the first page. Keep the filters; where they are the same, start a new walk.",
        }),
      );
  });
});

describe("a cursor", () => {
  test("a cursor returns the position that it was made for", async () => {
    const { walk, open } = await bench();
    const cursor = await open(walk().next(["2026-11-15", 7]));
    expect(walk({ cursor }).position).toEqual(["2026-11-15", 7]);
    expect(cursor.resumes).toBe(false);
  });

  test("a cursor with any single bit flipped is refused", async () => {
    const { walk, open } = await bench();
    const text = walk().next("0f8fad5b-d9cb-469f-a165-70867728950e");
    const bytes = Buffer.from(text, "latin1");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(open(flipped.toString("latin1")), `bit ${bit}`).rejects.toMatchObject(invalidCursor);
    }
  });

  test("a cursor that is cut, lengthened, empty or made up is refused", async () => {
    const { walk, open, ring } = await bench();
    const text = walk().next("a");
    const forgeries = [
      `${text}.x`,
      `${ring.current().id}.AAAA`,
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      ".",
      "a.b",
      "null",
      text.split(".")[1] ?? "",
      `x${text}`,
    ];
    for (const forgery of forgeries) await expect(open(forgery), forgery).rejects.toMatchObject(damaged);
  });

  test.each([
    ["nothing", ""],
    ["a payload of another form", JSON.stringify({ o: listOrganizations.id, t: 0 })],
    ["a payload without a position", JSON.stringify({ o: listOrganizations.id, b: "", t: 0 })],
  ])("a cursor with a valid signature over %s is refused", async (_, content) => {
    const { open, ring } = await bench();
    const { id, secret } = ring.current();
    const mac = createHmac("sha256", secret).update(`${id}.`).update(content).digest();
    const text = `${id}.${Buffer.concat([mac, Buffer.from(content)]).toString("base64url")}`;
    await expect(open(text)).rejects.toMatchObject(damaged);
  });

  test("a cursor is bound to the name of the key that signed it", async () => {
    const { walk, open, ring } = await bench();
    const [id, rest] = walk().next("a").split(".");
    const secret = Buffer.from(ring.current().secret).toString("base64url");
    const keys = { [`${id}`]: { secret, created_at_ms: 0 }, twin: { secret, created_at_ms: 0 } };
    ring.accept({ ...cursorKeysKey, current: "twin", keys });
    expect(await open(`${id}.${rest}`)).toMatchObject({ position: "a" });
    await expect(open(`twin.${rest}`)).rejects.toMatchObject(damaged);
  });

  test("a cursor of another operation is refused", async () => {
    const { walk, open } = await bench();
    const text = walk().next("a");
    await expect(open(text, listRepositories)).rejects.toMatchObject({
      ...invalidCursor,
      message: "cursor: was made by another operation.",
    });
    await expect(open(text, whoami)).rejects.toMatchObject(invalidCursor);
  });

  test("a cursor is valid for 30 days, a resume cursor for 400", async () => {
    const { walk, open, clock } = await bench();
    const text = walk({ operation: resumable }).next("a");
    const resume = walk({ operation: resumable }).resume("a");
    clock.advance(30 * msPerDay);
    await open(text, resumable);
    clock.advance(1_000);
    await expect(open(text, resumable)).rejects.toMatchObject({
      ...invalidCursor,
      message: "cursor: is older than 30 days. Start a new walk.",
    });
    clock.advance(370 * msPerDay - 1_000);
    expect(await open(resume, resumable)).toMatchObject({ resumes: true, position: "a" });
    clock.advance(1_000);
    await expect(open(resume, resumable)).rejects.toMatchObject(invalidCursor);
  });

  test("a cursor is at most 1 KiB", async () => {
    const { walk } = await bench();
    expect(walk().next("x".repeat(256)).length).toBeLessThanOrEqual(1024);
  });

  test.each([
    ["another selector", { selector: "one:1" }],
    ["another filter", { query: { repository_ids: ["1", "3"], start_date: "2026-01-01" } }],
    ["a filter more", { query: { repository_ids: ["1", "2"], start_date: "2026-01-01", user_ids: ["9"] } }],
    ["another window", { query: { repository_ids: ["1", "2"], start_date: "2026-01-02" } }],
  ])("a cursor is bound to its walk: %s is refused", async (_, change) => {
    const { walk, open } = await bench();
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
    const { walk, open } = await bench();
    const cursor = await open(walk({ operation: resumable, selector: "one:1" }).next("a"), resumable);
    expect(() => walk({ operation: resumable, selector: "one:1", tenant: "w#other", cursor })).toThrow(
      expect.objectContaining({
        ...invalidCursor,
        message:
          "cursor: was made before the organization changed its workspace or instance, before the service was " +
          "restored from a backup, or with a key of another one. Start a new walk.",
      }),
    );
  });

  test("a cursor of a mirror is valid as long as removals are kept, however many pages the walk takes", async () => {
    const { clock, walk, open } = await bench();
    const mirror = { operation: resumable, query: { include_removed: true } };
    const begin = await open(walk(mirror).resume("a"), resumable);
    clock.advance(399 * msPerDay);
    const resumed = walk({ ...mirror, cursor: begin });
    const page = await open(resumed.next("b"), resumable);
    clock.advance(msPerDay / 2);
    const [next, end] = [
      walk({ ...mirror, cursor: page }).next("c"),
      walk({ ...mirror, cursor: page }).resume("c"),
    ];
    clock.advance(msPerDay / 2);
    await open(next, resumable);
    clock.advance(1_000);
    const tooOld = { message: "cursor: goes on with a walk that is older than 400 days. Start a new walk." };
    await expect(open(next, resumable)).rejects.toMatchObject(tooOld);
    // The 400 days of the resume cursor count from the start of the walk that it ends.
    clock.advance(398 * msPerDay);
    await open(end, resumable);
    clock.advance(msPerDay);
    await expect(open(end, resumable)).rejects.toMatchObject(tooOld);
  });

  test("a walk without removals may be resumed and continued longer than removals are kept", async () => {
    const { clock, walk, open } = await bench();
    const plain = { operation: resumable, query: { include_removed: false } };
    const begin = await open(walk(plain).resume("a"), resumable);
    clock.advance(399 * msPerDay);
    const next = walk({ ...plain, cursor: begin }).next("b");
    clock.advance(30 * msPerDay);
    expect((await open(next, resumable)).position).toBe("b");
  });

  test("a cursor accepts filters in any order, omitted filters, and any way to name the scope", async () => {
    const { walk, open } = await bench();
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

  test("a cursor distinguishes a walk that resumes after its end from one that starts or continues", async () => {
    const { walk, open } = await bench();
    const first = walk({ operation: resumable });
    const next = await open(first.next("a"), resumable);
    const resume = await open(first.resume("a"), resumable);
    expect(first).toMatchObject({ position: null, resumes: false });
    expect(walk({ operation: resumable, cursor: next }).resumes).toBe(false);
    expect(walk({ operation: resumable, cursor: resume }).resumes).toBe(true);
  });

  test("a cursor of an operation without pages stores no page size, and a page size must be a number", async () => {
    const { walk, open } = await bench();
    const cursor = await open(walk({ operation: whoami, query: { limit: 5 } }).next("a"), whoami);
    expect(cursor.pageSize).toBeUndefined();
    expect(walk({ query: { limit: "5" } }).pageSize).toBe(listOrganizations.paging.defaultSize);
  });

  test("a cursor with another position type is refused in a walk over texts", async () => {
    const { walk, open } = await bench();
    const at = async (position: string | number | string[]) =>
      walk({ cursor: await open(walk().next(position)) });
    expect(positionText(walk())).toBeNull();
    expect(positionText(await at("a"))).toBe("a");
    for (const paging of [await at(7), await at(["a"])])
      expect(() => positionText(paging)).toThrow(expect.objectContaining(damaged));
  });

  test("a cursor with a list of texts or with a single text continues a walk over lists of texts, one with numbers does not", async () => {
    const { walk, open } = await bench();
    const at = async (position: string | number | Array<string | number>) =>
      walk({ cursor: await open(walk().next(position)) });
    expect(positionTexts(walk())).toBeNull();
    expect(positionTexts(await at(["a", "b"]))).toEqual(["a", "b"]);
    expect(positionTexts(await at("a"))).toEqual(["a"]);
    for (const paging of [await at(7), await at(["a", 7])])
      expect(() => positionTexts(paging)).toThrow(expect.objectContaining(damaged));
  });

  test("a cursor is bound to the repositories that the caller can read", async () => {
    const { walk, open } = await bench();
    const cursor = await open(walk({ readable: "some" }).next("a"));
    expect(walk({ readable: "some", cursor }).position).toBe("a");
    for (const change of [{ readable: "others" }, {}])
      expect(() => walk({ ...change, cursor })).toThrow(
        expect.objectContaining({
          ...invalidCursor,
          message:
            "cursor: was made for other repositories: those that the key's member can read have changed. Start a new walk.",
        }),
      );
  });

  test("a cursor treats filter lists as sets, and accepts another limit or format", async () => {
    const { walk, open } = await bench();
    const made = walk({
      operation: resumable,
      query: { repository_ids: ["1", "2"], limit: 5, format: "csv" },
    });
    const cursor = await open(made.next("a"), resumable);
    const later = walk({ operation: resumable, query: { repository_ids: ["2", "1"], limit: 9 }, cursor });
    expect(later).toMatchObject({ position: "a", pageSize: 9 });
  });

  test("a cursor stores the page size where the operation says so: the limit may be omitted, never changed", async () => {
    const { walk, open } = await bench();
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
    expect.objectContaining({ ...invalidCursor, message: `cursor: ${sentence} Start a new walk.` });
  const lost = refused("was made before the service was restored from a backup.");

  test("a cursor of several organizations stores the epoch of its scope, and the place of a catch-up", async () => {
    const { walk, open } = await bench();
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
      refused("is from an earlier release and does not say which organizations it covers."),
    );
  });

  test("a cursor of several organizations is bound to the organizations that the key is authorized for, in any order", async () => {
    const { walk, open } = await bench();
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
  const changed = (first: Partial<Walk>, later: Partial<Walk>) => async () => {
    const { walk, open } = await bench();
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

  test("a cursor of one organization is refused after a restore if it is of a mirror, or if the operation says so", async () => {
    const [before, after] = [oneWith({ restored: "r1" }), oneWith({ restored: "r2" })];
    await expect(changed({ operation: ending, ...before }, after)()).rejects.toEqual(moved);
    await expect(changed({ operation, query, ...before }, after)()).rejects.toEqual(moved);
    expect(await changed({ operation, ...before }, after)()).toBe("a");
  });

  test("a cursor is valid in every release as long as nothing was restored and no organization came back: only the tenant's name is bound", async () => {
    const { walk, open } = await bench();
    const tenantDigest = createHash("sha256").update("w#acme").digest().subarray(0, 6).toString("base64url");
    const one = oneWith({});
    for (const change of [{ operation }, { operation, ...one }, { operation: ending, query, ...one }])
      expect(await open(walk(change).next("a"), change.operation)).toMatchObject({ tenantDigest });
  });

  test("a cursor of release 1 is refused after any restore", async () => {
    const { walk, open } = await bench();
    const opened = await open(walk({ operation }).next("a"), operation);
    const cursor = { ...opened, tenantDigest: undefined };
    expect(() => walk({ operation, restored: "r1", cursor })).toThrow(moved);
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

describe("signing keys", () => {
  test("signing keys rotate without breaking a walk, even for a function that has not read the new key", async () => {
    const clock = new TestClock();
    const before = await bench(clock);
    const text = before.walk().next("a");
    clock.advance(1_000);
    const deps = { table: before.table, clock, random: systemRandom };
    expect(await rotateCursorKeys(deps)).toBe("young");
    expect(await rotateCursorKeys(deps, { signingDaysMax: 0 })).toBe("rotated");
    const after = await bench(clock);
    expect(after.ring.current().id).not.toBe(before.ring.current().id);
    expect(await after.open(text)).toMatchObject({ position: "a" });
    clock.advance(1_000);
    expect(await before.open(after.walk().next("b"))).toMatchObject({ position: "b" });
  });

  test("signing keys are kept until the last resume cursor that they signed expires, and no longer", async () => {
    const clock = new TestClock("2030-01-01T00:00:00.000Z");
    const { table, ring } = await bench(clock);
    const first = ring.current().id;
    const rotate = async (days: number) => {
      clock.advance(days * msPerDay);
      await rotateCursorKeys({ table, clock, random: systemRandom }, { signingDaysMax: 0 });
      const item = await table.get(cursorKeysKey);
      return Object.keys(item?.keys ?? {});
    };
    expect(await rotate(1)).toContain(first);
    expect(await rotate(400)).toContain(first);
    expect(await rotate(1)).not.toContain(first);
  });
});
