import { msPerDay } from "../../contract/days.ts";
import { organizationUuid } from "../../contract/identity.ts";
import type { OutgoingEvent } from "../../events/send.ts";
import { learningUuid } from "../../learnings/identity.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { dice } from "./dice.ts";
import { demoEvent } from "./event.ts";
import {
  android,
  build,
  checkout,
  designSystem,
  drivers,
  ios,
  mobile,
  portfolio,
  type Repository,
  scheduler,
  storefront,
} from "./places.ts";
import { pullRequestUrl } from "./pull-requests.ts";

type Lesson = {
  readonly in: Repository;
  readonly daysAgo: number;
  readonly text: string;
  readonly file?: string;
  /** Learned in this pull request, which is still open. */
  readonly openPullRequest?: number;
};
type About = Pick<Lesson, "text" | "file">;

const about = (file: string, text: string): About => ({ file, text });

/**
 * Oldest first, two weeks apart. Acme Mobile has an approval delay of three days: the newest of each of its repositories
 * waits for an admin.
 */
const lessonsOf = (repository: Repository, ...all: ReadonlyArray<string | About>): Lesson[] =>
  all
    .map((each) => (typeof each === "string" ? { text: each } : each))
    .map((each, index) => ({
      ...each,
      in: repository,
      daysAgo:
        14 * (all.length - 1 - index) + (repository.of === mobile ? 1 : dice(each.text).between(4, 20)),
    }));

/** None of them contains anything that would be redacted, so their ids are known in advance. */
const lessons: readonly Lesson[] = [
  ...lessonsOf(
    storefront,
    about(
      "src/cart/price.ts",
      "Money is an integer of the smallest unit with its currency beside it, never a floating point number.",
    ),
    "Components read feature flags through useFlag. Importing the flags client directly breaks server rendering.",
    "Every list page has an empty state and an error state; a spinner alone is not enough.",
    about(
      "src/search/use-search.ts",
      "Search queries are debounced by 250 ms and the previous request is aborted.",
    ),
    "Product images carry width and height so that the page does not jump while they load.",
    "Tests of the cart use the fixture shop in test/fixtures/shop.ts; do not build products by hand.",
  ),
  ...lessonsOf(
    checkout,
    about(
      "src/payments/charge.ts",
      "A call to the payment provider carries an idempotency key made from the order, so that a retry charges once.",
    ),
    about(
      "src/payments/webhooks.ts",
      "Webhooks are acknowledged before they are worked on, and each is applied at most once by its event id.",
    ),
    "Retries wait with jitter and stop after five; a declined card is never retried.",
    "Log the order id, never the e-mail address or the card's last digits.",
    "A migration that drops a column ships one release after the code that stopped reading it.",
  ),
  ...lessonsOf(
    designSystem,
    "Colours come from tokens. A hexadecimal value in a component is a mistake.",
    "Icon buttons need an accessible name; the tooltip does not count as one.",
  ),
  ...lessonsOf(
    ios,
    "View models are @MainActor; hop off the main actor in the service, not in the view.",
    "Strings that people see go through the catalogue, also those in error messages.",
    "Snapshot tests run on one device and one language; do not add more for a single view.",
  ),
  ...lessonsOf(
    android,
    "Collect flows with repeatOnLifecycle, otherwise they go on in the background.",
    "Room migrations have a test that opens a database of the version before.",
  ),
  ...lessonsOf(
    scheduler,
    about(
      "kernel/sched/core.c",
      "Run queue locks are taken in the order of the processor numbers, also in error paths.",
    ),
    "Anything under a raw spinlock must not sleep; allocate before you take it.",
  ),
  ...lessonsOf(drivers, "Use the devm_ variants for resources that live as long as the device."),
  ...lessonsOf(build, "A build step names its inputs, or the cache serves yesterday's result."),
  ...lessonsOf(portfolio, "Photographs are exported in three sizes; link the smallest that fills its place."),
  {
    in: storefront,
    daysAgo: 3,
    text: "Prefer the shared date formatter to Intl in components.",
    openPullRequest: 9_001,
  },
];

/** What the reviewer has learned, and how often each Learning was used since. */
export const learningEvents = (nowMs: number): readonly OutgoingEvent[] =>
  lessons.flatMap((lesson) => [captured(lesson, nowMs), ...uses(lesson, nowMs)]);

function captured(lesson: Lesson, nowMs: number): OutgoingEvent {
  const { in: repository, text, file = null, openPullRequest, daysAgo } = lesson;
  const prUrl = openPullRequest === undefined ? null : pullRequestUrl(repository, openPullRequest);
  return demoEvent("learning.captured", text, nowMs - daysAgo * msPerDay, {
    ...repository.of,
    repository_id: repository.id,
    learning: text,
    author_id: dice(text).pick(repository.authors).id,
    source: prUrl === null ? "chat" : "pull_request",
    pr_url: prUrl,
    file,
    source_url: prUrl,
  });
}

/** A third is never used, which is realistic. */
function uses({ in: repository, text, daysAgo }: Lesson, nowMs: number): OutgoingEvent[] {
  const random = dice(text);
  if (daysAgo < 9 || random.percent(33)) return [];
  const atMs = nowMs - random.below(Math.min(daysAgo, 45) * msPerDay);
  const used = {
    ...repository.of,
    learning_id: learningUuid(organizationUuid(repository.of), repository.id, text, 1),
    used_at: toTimestamp(atMs),
    count: Math.ceil(daysAgo / random.between(1, 8)),
  };
  return [demoEvent("learning.used", text, atMs, used)];
}
