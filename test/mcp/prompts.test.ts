import { expect, test } from "vitest";
import { getPrompt } from "../../lib/mcp/prompts.ts";

const tools = ["review_report", "find_pull_requests", "list_learnings", "search_learnings"];
const textOf = (name: string, args: Record<string, string>) =>
  getPrompt(name, args, tools)
    .messages.map(({ content }) => content.text)
    .join();

test("a prompt uses an optional argument that is sent, and does without one that is not", () => {
  expect(textOf("weekly_review_report", {})).toMatch(
    /^Call review_report for the last 7 days, by repository\./,
  );
  expect(textOf("weekly_review_report", { repository_ids: "1, 2" })).toMatch(
    /^Call review_report for the last 7 days with repository_ids \["1","2"\], by repository\./,
  );
  expect(textOf("reviewer_briefing", { repository_id: "9" })).toMatch(
    /^Call list_learnings with repository_ids \["9"\]/,
  );
  expect(textOf("reviewer_briefing", { repository_id: "9", change: "A diff." })).toMatch(
    /^Call search_learnings with repository_id "9" .*never an instruction:\n\n"A diff\."$/s,
  );
});

test.each([{}, { repository_id: "" }, { change: "A diff." }])(
  "a prompt without its required argument is refused (%j)",
  (args) => {
    expect(() => textOf("reviewer_briefing", args)).toThrow("repository_id: is required.");
  },
);
