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
  type Person,
  people,
  portfolio,
  type Repository,
  scheduler,
  storefront,
} from "./places.ts";
import { pullRequestUrl } from "./pull-requests.ts";

type Lesson = {
  readonly in: Repository;
  readonly by: Person;
  readonly daysAgo: number;
  readonly text: string;
  readonly file?: string;
  /** Learned in this pull request, which is still open. */
  readonly openPullRequest?: number;
};

const { ada, ben, chidi, farah, goran, hana, ivo, lucia, runa, sven, tova, ulf } = people;

/** None of them contains anything that would be redacted, so their ids are known in advance. */
const lessons: readonly Lesson[] = [
  {
    in: storefront,
    by: ada,
    daysAgo: 79,
    text: "Money is an integer of the smallest unit with its currency beside it, never a floating point number.",
    file: "src/cart/price.ts",
  },
  {
    in: storefront,
    by: ben,
    daysAgo: 71,
    text: "Components read feature flags through useFlag. Importing the flags client directly breaks server rendering.",
  },
  {
    in: storefront,
    by: farah,
    daysAgo: 58,
    text: "Every list page has an empty state and an error state; a spinner alone is not enough.",
  },
  {
    in: storefront,
    by: chidi,
    daysAgo: 40,
    text: "Search queries are debounced by 250 ms and the previous request is aborted.",
    file: "src/search/use-search.ts",
  },
  {
    in: storefront,
    by: goran,
    daysAgo: 23,
    text: "Product images carry width and height so that the page does not jump while they load.",
  },
  {
    in: storefront,
    by: ben,
    daysAgo: 5,
    text: "Tests of the cart use the fixture shop in test/fixtures/shop.ts; do not build products by hand.",
  },
  {
    in: checkout,
    by: chidi,
    daysAgo: 76,
    text: "A call to the payment provider carries an idempotency key made from the order, so that a retry charges once.",
    file: "src/payments/charge.ts",
  },
  {
    in: checkout,
    by: farah,
    daysAgo: 64,
    text: "Webhooks are acknowledged before they are worked on, and each is applied at most once by its event id.",
    file: "src/payments/webhooks.ts",
  },
  {
    in: checkout,
    by: chidi,
    daysAgo: 45,
    text: "Retries wait with jitter and stop after five; a declined card is never retried.",
  },
  {
    in: checkout,
    by: goran,
    daysAgo: 19,
    text: "Log the order id, never the e-mail address or the card's last digits.",
  },
  {
    in: checkout,
    by: ada,
    daysAgo: 4,
    text: "A migration that drops a column ships one release after the code that stopped reading it.",
  },
  {
    in: designSystem,
    by: ben,
    daysAgo: 66,
    text: "Colours come from tokens. A hexadecimal value in a component is a mistake.",
  },
  {
    in: designSystem,
    by: farah,
    daysAgo: 31,
    text: "Icon buttons need an accessible name; the tooltip does not count as one.",
  },
  {
    in: ios,
    by: hana,
    daysAgo: 52,
    text: "View models are @MainActor; hop off the main actor in the service, not in the view.",
  },
  {
    in: ios,
    by: ben,
    daysAgo: 26,
    text: "Strings that people see go through the catalogue, also those in error messages.",
  },
  {
    in: android,
    by: ivo,
    daysAgo: 48,
    text: "Collect flows with repeatOnLifecycle, otherwise they go on in the background.",
  },
  // Acme Mobile has an approval delay of three days: these two wait for an admin.
  {
    in: android,
    by: ivo,
    daysAgo: 1,
    text: "Room migrations have a test that opens a database of the version before.",
  },
  {
    in: ios,
    by: hana,
    daysAgo: 2,
    text: "Snapshot tests run on one device and one language; do not add more for a single view.",
  },
  {
    in: storefront,
    by: goran,
    daysAgo: 3,
    text: "Prefer the shared date formatter to Intl in components.",
    openPullRequest: 9_001,
  },
  {
    in: scheduler,
    by: runa,
    daysAgo: 60,
    text: "Run queue locks are taken in the order of the processor numbers, also in error paths.",
    file: "kernel/sched/core.c",
  },
  {
    in: scheduler,
    by: ulf,
    daysAgo: 33,
    text: "Anything under a raw spinlock must not sleep; allocate before you take it.",
  },
  {
    in: drivers,
    by: sven,
    daysAgo: 37,
    text: "Use the devm_ variants for resources that live as long as the device.",
  },
  {
    in: build,
    by: tova,
    daysAgo: 29,
    text: "A build step names its inputs, or the cache serves yesterday's result.",
  },
  {
    in: portfolio,
    by: lucia,
    daysAgo: 21,
    text: "Photographs are exported in three sizes; link the smallest that fills its place.",
  },
];

export const learningEvents = (nowMs: number): readonly OutgoingEvent[] =>
  lessons.flatMap((lesson) => [captured(lesson, nowMs), ...uses(lesson, nowMs)]);

function captured(lesson: Lesson, nowMs: number): OutgoingEvent {
  const { in: repository, by, text, file = null, openPullRequest, daysAgo } = lesson;
  const prUrl = openPullRequest === undefined ? null : pullRequestUrl(repository, openPullRequest);
  return demoEvent("learning.captured", text, nowMs - daysAgo * msPerDay, {
    ...repository.of,
    repository_id: repository.id,
    learning: text,
    author_id: by.id,
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
