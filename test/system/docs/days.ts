import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock, toTimestamp } from "../../../lib/runtime/clock.ts";
import { event, ndjson } from "../../cli/support.ts";
import { comments, finalized, memberData } from "../../support/event-data.ts";
import type { useReader } from "./reader.ts";

export const acme = { provider: "github", instance_id: null, provider_organization_id: "1001" };
const february = {
  created_at: "2026-02-01T08:00:00.000Z",
  ready_for_review_at: "2026-02-01T09:00:00.000Z",
  last_commit_at: "2026-02-02T09:00:00.000Z",
  merged_at: "2026-02-02T10:00:00.000Z",
};
export const pullRequest = (number: number, change: object = {}) => [
  "pull_request.finalized",
  finalized(acme, number, { ...february, ...change }),
];

/** The platform of a service whose data change from day to day. */
export function useDays({ runLine, home }: Pick<ReturnType<typeof useReader>, "runLine" | "home">) {
  let sent = 0;
  let days = 0;
  const send = async (events: ReadonlyArray<readonly unknown[]>) => {
    const occurredAt = toTimestamp(systemClock.nowMs());
    const file = events.map(([type, data]) => event(++sent, String(type), Object(data), occurredAt));
    await writeFile(join(home(), "today.ndjson"), ndjson(file));
    expect(await runLine("npx --no-install review-api events send today.ndjson")).toMatchObject({ code: 0 });
  };
  return {
    send,
    /** A pull request is new, that of the day before changes, the one before that is removed; one member comes, one goes. */
    async day() {
      const today = ++days;
      const member = (number: number, active: boolean) => ({
        ...acme,
        ...memberData,
        active,
        user_id: `w${number}`,
        username: `w${number}`,
        email: `w${number}@acme.example`,
      });
      await send([
        pullRequest(70_000 + today),
        pullRequest(70_000 + today - 1, {
          review_iterations: 7,
          comments: comments("https://x.example/1", 5),
        }),
        pullRequest(70_000 + today - 2, { reviewed: false }),
        ["member.saved", member(today, true)],
        ["member.saved", member(today - 1, false)],
      ]);
    },
  };
}
