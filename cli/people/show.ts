import { ReviewApiError } from "../../lib/client/error.ts";
import { fetchSeatUse } from "../../lib/report/seats.ts";
import { keysOf, labelOf, personNamed, readPeople } from "../../lib/roster/people.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { callApi, orgOption } from "../api/call.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { keyRowOf } from "../show-keys.ts";
import { formatRecord, formatTable } from "../terminal.ts";

export const show: Command = {
  name: "show",
  summary: "Show a person's memberships, seat, roles, keys and last review",
  connects: true,
  argument: { name: "EMAIL|USER", required: true, help: "the e-mail address, or the provider's user id" },
  options: { ...orgOption, ...apiOptions },
  examples: ["people show ada@acme.example", "people show 502 --org 1001"],
  run: (input, terminal, findTarget) =>
    callApi(input, findTarget, async (client) => {
      const people = await readPeople(client, input.text("org"));
      const person = personNamed(people, input.requiredArgument("EMAIL|USER"), input.text("org"));
      const notReadable: string[] = [];
      /** A part that the key may not read is left out and named. */
      const part = async <Part>(name: string, read: () => Promise<Part>): Promise<Part | null> =>
        await read().catch((error: unknown) => {
          if (!(error instanceof ReviewApiError && error.status === 403)) throw error;
          notReadable.push(`${name} (${error.code})`);
          return null;
        });
      const use = await part("last review", async () =>
        (await fetchSeatUse(client, [person.user], people.home, { nowMs: systemClock.nowMs() })).get(
          person.user,
        ),
      );
      const keys = await part("keys", () => keysOf(client, people, person.user.email, person.memberships));
      const { username, email, seat_assigned } = person.user;
      const about = {
        ...{ email, username, seat_assigned },
        seat_since: use?.seat_since ?? null,
        last_reviewed_at: use?.last_reviewed_at ?? null,
      };
      const memberships = person.memberships.map(({ provider, org_id, user_id, role }) => ({
        ...{ provider, organization_id: org_id, user_id, role },
      }));
      if (input.flag("json"))
        return terminal.out(JSON.stringify({ ...about, memberships, keys, not_readable: notReadable }));
      terminal.out(formatRecord(about, terminal.paint));
      const table = (rows: Parameters<typeof formatTable>[0], none: string) =>
        terminal.out(`\n${rows.length > 0 ? formatTable(rows, terminal.paint) : none}`);
      table(memberships, `${labelOf(person)} is in no active organization.`);
      if (keys)
        table(
          keys.map(keyRowOf).map(({ id, kind, name, bound_to, role, last_used_at, refused_because }) => ({
            ...{ id, kind, name, bound_to, role, last_used_at, refused_because },
          })),
          "They own no keys that work.",
        );
      if (notReadable.length > 0) terminal.say(`This key may not read: ${notReadable.join(", ")}.`);
    }),
};
