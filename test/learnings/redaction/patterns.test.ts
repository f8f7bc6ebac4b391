import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { redact, rules } from "../../../lib/learnings/redaction/redact.ts";
import { cleanSamples, secretSamples } from "./samples/read.ts";

// The checker's own JavaScript: its native and Java builds are not on every platform.
process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const checkTimeoutMs = 60_000;
const written = (pattern: RegExp) => `/${pattern.source}/${pattern.flags}`;
/** The checker tries its luck where it cannot prove: with the same luck every time. */
const checked = ({ source, flags }: RegExp) =>
  checkSync(source, flags, { timeout: checkTimeoutMs, randomSeed: 1 }).status;

/** Unknown is what ran out of time; on a busy machine a second try finds more of it. */
function verdict(pattern: RegExp) {
  const first = checked(pattern);
  return first === "unknown" ? checked(pattern) : first;
}

/** Every pattern of every rule, and every other one that runs while the sample set is redacted. */
function patternsInUse(): RegExp[] {
  const seen = new Map<string, RegExp>();
  const note = (pattern: RegExp) => seen.set(written(pattern), pattern);
  for (const rule of rules) {
    note(rule.pattern);
    if ("value" in rule && rule.value) note(rule.value);
  }
  const texts = [
    ...secretSamples("development", "1").map(({ text }) => text),
    ...cleanSamples("development"),
  ];
  const execute = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text) {
    note(this);
    return execute.call(this, text);
  };
  try {
    for (const text of texts) redact(text);
  } finally {
    RegExp.prototype.exec = execute;
  }
  return [...seen.values()];
}

/** What the checker has proved; proving takes half a minute, so in the short run only what is new is proved. */
const provenFile = new URL("./proven-patterns.txt", import.meta.url);

describe("every pattern", () => {
  it("is linear on every text, so the checker says, or has said", { timeout: 600_000 }, async () => {
    const patterns = patternsInUse();
    expect(patterns.length).toBeGreaterThan(100);
    const proven = new Set(process.env.LONG ? [] : readFileSync(provenFile, "utf8").split("\n"));
    const verdicts = patterns
      .filter((pattern) => !proven.has(written(pattern)))
      .map((pattern) => `${verdict(pattern)}: ${written(pattern)}`);
    expect(verdicts.filter((each) => !each.startsWith("safe: "))).toEqual([]);
    // Exactly those in use: `npx vitest run test/learnings/redaction/patterns.test.ts -u` adds what was proved just now.
    const lines = patterns.map((pattern) => `${written(pattern)}\n`).sort();
    await expect(lines.join("")).toMatchFileSnapshot(fileURLToPath(provenFile));
  });

  it("would be caught if it were not", () => {
    expect(verdict(/eyJ[\w-]+\.[\w-]+\./g)).toBe("vulnerable");
    expect(verdict(/(?:\\+n|\\)*;/g)).toBe("vulnerable");
  });
});
