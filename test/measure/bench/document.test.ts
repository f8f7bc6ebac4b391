import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { documentFile, documentOf } from "./document.ts";
import { lineChart } from "./picture.ts";
import { isDone, type Result, readResult } from "./results.ts";
import { atMost, sectionNames } from "./section.ts";

const picture = lineChart({
  name: "units",
  title: "Units <of> it",
  alt: "a level line",
  xLabel: "stored",
  yLabel: "units",
  series: [
    {
      name: "page",
      points: [
        [1_000, 19],
        [1_000_000, 19],
      ],
    },
  ],
});

const result: Result = {
  name: "growth",
  title: "Growth",
  quick: false,
  measuredOn: "2026-11-15",
  seconds: 12,
  machine: { processor: "some", cores: 2, memoryGigabytes: 8, system: "linux 6", versions: { node: "24" } },
  section: {
    prose: ["What it is."],
    targets: [atMost("kept", 3, 3), atMost("missed", 4, 3)],
    tables: [
      {
        title: "Learnings, by stored Learnings",
        columns: ["request", "stored", "trips", "calls", "read units", "write units"],
        rows: [
          ["a | b", 100, 3, 4, 1234.5, 1],
          ["a | b", 5000, 3, 9, 1236, 1],
        ],
      },
    ],
    pictures: [picture],
  },
};

test("a missed target is in the list of targets and in its section, a met one only in the list", () => {
  const document = documentOf([result], "benchmarks");
  expect(document).toContain("| **MISSED** | [growth](#growth): missed | 4 | at most 3 |");
  expect(document).toContain("**Target missed**: missed: 4 (target: at most 3).");
  expect(document).toContain("| met | [growth](#growth): kept | 3 | at most 3 |");
  expect(document).not.toContain("**Target missed**: kept");
});

test("a section has one table with the least and the most of each request, and a link to every row", () => {
  const document = documentOf([result], "benchmarks");
  expect(document).toContain(
    "| request | stored | trips | read units | write units |\n| --- | --- | --- | --- | --- |\n" +
      "| a \\| b | 100 to 5,000 Learnings | 3 | 1,234.5 to 1,236 | 1 |",
  );
  expect(document).toContain("[Every row](benchmarks/results/growth.json)");
});

test("docs/reports/benchmarks.md is what the stored results say (npm run bench -- --page)", async () => {
  const folder = fileURLToPath(new URL("../../../docs/reports/benchmarks", import.meta.url));
  const results = await Promise.all(sectionNames.map((name) => readResult(folder, name)));
  const stored = results.filter((each) => each !== undefined);
  expect(stored.length).toBe(sectionNames.length);
  expect(readFileSync(documentFile(folder), "utf8")).toBe(documentOf(stored, "benchmarks"));
});

test("pictures, machine and date are in the document", () => {
  const document = documentOf([result], "benchmarks");
  expect(document).toContain("![a level line](benchmarks/units.svg)");
  expect(document).toContain("- 2026-11-15, some, 2 cores, 8 GB, linux 6, node 24: growth (12 s)");
});

test("a run that goes on repeats what is of another commit, another processor, or changed code", () => {
  const done: Result = { ...result, commit: "0123456789ab" };
  expect(isDone(done, "0123456789ab", "some")).toBe(true);
  expect(documentOf([done], "benchmarks")).toContain("- 2026-11-15, commit 0123456789ab, some");
  expect(isDone(done, "ba9876543210", "some")).toBe(false);
  expect(isDone(done, "0123456789ab", "another")).toBe(false);
  expect(isDone({ ...done, quick: true }, "0123456789ab", "some")).toBe(false);
  const changed = { ...done, commit: "0123456789ab-changed" };
  expect(isDone(changed, "0123456789ab-changed", "some")).toBe(false);
  expect([isDone(undefined, "0123456789ab", "some"), isDone(result, "0123456789ab", "some")]).toEqual([
    false,
    false,
  ]);
});

test("results of tiny sizes are marked as no measurement", () => {
  expect(documentOf([{ ...result, quick: true }], "benchmarks")).toContain("not a measurement");
  expect(documentOf([result], "benchmarks")).not.toContain("not a measurement");
});

test("a picture is well-formed, draws equal values level, and escapes its texts", () => {
  expect(picture.svg).toContain("Units &lt;of> it");
  const [first, second] = [...picture.svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)];
  expect(first?.[2]).toBe(second?.[2]);
  expect(Number(first?.[1])).toBeLessThan(Number(second?.[1]));
});
