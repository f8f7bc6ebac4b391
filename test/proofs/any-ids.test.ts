import { beforeAll, describe, expect, test } from "vitest";
import type { KeyKind } from "../../lib/contract/access.ts";
import { cursorLimits, peopleLimits, requestLimits } from "../../lib/contract/limits.ts";
import { operations } from "../../lib/contract/operations.ts";
import { requestOf, type Subject } from "../../lib/contract/requests.ts";
import { attemptPut } from "../../lib/webhooks/deliveries.ts";
import { useApi } from "../support/api.ts";
import { finding, mcp } from "../support/event-data.ts";
import { emptyWindows } from "../support/scan-all.ts";
import { absent } from "../support/subject.ts";
import { github, World } from "../support/world.ts";
import { attemptOf } from "../webhooks/support.ts";

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

describe("every list", () => {
  const worst = ["\u0001", "#", '"', "\u{10ffff}"].map((unit) => longest(unit, requestLimits.idBytesMax));
  const names = [longest("\u0001", requestLimits.idBytesMax), longest("%", requestLimits.idBytesMax)];
  const lists = [
    ...operations.filter((each) => "paging" in each).map((operation) => ({ operation, query: {} })),
    ...operations
      .filter(({ id }) => id === "listLearnings")
      .map((operation) => ({ operation, query: { state: "pending" } })),
  ];
  const callers: Partial<Record<KeyKind, { readonly key: string; readonly subject: Subject }>> = {};

  async function addDeliveries(owner: string): Promise<string> {
    const id = await world.webhook(owner);
    for (const ring of ["a", "b", "c"]) {
      await api.store().table.write(attemptPut({ id }, attemptOf(ring, 204)));
    }
    return id;
  }

  beforeAll(async () => {
    const workspace_id = longest("\u0001", requestLimits.idBytesMax);
    await world.workspace(workspace_id);
    for (const name of names) {
      const uuid = await world.organization(name, { workspace_id, approval_delay_days: 7 });
      await world.member(github(name), "boss", { role: "cr_admin", email: null });
      for (const [index, id] of worst.entries()) {
        await world.repository(github(name), id);
        await world.member(github(name), id, { email: null });
        const team = { team_id: id, name: "Team", user_ids: [id], active: true };
        await world.sendEvent("team.saved", { ...github(name), ...team });
        const repository = { repository_id: id };
        await world.pullRequest(github(name), index, { ...repository, author_id: id, ...mcp });
        await world.scan(github(name), { ...repository, scan_id: id, findings: [finding(id)] });
        await world.learning(github(name), `Learning ${index}`, { ...repository, author_id: id });
        await world.createLearnings(uuid, id, [{ ...repository, learning: `Approved ${index}` }]);
        await world.key({ kind: "user", organization: uuid, owner: id });
      }
      const subject = { ...absent, organization_id: uuid };
      callers.organization = {
        key: await world.adminKey(uuid, "boss"),
        subject: { ...subject, webhook_id: await addDeliveries(uuid) },
      };
      callers.workspace = {
        key: (await world.token(workspace_id)).text,
        subject: { ...subject, webhook_id: await addDeliveries(`w#${workspace_id}`) },
      };
    }
  });

  test.each(lists)(
    "every cursor of $operation.id with $query is accepted again, at ids of any characters",
    async ({ operation, query }) => {
      let pages = 0;
      for (const kind of ["organization", "workspace"] as const) {
        const caller = callers[kind];
        if (!caller || operation.keys[kind] !== "accepted") continue;
        const { target } = requestOf(operation, caller.subject, { kind, query: { ...query, limit: "1" } });
        let cursor: string | null = null;
        do {
          if (pages % 8 === 0) await emptyWindows(api.store().table);
          const sent: string = cursor === null ? target : `${target}&cursor=${cursor}`;
          const answer = await api.call(sent, { key: caller.key });
          expect([kind, answer.status, answer.message]).toEqual([kind, 200, ""]);
          cursor = (answer.json as { next_cursor: string | null }).next_cursor;
          const resume = answer.headers["x-resume-cursor"] ?? "";
          for (const text of [cursor ?? "", resume])
            expect(text.length).toBeLessThanOrEqual(cursorLimits.charactersMax);
          pages++;
        } while (cursor !== null);
      }
      expect(pages).toBeGreaterThan(2);
    },
  );
});
