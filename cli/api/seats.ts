import type { Client } from "../../lib/client/client.ts";
import { pagesInHalves } from "../../lib/client/pages-in-halves.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import { pageLimits, peopleLimits } from "../../lib/contract/limits.ts";
import { reviewMetrics } from "../../lib/contract/operations/metrics.ts";
import { halfOf, pacedFetch } from "../../lib/report/pace.ts";
import { lastDays, type Period } from "../../lib/report/period.ts";
import {
  authorName,
  fetchSeats,
  fetchSeatUse,
  type Home,
  idleHolders,
  membershipsOf,
  type SeatUse,
  seatHolders,
  type User,
} from "../../lib/report/seats.ts";
import { chunksOf } from "../../lib/runtime/chunks.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { listFormatOf } from "../listing.ts";
import {
  distinct,
  idleDays,
  idleOptions,
  idleSummary,
  type SeatFailure,
  type SeatRow,
  showIdleSeats,
} from "../show-idle-seats.ts";
import { callApi } from "./call.ts";

export const idle: Command = {
  name: "idle",
  summary: idleSummary,
  connects: true,
  options: { ...idleOptions, ...apiOptions },
  examples: ["seats idle --days 30", "seats idle --days 60 --unassign"],
  run: (input, terminal, findTarget) => {
    // Checked before seats are removed: a wrong format must not fail afterwards.
    listFormatOf(input);
    const days = idleDays(input);
    const unassigns = input.flag("unassign");
    // A nightly export shares the limit of the metrics.
    const fetch = pacedFetch(globalThis.fetch, halfOf(reviewMetrics.rateLimit), systemClock);
    return callApi(
      input,
      findTarget,
      async (client) => {
        const { since, home, held, notJudged, users, nameOf, use } = await findIdle(client, days);
        const answer = {
          ...{ days, since, dry_run: !unassigns, seats_held: held, not_judged: notJudged },
          idle: users.map((user) => rowOf(user, home, nameOf, use.get(user))),
        };
        if (listFormatOf(input) === "table")
          terminal.say(
            "Only pull requests that the key can read count: those of organizations on the Enterprise plan.",
          );
        showIdleSeats(input, terminal, answer, unassigns ? await unassign(client, users) : undefined);
      },
      fetch,
    );
  },
};

export const commands: readonly Command[] = [idle];

async function findIdle(client: Client, days: number) {
  const nowMs = systemClock.nowMs();
  const since = toTimestamp(nowMs - days * msPerDay);
  const period = { start_date: since.slice(0, 10), end_date: lastDays(1, nowMs).end_date };
  const { scope } = (await client.whoami()).body;
  const home = scope.home ?? scope.organizations[0] ?? null;
  const { seats, users, newHolders } = await fetchSeats(client, since);
  const holders = seatHolders(users, home);
  const idle = idleHolders(holders, home, await authorsIn(client, period), newHolders);
  const held = seats.seats_assigned;
  const use = await fetchSeatUse(client, idle, home, { nowMs });
  const nameOf: NameOf = (provider, id) =>
    scope.organizations.find((each) => each.provider === provider && each.provider_organization_id === id)
      ?.name ?? id;
  // Nobody can judge a holder whose organizations the key cannot see.
  return { since, home, held, notJudged: Math.max(0, held - holders.length), users: idle, nameOf, use };
}

async function authorsIn(client: Client, period: Period): Promise<ReadonlySet<string>> {
  const authors = new Set<string>();
  const pages = pagesInHalves(
    (place) => client.listReviewMetrics({ query: { ...period, status: "all", ...place } }),
    ({ body }) => body.next_cursor,
    { cursor: undefined, pageSizeMax: pageLimits.metrics.max },
  );
  for await (const { body } of pages)
    for (const { provider, organization_id, author_id } of body.data)
      if (author_id !== null) authors.add(authorName(provider, organization_id, author_id));
  return authors;
}

type NameOf = (provider: string, organizationId: string) => string;

const rowOf = (user: User, home: Home | null, nameOf: NameOf, use: SeatUse | undefined): SeatRow => ({
  organizations: distinct(membershipsOf(user, home).map(({ provider, org_id }) => nameOf(provider, org_id))),
  user_ids: distinct(membershipsOf(user, home).map(({ user_id }) => user_id)),
  username: user.username,
  email: user.email,
  seat_since: use?.seat_since ?? null,
  last_reviewed_at: use?.last_reviewed_at ?? null,
});

/** A workspace's people are addressed by e-mail or by the id of their seat, all others by their user id. */
async function unassign(client: Client, users: readonly User[]): Promise<readonly SeatFailure[]> {
  const isOfWorkspace = (user: User) => "organizations" in user;
  const emails = users.flatMap((user) => (isOfWorkspace(user) ? (user.email ?? []) : []));
  const userIds = users.flatMap((user) => {
    if ("user_id" in user) return user.user_id;
    return user.email === null ? (user.seat_holder_id ?? []) : [];
  });
  const failures: SeatFailure[] = [];
  const send = async (named: { readonly emails: string[] } | { readonly user_ids: string[] }) => {
    const { body } = await client.assignSeats({ body: { action: "unassign", ...named } });
    failures.push(...body.failed);
  };
  for (const some of chunksOf(emails, peopleLimits.batchUsersMax)) await send({ emails: [...some] });
  for (const some of chunksOf(userIds, peopleLimits.batchUsersMax)) await send({ user_ids: [...some] });
  return failures;
}
