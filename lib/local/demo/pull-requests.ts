import { msPerDay } from "../../contract/days.ts";
import { categories, severities } from "../../contract/records-metrics.ts";
import type { OutgoingEvent } from "../../events/send.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { type Dice, dice, type NonEmpty } from "./dice.ts";
import { demoEvent } from "./event.ts";
import { type Repository, repositories } from "./places.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Every pull request that ends within (since, until], ordered by its end. The result for a day is always the same. */
export function pullRequestEvents(sinceMs: number, untilMs: number): readonly OutgoingEvent[] {
  const events: Array<{ readonly atMs: number; readonly event: OutgoingEvent }> = [];
  for (let day = Math.floor(sinceMs / msPerDay); day <= Math.floor(untilMs / msPerDay); day++)
    for (const repository of repositories)
      for (const ending of endingOn(repository, day))
        if (ending.atMs > sinceMs && ending.atMs <= untilMs) events.push(ending);
  return events.toSorted((one, other) => one.atMs - other.atMs).map(({ event }) => event);
}

/** 1 January 1970 was a Thursday. */
const isWeekend = (day: number): boolean => (day + 4) % 7 === 0 || (day + 4) % 7 === 6;

const endsADayMax = 4;
/** Day zero of the repositories: pull request numbers count from here. */
const firstDay = 20_400;

function* endingOn(repository: Repository, day: number) {
  const { fullName, tenthsADay } = repository;
  const random = dice(`${fullName} ${day}`);
  const tenths = isWeekend(day) ? tenthsADay / 8 : tenthsADay;
  const sure = Math.floor(tenths / 10);
  const more = random.percent((tenths - sure * 10) * 10) ? 1 : 0;
  // Some days have one more, some one fewer: the counts should not look too regular.
  const count = Math.max(0, sure + more + random.pick([-1, -1, 0, 0, 0, 0, 0, 1]));
  for (let index = 0; index < Math.min(count, endsADayMax); index++) {
    const number = (day - firstDay) * endsADayMax + index + 1;
    const atMs = day * msPerDay + random.between(7 * 60, 18 * 60) * minuteMs + random.below(minuteMs);
    yield { atMs, event: pullRequest(repository, number, atMs) };
  }
}

const paths: Readonly<Record<string, string>> = {
  github: "pull",
  gitlab: "-/merge_requests",
  bitbucket: "pull-requests",
};
export const pullRequestUrl = ({ of, url }: Repository, number: number): string =>
  `${url}/${paths[of.provider]}/${number}`;

function pullRequest(repository: Repository, number: number, atMs: number): OutgoingEvent {
  const url = pullRequestUrl(repository, number);
  const random = dice(url);
  const author = random.pick(repository.authors);
  // A bot's pull requests have no author that the provider names.
  const isBot = random.percent(3);
  const complexity = random.weigh([
    [1, 25],
    [2, 35],
    [3, 25],
    [4, 11],
    [5, 4],
  ]);
  const mood = trend(repositories.indexOf(repository), Math.floor(atMs / msPerDay));
  const status = random.percent(91) ? "merged" : "closed";
  const createdMs = atMs - random.between(2, 30 * complexity) * hourMs;
  const within = (part: number) => toTimestamp(createdMs + (atMs - createdMs) * part);
  const data = {
    ...repository.of,
    repository_id: repository.id,
    pr_url: url,
    author_id: isBot ? null : author.id,
    author_username: isBot ? "dependency-bot" : author.name,
    author_type: isBot ? "bot" : "user",
    created_at: toTimestamp(createdMs),
    ready_for_review_at: within(0.05),
    // In good weeks a person reviews sooner.
    first_human_review_at: random.percent(82)
      ? within((0.4 + random.below(30) / 100) * (1 - mood / 3))
      : null,
    last_commit_at: within(0.75 + random.below(20) / 100),
    merged_at: status === "merged" ? toTimestamp(atMs) : null,
    closed_at: toTimestamp(atMs),
    status,
    reviewed: random.percent(96),
    review_iterations: random.between(1, 1 + complexity),
    estimated_complexity: random.percent(97) ? complexity : null,
    estimated_review_minutes: complexity * 8 + random.below(12),
    comments: isBot ? [] : comments(random, { repository, url, complexity, mood }),
    mcp_servers: random.percent(24 + 10 * mood) ? mcpServers(random) : [],
  };
  return demoEvent("pull_request.finalized", url, atMs, data);
}

const anchors: Readonly<Record<string, string>> = {
  github: "#discussion_r",
  gitlab: "#note_",
  bitbucket: "#comment-",
};

const [critical, major, minor, trivial, info] = severities;
/** How often each severity is found, and what percentage of its comments is accepted. */
const severityWeights: NonEmpty<readonly [{ readonly severity: string; readonly takenUp: number }, number]> =
  [
    [{ severity: critical, takenUp: 88 }, 4],
    [{ severity: major, takenUp: 76 }, 20],
    [{ severity: minor, takenUp: 61 }, 38],
    [{ severity: trivial, takenUp: 44 }, 21],
    [{ severity: info, takenUp: 20 }, 13],
    [{ severity: "none", takenUp: 30 }, 4],
  ];
const [integration, correctness, maintainability, performance, security, stability] = categories;
const categoryWeights: NonEmpty<readonly [string, number]> = [
  [correctness, 34],
  [maintainability, 30],
  [stability, 13],
  [security, 9],
  [performance, 8],
  [integration, 6],
];

/** How many percentage points more are accepted in the best weeks, and fewer in the worst. */
const takenUpSwing = 16;

type Review = {
  readonly repository: Repository;
  readonly url: string;
  readonly complexity: number;
  readonly mood: number;
};

function comments(random: Dice, { repository: { of }, url, complexity, mood }: Review) {
  const count = random.percent(14) ? 0 : random.between(1, 1 + complexity * 2);
  const firstId = 1_700_000_000 + random.below(200_000_000);
  return Array.from({ length: count }, (_, index) => {
    const { severity, takenUp } = random.weigh(severityWeights);
    const isTakenUp = random.percent(takenUp + takenUpSwing * mood);
    return {
      url: `${url}${anchors[of.provider]}${firstId + index * 37}`,
      severity,
      category: random.weigh(categoryWeights),
      accepted: isTakenUp ? true : random.percent(45) ? null : false,
    };
  });
}

const servers = [
  { name: "linear", tools: ["get_issue", "list_comments", "search_issues"] },
  { name: "notion", tools: ["search", "fetch_page"] },
  { name: "sentry", tools: ["find_issue", "get_event"] },
] as const;

const mcpServers = (random: Dice) =>
  servers
    .filter(() => random.percent(55))
    .map(({ name, tools }) => ({
      name,
      tools: tools
        .filter(() => random.percent(70))
        .map((tool) => {
          const calls = random.between(1, 9);
          return { name: tool, calls, failures: random.percent(15) ? random.below(Math.min(calls, 3)) : 0 };
        }),
    }));

/** 16 weeks from one high to the next: the twelve weeks of the demo always show an up and a down. */
const periodDays = 112;
/** Teams do not all have their good weeks at the same time. */
const apartDays = 4;

/** How well a repository does on a day, from -1 to 1; the same for everybody, every time. */
const trend = (place: number, day: number): number =>
  Math.sin(((day + (place % 4) * apartDays) / periodDays) * 2 * Math.PI);
