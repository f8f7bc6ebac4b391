import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { learningUuid } from "../../../lib/learnings/identity.ts";
import {
  event,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { captured, closed, finalized, finding, mcp, scanned } from "../../support/event-data.ts";

/** Events in the order in which they occurred. */
export type History = {
  readonly name: string;
  /** Applied before the events. */
  readonly known?: readonly OutgoingEvent[];
  readonly events: readonly OutgoingEvent[];
  /** The Learnings at the end. */
  readonly ends?: readonly object[];
  /** Orders in which the documentation promises another end, and the Learnings then. */
  readonly excepts?: {
    readonly isIn: (order: readonly number[]) => boolean;
    readonly ends: readonly object[];
  };
};

const organization = { ...organizationName(), provider: "github" };
const delay = (days: number | null) => ({ approval_delay_days: days });
const inRepository = [organizationSaved(1), repositorySaved(2)];

const chat = (at: number, change: object = {}) =>
  event("learning.captured", at, captured(organization, "Name the unit.", change));
const pullRequestUrl = (number: number) => `https://github.test/widgets/web/pull/${number}`;
const found = (at: number, number: number, change: object = {}) =>
  chat(at, { source: "pull_request", pr_url: pullRequestUrl(number), ...change });
const finalizedAt = (at: number, number: number, change: object = {}) =>
  event(
    "pull_request.finalized",
    at,
    finalized(organization, number, { pr_url: pullRequestUrl(number), ...change }),
  );
const merges = (at: number, number: number) => finalizedAt(at, number);
const closes = (at: number, number: number) => finalizedAt(at, number, closed);

/** A use of a Learning that the service does not have yet is ignored, so the Learning must be known before. */
const used = (at: number, count: number) =>
  event("learning.used", at, {
    ...organization,
    learning_id: learningUuid(uuidOf(), "9001", "Name the unit.", 1),
    used_at: minute(at),
    count,
  });

const minute = (at: number, day = 1) => new Date(Date.UTC(2026, 9, day, 0, at)).toISOString();
const learning = (at: number, change: object = {}) => ({
  text: "Name the unit.",
  state: "approved",
  author_id: "u1",
  file: null,
  created_at: minute(at),
  approve_at: null,
  usage_count: 0,
  last_used_at: null,
  ...change,
});
const ann = { author_id: "ann", file: "a.ts" };
const bob = { author_id: "bob", file: "b.ts" };

const aboutLearnings: readonly History[] = [
  {
    name: "captured, closed, merged",
    known: inRepository,
    events: [found(10, 1), closes(11, 1), merges(12, 1)],
    ends: [learning(10)],
  },
  {
    name: "captured, merged, closed",
    known: inRepository,
    events: [found(10, 1), merges(11, 1), closes(12, 1)],
    ends: [learning(10)],
  },
  {
    name: "captured, closed",
    events: [organizationSaved(1), repositorySaved(2), found(10, 1), closes(11, 1)],
    ends: [],
  },
  {
    name: "captured, closed, captured after it was reopened",
    known: inRepository,
    events: [found(10, 1, ann), closes(11, 1), found(12, 1, bob)],
    ends: [learning(10, { ...ann, state: "private" })],
  },
  {
    name: "captured and closed twice, then merged",
    known: inRepository,
    events: [found(10, 1, ann), closes(11, 1), found(12, 1, bob), closes(13, 1), merges(14, 1)],
    ends: [learning(10, ann)],
  },
  {
    name: "one text in two pull requests, both closed",
    known: inRepository,
    events: [found(10, 1), found(11, 2), closes(12, 1), closes(13, 2)],
    ends: [],
  },
  {
    name: "one text in two pull requests, one closed and one merged",
    known: inRepository,
    events: [found(10, 1, ann), found(11, 2, bob), closes(12, 1), merges(13, 2)],
    ends: [learning(10, ann)],
  },
  {
    name: "two captures of one text in a chat",
    known: inRepository,
    events: [chat(10, ann), chat(11, bob), chat(12)],
    ends: [learning(10, ann)],
  },
  {
    name: "uses of a Learning, and an earlier capture of its text",
    known: [...inRepository, chat(12, bob)],
    events: [chat(10, ann), chat(11), used(13, 2), used(15, 1)],
    ends: [learning(10, { ...ann, usage_count: 3, last_used_at: minute(15) })],
  },
  {
    name: "a capture in a pull request that closes, then one in a chat",
    known: inRepository,
    events: [found(10, 1, ann), closes(11, 1), chat(12, bob)],
    ends: [learning(10, ann)],
  },
  {
    name: "two captures of one text that wait for an admin",
    known: [organizationSaved(1, delay(30)), repositorySaved(2)],
    events: [chat(1_440 * 20, ann), chat(1_440 * 21, bob), found(1_440 * 22, 1), closes(1_440 * 23, 1)],
    ends: [learning(1_440 * 20, { ...ann, state: "pending", approve_at: minute(1_440 * 50) })],
  },
  {
    name: "a capture that waits for an admin, and a pull request that closes and merges",
    known: [organizationSaved(1, delay(30)), repositorySaved(2)],
    events: [chat(1_440 * 20, ann), found(1_440 * 21, 1, bob), closes(1_440 * 22, 1), merges(1_440 * 23, 1)],
    ends: [learning(1_440 * 20, ann)],
  },
  {
    name: "a capture that waits for its repository",
    known: [organizationSaved(1)],
    events: [repositorySaved(2, delay(30)), chat(1_440 * 20)],
    ends: [learning(1_440 * 20, { state: "pending", approve_at: minute(1_440 * 50) })],
  },
  {
    name: "a capture that waits for its organization and its repository",
    events: [organizationSaved(1, delay(30)), repositorySaved(2), chat(1_440 * 20), closes(1_440 * 21, 1)],
    ends: [learning(1_440 * 20, { state: "pending", approve_at: minute(1_440 * 50) })],
  },
  {
    name: "a capture and the settings of its repository, of which the first ones count",
    known: [organizationSaved(1)],
    events: [
      repositorySaved(2, delay(30)),
      repositorySaved(3, delay(0)),
      chat(1_440 * 20),
      repositorySaved(1_440 * 21, delay(2)),
    ],
    // A Learning that was shared under the earliest settings known then stays shared.
    excepts: {
      isIn: (order) => Math.min(...order.slice(0, order.indexOf(2))) === 1,
      ends: [learning(1_440 * 20)],
    },
    ends: [learning(1_440 * 20, { state: "pending", approve_at: minute(1_440 * 50) })],
  },
  {
    name: "a capture and the settings of its organization, of which the first ones count",
    events: [
      organizationSaved(1, delay(30)),
      organizationSaved(2, delay(0)),
      repositorySaved(3),
      chat(1_440 * 20),
    ],
    excepts: {
      isIn: (order) => {
        const before = order.slice(0, order.indexOf(3));
        return before.includes(1) && before.includes(2) && !before.includes(0);
      },
      ends: [learning(1_440 * 20)],
    },
    ends: [learning(1_440 * 20, { state: "pending", approve_at: minute(1_440 * 50) })],
  },
  {
    name: "a capture and the settings of its organization, without a delay at first",
    events: [
      organizationSaved(1, delay(0)),
      repositorySaved(2),
      chat(1_440 * 20),
      organizationSaved(1_440 * 21, delay(30)),
    ],
    ends: [learning(1_440 * 20)],
  },
];

const others: readonly History[] = [
  {
    name: "members, seats and settings",
    known: [workspaceSaved(1, { seats_purchased: 1 })],
    events: [
      organizationSaved(2, { workspace_id: "acme", seat_assignment_mode: "automatic" }),
      memberSaved(3, { role: null }),
      memberSaved(4, { role: "cr_member", seat_assigned: false, email: "ann2@acme.test" }),
      memberSaved(5, { user_id: "2", email: "bob@acme.test" }),
      workspaceSaved(6, { seats_purchased: 40 }),
      organizationSaved(7, { workspace_id: "acme", ...delay(3), name: "Widgets Ltd" }),
    ],
  },
  {
    name: "reviewed pull requests, and a seat mode of which the first counts",
    events: [
      organizationSaved(1, { seat_assignment_mode: "automatic" }),
      organizationSaved(2, { seat_assignment_mode: "manual" }),
      repositorySaved(3),
      memberSaved(4, { user_id: "u1", seat_assigned: false }),
      finalizedAt(5, 1, { author_id: "u1" }),
    ],
  },
  {
    name: "instances and their organizations",
    events: [
      instanceSaved(1),
      instanceSaved(2, { name: "Forge 2" }),
      organizationSaved(3, { provider: "gitlab", instance_id: "forge" }),
      organizationSaved(4, { provider: "gitlab", instance_id: "forge", active: false }),
    ],
  },
  {
    name: "moves between tenants",
    known: [workspaceSaved(1), workspaceSaved(1, { id: "birch", name: "Birch" }), ...inRepository],
    events: [
      organizationSaved(3, { workspace_id: "acme" }),
      chat(4),
      memberSaved(5),
      organizationSaved(6, { workspace_id: "birch" }),
      finalizedAt(7, 1, mcp),
    ],
  },
  {
    name: "repositories and pull requests",
    known: [organizationSaved(1)],
    events: [
      repositorySaved(2),
      finalizedAt(3, 1, { reviewed: false }),
      finalizedAt(4, 1, closed),
      finalizedAt(5, 1, mcp),
      repositorySaved(6, { name: "web2", active: false }),
    ],
  },
  {
    name: "scans",
    known: inRepository,
    events: [
      event(
        "security_scan.completed",
        3,
        scanned(organization, { findings: [finding("f1"), finding("f2")] }),
      ),
      event(
        "security_scan.completed",
        4,
        scanned(organization, { scan_id: "s2", findings: [finding("f1")] }),
      ),
      event(
        "security_scan.completed",
        5,
        scanned(organization, { scan_id: "s2", findings: [finding("f2", { state: "dismissed" })] }),
      ),
    ],
  },
];

export const histories: readonly History[] = [...aboutLearnings, ...others];
