import { createCipheriv } from "node:crypto";
import { describe, expect, test } from "vitest";
import { msPerDay } from "../../lib/contract/days.ts";
import * as itemKinds from "../../lib/contract/items.ts";
import { cursorLimits, requestLimits } from "../../lib/contract/limits.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { listOrganizations, listRepositories } from "../../lib/contract/operations/organizations.ts";
import { operations } from "../../lib/contract/operations.ts";
import { type CursorKey, rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { positionInPartition, positionText, positionTexts } from "../../lib/http/cursors.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { auditKey, personKey } from "../../lib/store/layout.ts";
import { TestClock } from "../support/clock.ts";
import fc from "../support/property.ts";
import { invalidCursor, resumable, useCursorFixture } from "./cursor-fixture.ts";

const newFixture = useCursorFixture();
const damaged = {
  ...invalidCursor,
  message: "cursor: is damaged. Send next_cursor of the previous page as it is.",
};

const ofAnotherVersion = {
  ...invalidCursor,
  message: "cursor: was made by another version of the service. Start again without a cursor.",
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
    repository: (id) => itemKinds.repository.key({ organization: uuid, repositoryId: id }).sk,
    member: (id) => itemKinds.member.key({ organization: uuid, userId: id }).sk,
    "person without an address": (id) => personKey("w#a", { organization: uuid, userId: id, email: null }).sk,
    "person by address": (id) => personKey("w#a", { organization: uuid, userId: "u", email: id }).sk,
    "organization in the directory": (id) =>
      itemKinds.organizationDirectory.key({ providerId: id, organization: uuid }).sk,
    team: (id) => itemKinds.team.key({ organization: uuid, teamId: id }).sk,
    "audit entry": () => auditKey("w#a", "2026-11-15T12:00:00.000Z", uuid).sk,
  };

  test.each(Object.entries(kinds))(
    "a cursor at any possible id is never longer than the service accepts, and returns its position: %s",
    async (_, sortKey) => {
      const { walk, open } = await newFixture();
      const operation = { ...listRepositories, id: longestName ?? "" };
      await fc.assert(
        fc.asyncProperty(placeOf(requestLimits.idBytesMax), fc.boolean(), async (id, resumes) => {
          for (const position of [sortKey(id), [sortKey(id)], [uuid, sortKey(id)]]) {
            const text = walk({ operation, query: { limit: 100 } })[resumes ? "resume" : "next"](position);
            expect(text.length).toBeLessThanOrEqual(cursorLimits.charactersMax);
            expect((await open(text, operation)).position).toEqual(position);
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  test("a cursor at any other short text returns its position", async () => {
    const { walk, open } = await newFixture();
    await fc.assert(
      fc.asyncProperty(identifierOf(100), async (position) => {
        expect((await open(walk().next(position))).position).toBe(position);
      }),
    );
  });
});

function encrypted({ id, encryption }: CursorKey, content: string): string {
  const nonce = Buffer.alloc(12);
  const cipher = createCipheriv("aes-256-gcm", encryption, nonce).setAAD(Buffer.from(id, "base64url"));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([Buffer.from(id, "base64url"), nonce, body, cipher.getAuthTag()]).toString(
    "base64url",
  );
}

describe("a cursor", () => {
  test("a cursor returns the position that it was made for", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk().next(["2026-11-15", 7]));
    expect(walk({ cursor }).position).toEqual(["2026-11-15", 7]);
    expect(cursor.resumes).toBe(false);
  });

  test("a cursor shows nothing of its position, and no two cursors of a position are alike", async () => {
    const { walk, open } = await newFixture();
    const place = "2026-11-15T12:00:00.000Z#0f8fad5b-d9cb-469f-a165-70867728950e";
    const texts = [walk().next(place), walk().next(place), walk().next([place, place])];
    expect(new Set(texts).size).toBe(3);
    for (const text of texts) {
      const shown = [text, Buffer.from(text, "base64url").toString("latin1")].join();
      expect(shown).not.toMatch(/2026|0f8fad5b|70867728950e|listOrganizations/);
    }
    expect((await open(texts[0] ?? "")).position).toBe(place);
  });

  test("a cursor with any single bit flipped is refused", async () => {
    const { walk, open } = await newFixture();
    const text = walk().next("0f8fad5b-d9cb-469f-a165-70867728950e");
    const bytes = Buffer.from(text, "latin1");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(open(flipped.toString("latin1")), `bit ${bit}`).rejects.toMatchObject(invalidCursor);
    }
  });

  test("a cursor that is cut, lengthened, empty or made up is refused", async () => {
    const { walk, open, ring } = await newFixture();
    const text = walk().next("a");
    const forgeries = [
      `${text}.x`,
      ring.current().id,
      `${ring.current().id}AAAA`,
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      ".",
      "a.b",
      "null",
      text.slice(8),
      `x${text}`,
    ];
    for (const forgery of forgeries) await expect(open(forgery), forgery).rejects.toMatchObject(damaged);
  });

  test.each([
    ["nothing", ""],
    ["a payload of another form", JSON.stringify({ o: listOrganizations.id, t: 0 })],
    ["a payload without a position", JSON.stringify({ o: listOrganizations.id, b: "", t: 0 })],
  ])("a cursor that is validly encrypted over %s is refused", async (_, content) => {
    const { open, ring } = await newFixture();
    await expect(open(encrypted(ring.current(), content))).rejects.toMatchObject(damaged);
  });

  test("a cursor of the last release, with a list in its JSON or a packed sort key, returns its position", async () => {
    const { open, ring, clock } = await newFixture();
    const payload = { o: listOrganizations.id, b: "", w: "", t: Math.floor(clock.nowMs() / 1000) };
    const old = (p: unknown) => encrypted(ring.current(), JSON.stringify({ ...payload, p }));
    for (const position of [["2026-11-15#a", "2026-11-14#b"], ["a"], [7, 9], 7, "a"])
      expect((await open(old(position))).position).toEqual(position);
    const packed = encrypted(ring.current(), `${JSON.stringify(payload)}\u0000REPO\u0000a#b`);
    expect((await open(packed)).position).toBe("REPO#a%23b");
  });

  test("a cursor is bound to the id of the key that encrypted it", async () => {
    const { walk, open, ring, table } = await newFixture();
    const text = walk().next("a");
    const item = await table.get(itemKinds.cursorKeys.key());
    const { id } = ring.current();
    const own = Object(item?.keys)[id];
    ring.accept({ ...itemKinds.cursorKeys.key(), current: "twintwin", keys: { [id]: own, twintwin: own } });
    expect(await open(text)).toMatchObject({ position: "a" });
    await expect(open(`twintwin${text.slice(id.length)}`)).rejects.toMatchObject(damaged);
  });

  test("a cursor of another operation is refused", async () => {
    const { walk, open } = await newFixture();
    const text = walk().next("a");
    await expect(open(text, listRepositories)).rejects.toMatchObject({
      ...invalidCursor,
      message: "cursor: was made by another operation.",
    });
    await expect(open(text, whoami)).rejects.toMatchObject(invalidCursor);
  });

  test("a cursor is valid for 30 days, a resume cursor for 400", async () => {
    const { walk, open, clock } = await newFixture();
    const text = walk({ operation: resumable }).next("a");
    const resume = walk({ operation: resumable }).resume("a");
    clock.advance(30 * msPerDay);
    await open(text, resumable);
    clock.advance(1_000);
    await expect(open(text, resumable)).rejects.toMatchObject({
      ...invalidCursor,
      message: "cursor: is older than 30 days. Start again without a cursor.",
    });
    clock.advance(370 * msPerDay - 1_000);
    expect(await open(resume, resumable)).toMatchObject({ resumes: true, position: "a" });
    clock.advance(1_000);
    await expect(open(resume, resumable)).rejects.toMatchObject(invalidCursor);
  });

  test("a cursor is at most 1 KiB", async () => {
    const { walk } = await newFixture();
    expect(walk().next("x".repeat(256)).length).toBeLessThanOrEqual(1024);
  });

  test("a cursor of a mirror is valid as long as removals are kept, however many pages the walk takes", async () => {
    const { clock, walk, open } = await newFixture();
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
    const tooOld = {
      message: "cursor: continues pages that are older than 400 days. Start again without a cursor.",
    };
    await expect(open(next, resumable)).rejects.toMatchObject(tooOld);
    // The 400 days of the resume cursor count from the start of the walk that it ends.
    clock.advance(398 * msPerDay);
    await open(end, resumable);
    clock.advance(msPerDay);
    await expect(open(end, resumable)).rejects.toMatchObject(tooOld);
  });

  test("a walk without removals may be resumed and continued longer than removals are kept", async () => {
    const { clock, walk, open } = await newFixture();
    const plain = { operation: resumable, query: { include_removed: false } };
    const begin = await open(walk(plain).resume("a"), resumable);
    clock.advance(399 * msPerDay);
    const next = walk({ ...plain, cursor: begin }).next("b");
    clock.advance(30 * msPerDay);
    expect((await open(next, resumable)).position).toBe("b");
  });

  test("a cursor distinguishes a walk that resumes after its end from one that starts or continues", async () => {
    const { walk, open } = await newFixture();
    const first = walk({ operation: resumable });
    const next = await open(first.next("a"), resumable);
    const resume = await open(first.resume("a"), resumable);
    expect(first).toMatchObject({ position: null, resumes: false });
    expect(walk({ operation: resumable, cursor: next }).resumes).toBe(false);
    expect(walk({ operation: resumable, cursor: resume }).resumes).toBe(true);
  });

  test("a cursor of an operation without pages stores no page size, and a page size must be a number", async () => {
    const { walk, open } = await newFixture();
    const cursor = await open(walk({ operation: whoami, query: { limit: 5 } }).next("a"), whoami);
    expect(cursor.pageSize).toBeUndefined();
    expect(walk({ query: { limit: "5" } }).pageSize).toBe(listOrganizations.paging.defaultSize);
  });

  test("a cursor with another position type is refused in a walk over texts", async () => {
    const { walk, open } = await newFixture();
    const at = async (position: string | number | string[]) =>
      walk({ cursor: await open(walk().next(position)) });
    expect(positionText(walk())).toBeNull();
    expect(positionText(await at("a"))).toBe("a");
    for (const paging of [await at(7), await at(["a"])])
      expect(() => positionText(paging)).toThrow(expect.objectContaining(ofAnotherVersion));
  });

  test("a cursor with a list of texts continues a walk over lists of texts, one with anything else does not", async () => {
    const { walk, open } = await newFixture();
    const at = async (position: string | number | Array<string | number>) =>
      walk({ cursor: await open(walk().next(position)) });
    expect(positionTexts(walk())).toBeNull();
    expect(positionTexts(await at(["a", "b"]))).toEqual(["a", "b"]);
    for (const paging of [await at("a"), await at(7), await at(["a", 7])])
      expect(() => positionTexts(paging)).toThrow(expect.objectContaining(ofAnotherVersion));
  });

  test("a cursor of a walk over partitions is refused with the way out if an older version made it", async () => {
    const { walk, open } = await newFixture();
    const at = async (position: string | string[]) => walk({ cursor: await open(walk().next(position)) });
    expect(positionInPartition(walk())).toBeNull();
    expect(positionInPartition(await at(["a", "T#b"]))).toEqual(["a", "T#b"]);
    expect(positionInPartition(await at(["a", ""]))).toEqual(["a", ""]);
    const older = await at("a/T#b");
    expect(() => positionInPartition(older)).toThrow(expect.objectContaining(ofAnotherVersion));
  });
});

describe("cursor keys", () => {
  test("cursor keys rotate without breaking a walk, even for a function that has not read the new key", async () => {
    const clock = new TestClock();
    const before = await newFixture(clock);
    const text = before.walk().next("a");
    clock.advance(1_000);
    const deps = { table: before.table, clock, random: systemRandom };
    expect(await rotateCursorKeys(deps)).toBe("young");
    expect(await rotateCursorKeys(deps, { keyDaysMax: 0 })).toBe("rotated");
    const after = await newFixture(clock);
    expect(after.ring.current().id).not.toBe(before.ring.current().id);
    expect(await after.open(text)).toMatchObject({ position: "a" });
    clock.advance(1_000);
    expect(await before.open(after.walk().next("b"))).toMatchObject({ position: "b" });
  });

  test("cursor keys are kept until the last resume cursor that they encrypted expires, and no longer", async () => {
    const clock = new TestClock("2030-01-01T00:00:00.000Z");
    const { table, ring } = await newFixture(clock);
    const first = ring.current().id;
    const rotate = async (days: number) => {
      clock.advance(days * msPerDay);
      await rotateCursorKeys({ table, clock, random: systemRandom }, { keyDaysMax: 0 });
      const item = await table.get(itemKinds.cursorKeys.key());
      return Object.keys(item?.keys ?? {});
    };
    expect(await rotate(1)).toContain(first);
    expect(await rotate(400)).toContain(first);
    expect(await rotate(1)).not.toContain(first);
  });
});
