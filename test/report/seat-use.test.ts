import { expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { fetchSeatUse, seatHolders, type User } from "../../lib/report/seats.ts";
import { review } from "./records.ts";

const person = (id: string): User => ({
  email: `${id}@example.com`,
  username: id,
  seat_assigned: true,
  organizations: [{ provider: "github", org_id: "1001", user_id: id, role: "cr_member" }],
});
const people = Array.from({ length: 12 }, (_, index) => person(`u${index}`));
const [first, second, third] = people;

type Entry = { readonly ids: readonly string[]; readonly created_at: string; readonly occurred_at?: string };
const assigned = ({ ids, created_at, occurred_at }: Entry) => ({
  provider: "github",
  organization_id: "1001",
  created_at,
  metadata: { ids, ...(occurred_at !== undefined && { occurred_at }) },
});

/** A service with these reviews and entries, newest first, one entry a page. */
function service(reviews: ReadonlyArray<ReturnType<typeof review>>, entries: readonly Entry[]) {
  const asked: URL[] = [];
  const fetch = async (target: string | URL | Request) => {
    const url = new URL(String(target));
    asked.push(url);
    if (url.pathname === "/v1/audit-logs") {
      const place = Number(url.searchParams.get("cursor") ?? 0);
      const entry = entries[place];
      const next_cursor = place + 1 < entries.length ? String(place + 1) : null;
      return Response.json({ data: entry ? [assigned(entry)] : [], next_cursor });
    }
    const wanted = url.searchParams.get("user_ids")?.split(",") ?? [];
    const data = reviews.filter(({ author_id }) => author_id !== null && wanted.includes(author_id));
    return Response.json({ data, next_cursor: null });
  };
  const client = createClient({ baseUrl: "http://service", key: "k", fetch });
  return { client, asked };
}
const nowMs = Date.parse("2026-03-10T12:00:00.000Z");

test("seat since is the newest entry that names a person, at the time that the platform reports", async () => {
  const { client, asked } = service(
    [],
    [
      { ids: ["U0@example.com"], created_at: "2026-02-02T00:00:00.000Z" },
      { ids: ["u0", "u1"], created_at: "2026-02-01T00:00:00.000Z", occurred_at: "2025-06-01T00:00:00.000Z" },
      { ids: ["u0"], created_at: "2026-01-01T00:00:00.000Z" },
    ],
  );
  const two = people.slice(0, 2);
  const uses = await fetchSeatUse(client, two, null, { nowMs, filters: [{}] });
  expect(two.map((user) => uses.get(user)?.seat_since)).toEqual([
    "2026-02-02T00:00:00.000Z",
    "2025-06-01T00:00:00.000Z",
  ]);
  // Everybody is found after two pages, so the third is not read.
  expect(asked.filter(({ pathname }) => pathname === "/v1/audit-logs")).toHaveLength(2);
});

test("the last reviewed pull request is the newest of a year, merged or not, of ten people a request", async () => {
  const { client, asked } = service(
    [
      review(1, { author_id: "u0", merged_at: "2025-12-01T00:00:00.000Z" }),
      review(2, {
        author_id: "u0",
        merged_at: null,
        closed_at: "2025-12-24T00:00:00.000Z",
        status: "closed",
      }),
      review(3, { author_id: "u11" }),
      // The same id of another organization is another person.
      review(4, { author_id: "u1", organization_id: "1002" }),
    ],
    [],
  );
  const uses = await fetchSeatUse(client, people, null, { nowMs, filters: [{}] });
  expect([first, second, people[11]].map((user) => user && uses.get(user)?.last_reviewed_at)).toEqual([
    "2025-12-24T00:00:00.000Z",
    null,
    "2026-03-02T10:00:00.000Z",
  ]);
  expect(third && uses.get(third)).toEqual({ seat_since: null, last_reviewed_at: null });
  const reviews = asked.filter(({ pathname }) => pathname === "/v1/metrics/reviews");
  expect(reviews.map(({ searchParams }) => searchParams.get("user_ids")?.split(",").length)).toEqual([10, 2]);
  expect(reviews[0]?.searchParams.get("start_date")).toBe("2025-03-10");
});

test("for nobody, nothing is asked", async () => {
  const { client, asked } = service([], []);
  expect((await fetchSeatUse(client, [], null, { nowMs, filters: [{}] })).size).toBe(0);
  expect(asked).toEqual([]);
});

test("a seat holder has a seat, and a membership in an organization that the key can see", () => {
  const holder = person("holder");
  const without = { ...person("without"), seat_assigned: false };
  const hidden = { ...person("hidden"), organizations: [] };
  expect(seatHolders([without, holder, hidden], null)).toEqual([holder]);
});
