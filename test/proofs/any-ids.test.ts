import { beforeAll, describe, expect, test } from "vitest";
import { cursorLimits, peopleLimits, requestLimits } from "../../lib/contract/limits.ts";
import { useApi } from "../support/api.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

/** As many of the units as fit the limit, in UTF-8 bytes. */
const longest = (unit: string, bytesMax: number): string =>
  unit.repeat(Math.floor(bytesMax / Buffer.byteLength(unit)));

/**
 * Characters that some step treats specially: separators of our keys, JSON's escapes, control characters, the last
 * character of the basic plane (UTF-16 sorts it behind all others, UTF-8 does not), the first and the last one above
 * it.
 */
const units = [
  "#",
  "%",
  "%#",
  "%23",
  '"',
  "\\",
  "\u0001",
  "\u007f",
  "/",
  "\u00e9",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "\u0130",
];
const ids = ["1", ...units, ...units.map((unit) => longest(unit, requestLimits.idBytesMax))];

/** Walks to the end like a client: every cursor is sent back unchanged. */
async function walk<Entry>(key: string, target: string, name: string): Promise<Entry[]> {
  const seen: Entry[] = [];
  let cursor: string | null = null;
  do {
    const answer = await api.call(cursor === null ? target : `${target}&cursor=${cursor}`, { key });
    expect([answer.status, answer.message]).toEqual([200, ""]);
    // The call has checked the body against the operation's schema.
    const page = answer.json as Record<string, Entry[]> & { next_cursor: string | null };
    seen.push(...(page[name] ?? []));
    cursor = page.next_cursor;
    expect((cursor ?? "").length).toBeLessThanOrEqual(cursorLimits.charactersMax);
  } while (cursor !== null);
  return seen;
}

describe("ids of any characters and of the full length are listed once each, with any page size", () => {
  let organization = "";
  let key = "";
  beforeAll(async () => {
    organization = await world.organization("any");
    await world.member(github("any"), "boss", { role: "cr_admin", email: null });
    key = await world.adminKey(organization, "boss");
    for (const id of ids) {
      await world.repository(github("any"), id);
      await world.member(github("any"), id, { email: null });
    }
  });

  test.each([3, 100])(
    "repositories with ids of any characters and of the full length are listed once each, %i per page",
    async (limit) => {
      const target = `/v1/organizations/${organization}/repositories?limit=${limit}`;
      const seen = await walk<{ provider_repository_id: string }>(key, target, "repositories");
      expect(seen.map(({ provider_repository_id }) => provider_repository_id).toSorted()).toEqual(
        ids.toSorted(),
      );
    },
  );

  test.each([3, 100])(
    "members with ids of any characters and of the full length are listed once each, %i per page",
    async (limit) => {
      const seen = await walk<{ user_id: string }>(key, `/v1/users?limit=${limit}`, "users");
      expect(seen.map(({ user_id }) => user_id).toSorted()).toEqual(["boss", ...ids].toSorted());
    },
  );

  test("people of a workspace with ids and addresses of any characters are listed once, 3 or 100 per page", async () => {
    const workspace = "any-people";
    await world.workspace(workspace);
    await world.organization(workspace, { workspace_id: workspace });
    const emails = ids.map((id) => longest(id.slice(0, 2).toWellFormed(), peopleLimits.emailBytesMax));
    const addresses = [...new Set([...emails, ...units])].filter((email) => email.isWellFormed());
    for (const [index, id] of ids.entries()) {
      await world.member(github(workspace), id, { email: null });
      const email = addresses[index];
      if (email !== undefined) await world.member(github(workspace), `mail-${index}`, { email });
    }
    const { text } = await world.token(workspace);
    const members = [
      ...ids,
      ...ids.flatMap((_, index) => (addresses[index] === undefined ? [] : [`mail-${index}`])),
    ];
    for (const limit of [3, 100]) {
      const target = `/v1/users?limit=${limit}`;
      const seen = await walk<{ organizations: Array<{ user_id: string }> }>(text, target, "users");
      expect(
        seen.flatMap(({ organizations }) => organizations.map(({ user_id }) => user_id)).toSorted(),
      ).toEqual(members.toSorted());
    }
  });
});
