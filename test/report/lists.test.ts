import { describe, expect, test } from "vitest";
import { csvList, type ListName, listOf, markdownList, textList } from "../../lib/report/lists.ts";
import { reportOf } from "../../lib/report/report.ts";
import { teamsByAuthor } from "../../lib/report/teams.ts";
import { collected, comments, finding, review } from "./records.ts";

const { period } = reportOf([], { start_date: "2026-03-02", end_date: "2026-03-08" }, "week");
const created_at = "2026-03-02T00:00:00.000Z";
/** Merged so many hours after it was opened, first reviewed so many hours after, if at all. */
const took = (number: number, mergeHours: number, reviewHours: number | null) => {
  const after = (hours: number) => new Date(Date.parse(created_at) + hours * 3_600_000).toISOString();
  const first_human_review_at = reviewHours === null ? null : after(reviewHours);
  return review(number, { created_at, merged_at: after(mergeHours), first_human_review_at });
};
const numbersOf = (
  list: ListName,
  reviews: ReturnType<typeof review>[],
  findings: Parameters<typeof collected>[1] = [],
) =>
  listOf(collected(reviews, findings), period, list).pull_requests.map(({ url }) =>
    Number(url.split("/").at(-1)),
  );

describe("lists", () => {
  test("no-review lists pull requests that no person reviewed, newest first", () => {
    expect(numbersOf("no-review", [took(1, 1, null), took(2, 2, 1), took(3, 3, null)])).toEqual([3, 1]);
  });

  test("unaccepted lists pull requests with findings that were not accepted, most first", () => {
    const findings = [
      comments(1, [finding(false), finding(true)]),
      comments(2, [finding(true), finding(null)]),
      comments(3, [finding(false), finding(false)]),
    ];
    expect(numbersOf("unaccepted", [took(1, 1, 1), took(2, 1, 1), took(3, 1, 1)], findings)).toEqual([3, 1]);
  });

  test("slow lists those over the 90 % mark of either time, the longest merge first", () => {
    const usual = Array.from({ length: 18 }, (_, index) => took(index, 10, 1));
    expect(numbersOf("slow", [...usual, took(100, 11, 9), took(101, 90, 1)])).toEqual([101, 100]);
    expect(numbersOf("slow", usual)).toEqual([]);
  });
});

const list = listOf(
  collected([took(1, 30, null), took(2, 2, 1)], [comments(1, [finding(false), finding(null)])]),
  period,
  "no-review",
);

test("a list as text has whole addresses, and says what it lists", () => {
  expect(textList(list).split("\n")).toEqual([
    "Code reviews, 2 Mar to 8 Mar 2026 (7 days, UTC): 1 without a human review",
    "Merged pull requests that no person reviewed, newest first. Times begin at ready for review (or",
    "  opened, where that is not known).",
    "",
    "Merged      Findings  Not accepted  First review   Merge  Author  Pull request",
    "3 Mar 2026         2             1             –  30.0 h  ada     https://git.example/acme/shop/pull/1",
  ]);
});

const team = (team_id: string, name: string) => ({
  provider: "github" as const,
  organization_id: "1001",
  organization_name: "acme",
  team_id,
  name,
  user_ids: ["501"],
});

test("a list as a file has plain numbers and the author, and the author's teams where they are known", () => {
  expect(csvList(list)).toBe(
    "url,repository,organization,merged_at,complexity,findings,accepted,not_accepted,unknown,first_review_minutes,merge_minutes,author,teams\r\n" +
      "https://git.example/acme/shop/pull/1,shop,acme,2026-03-03T06:00:00.000Z,,2,0,1,1,,1800,ada,\r\n",
  );
  const teamsOf = teamsByAuthor([team("7", "Checkout"), team("8", "Web")]);
  const known = listOf(collected([took(1, 30, null)]), period, "no-review", { teamsOf });
  expect(csvList(known)).toContain(",ada,Checkout; Web\r\n");
  expect(textList(known)).toMatch(/Author {2}Teams {10}Pull request\n.* ada {5}Checkout, Web {2}https:/);
});

test("an address in a list as Markdown is a link, and a hostile one is not", () => {
  expect(markdownList(list)).toContain("| https://git.example/acme/shop/pull/1 |");
  const hostile = { ...review(1), pr_url: "https://git.example/`|[x](y)" };
  expect(markdownList(listOf(collected([hostile]), period, "no-review"))).toContain(
    "| `https://git.example/''[x](y)` |",
  );
});

test("in a list as Markdown only the address of a pull request is a link, not its author and teams", () => {
  const teamsOf = teamsByAuthor([team("7", "https://evil.example")]);
  const reviews = collected([review(1, { author_username: "https://evil.example/a" })]);
  expect(markdownList(listOf(reviews, period, "no-review", { teamsOf }))).toContain(
    "| `https://evil.example/a` | `https://evil.example` | https://git.example/acme/shop/pull/1 |",
  );
});

test("an empty list is a sentence, not an empty table", () => {
  const none = listOf([], period, "slow");
  expect([textList(none), markdownList(none)].map((text) => text.includes("Pull request "))).toEqual([
    false,
    false,
  ]);
  expect(textList(none)).toContain(": 0 slow");
});
