import { describe, expect, test } from "vitest";
import { readRows, unpack } from "../../lib/security/chunk.ts";
import { chunkBytes } from "../../lib/security/ledger.ts";
import { positionFrom, positionName, sourcesOf } from "../../lib/security/sources.ts";
import { CorruptItem } from "../../lib/store/items/parse.ts";
import type { Item } from "../../lib/store/table.ts";
import { organizationItem } from "../access/principals.ts";
import { tableWith } from "../support/partial-table.ts";

describe("a damaged chunk of findings is named, without its content", () => {
  test("rows of another form are named as damaged", () => {
    expect(() => readRows(JSON.stringify([["secret"]]))).toThrow(
      new CorruptItem("A chunk of security findings is damaged."),
    );
  });

  test("bytes that are not compressed are named as damaged", async () => {
    await expect(unpack(Buffer.from("secret"))).rejects.toThrow(
      new CorruptItem("A chunk of security findings cannot be decompressed."),
    );
  });

  test("rows that are not bytes are named as damaged", () => {
    expect(() => chunkBytes({ pk: "a", sk: "b", rows: "secret" })).toThrow(
      new CorruptItem("The chunk of security findings at a / b is damaged in: rows."),
    );
    const rows = new Uint8Array([1]);
    expect(chunkBytes({ pk: "a", sk: "b", rows })).toBe(rows);
  });
});

describe("the repositories of a walk", () => {
  const ledger = (organization: string, place: string): Item => ({
    pk: `SCANS#${organization}`,
    sk: place,
    repository_id: place,
    generation: 1,
    newest: { version: "v", scan_id: "s", commit_sha: "c", completed_at: "2026-11-15T12:00:00.000Z" },
    chunks: [],
  });
  const organizations = ["2", "1"].map((id) => organizationItem(id));
  const ledgers = ["uuid-1", "uuid-2"].flatMap((uuid) => ["a", "b", "c"].map((place) => ledger(uuid, place)));
  /** One item a page. */
  const table = tableWith({
    queryPage: async ({ pk, from = "" }, resume) => {
      const found = ledgers.filter(
        (item) => item.pk === pk && item.sk >= from && item.sk > (resume?.sk ?? ""),
      );
      const [first] = found;
      if (!first) return { items: [] };
      return found.length > 1 ? { items: [first], resume: first } : { items: [first] };
    },
  });
  const walk = async (after: ReturnType<typeof positionFrom>) => {
    const range = { organizations, repositoryId: undefined, after, signal: new AbortController().signal };
    const sources = await Array.fromAsync(sourcesOf(table, range));
    return sources.map(({ organization, ledger }) => `${organization.uuid} ${ledger.repositoryId}`);
  };

  test("repositories are read page by page, in the order of organizations and places", async () => {
    expect(await walk(null)).toEqual([
      "uuid-1 a",
      "uuid-1 b",
      "uuid-1 c",
      "uuid-2 a",
      "uuid-2 b",
      "uuid-2 c",
    ]);
  });

  test("a walk continues at the repository of its cursor", async () => {
    const place = positionFrom(positionName({ organization: "uuid-1", repository: "c", finding: "f" }));
    expect(await walk(place)).toEqual(["uuid-1 c", "uuid-2 a", "uuid-2 b", "uuid-2 c"]);
    expect(await walk(positionFrom("uuid-2/b/f"))).toEqual(["uuid-2 b", "uuid-2 c"]);
    expect(positionFrom(null)).toBeNull();
    expect(positionFrom("")).toEqual({ organization: "", repository: "", finding: "" });
  });
});
