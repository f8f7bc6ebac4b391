import { expect, test } from "vitest";
import { followLog } from "../../lib/mirror/follow.ts";
import { ndjsonLayout } from "../../lib/mirror/layout.ts";
import type { ExportWalk } from "../../lib/mirror/sources.ts";
import { TestClock } from "../support/clock.ts";

type Page = { readonly ids: readonly string[]; readonly next?: string };

/** Answers the given pages one after the other, and keeps the cursors with which they were requested. */
function scripted(...answers: ReadonlyArray<Page | Error>) {
  const cursors: Array<string | undefined> = [];
  const walk: ExportWalk = {
    identity: { thing: "id", organization: [] },
    layout: ndjsonLayout,
    pageSizeMax: 100,
    onlyGrows: true,
    isAmbiguous: async () => false,
    page: async ({ cursor }) => {
      const answer = answers[cursors.length] ?? new RangeError("The script has ended.");
      cursors.push(cursor);
      if (answer instanceof Error) throw answer;
      return {
        changes: answer.ids.map((id) => ({ kind: "written", fields: { id }, json: JSON.stringify({ id }) })),
        nextCursor: answer.next ?? null,
        resumeCursor: answer.next === undefined ? `resume ${cursors.length}` : null,
      };
    },
  };
  return { walk, cursors };
}

/** `asFirst`: of each error that it survives, whether it was of the first call. */
async function followed({ walk }: ReturnType<typeof scripted>, hoursBetween = 0, asFirst: boolean[] = []) {
  const lines: string[] = [];
  const clock = new TestClock("2026-11-15T00:00:00.000Z");
  const slow = {
    nowMs: () => clock.nowMs(),
    sleep: async () => clock.advance(hoursBetween * 3_600_000 + 10_000),
  };
  const survive = (error: unknown, isFirst: boolean) => {
    if (!(error instanceof TypeError)) throw error;
    asFirst.push(isFirst);
  };
  await expect(async () => {
    for await (const some of followLog(walk, slow, survive)) lines.push(...some);
  }).rejects.toThrow("The script has ended.");
  return lines.map((line): string => JSON.parse(line).id);
}

test("a followed log gives each entry once, although the service repeats the last ones", async () => {
  const script = scripted(
    { ids: ["a"], next: "n1" },
    { ids: ["b"] },
    { ids: ["a", "b", "c"] },
    { ids: ["c"] },
  );
  expect(await followed(script)).toEqual(["a", "b", "c"]);
  expect(script.cursors).toEqual([undefined, "n1", "resume 2", "resume 3", "resume 4"]);
});

test("a followed log survives a night without the service, and neither misses nor repeats an entry", async () => {
  const away = new TypeError("fetch failed");
  const script = scripted({ ids: ["a", "b"] }, away, away, { ids: ["a", "b", "c"] });
  expect(await followed(script, 5)).toEqual(["a", "b", "c"]);
});

test("a followed log waits for a service that is not there yet; an error that does not pass ends it", async () => {
  const away = new TypeError("fetch failed");
  expect(await followed(scripted(away, away, { ids: ["a"] }), 5)).toEqual(["a"]);
});

test.each([
  { answers: [new TypeError("fetch failed"), new TypeError("fetch failed")], expected: [true, false] },
  { answers: [{ ids: ["a"], next: "n1" }, new TypeError("fetch failed")], expected: [false] },
])(
  "only the first call of a followed log can show that the address is wrong: %#",
  async ({ answers, expected }) => {
    const asFirst: boolean[] = [];
    await followed(scripted(...answers), 0, asFirst);
    expect(asFirst).toEqual(expected);
  },
);
