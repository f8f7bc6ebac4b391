import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rules } from "../../lib/redaction/finders.ts";
import { redact } from "../../lib/redaction/redact.ts";
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

/** Without a quantifier that has no upper bound, a pattern costs so much at each place and no more: it is linear. */
const isBounded = ({ source }: RegExp) =>
  !/[*+]|\{\d+,\}/.test(source.replaceAll(/\\./g, "c").replaceAll(/\[[^\]]*\]/g, "c"));

/** A pattern that never gets a longer text needs no proof: its time has a bound, whatever it does. */
const shortLength = 520;

/**
 * Every pattern of every rule that searches texts, and every other one that gets a long text while the sample set is
 * redacted, one by one and as one text, and while long values of every sort are.
 */
function patternsInUse(): RegExp[] {
  const seen = new Map<string, RegExp>();
  const note = (pattern: RegExp) => seen.set(written(pattern), pattern);
  for (const rule of rules) {
    if (rule.pattern.global || rule.pattern.sticky) note(rule.pattern);
    if ("value" in rule && rule.value) note(rule.value);
  }
  const texts = [
    ...secretSamples("development", "1").map(({ text }) => text),
    ...cleanSamples("development"),
  ];
  const longValues = ["aB3dE6gH9k", "a1.b2-", "word ", "/a", "x-y_", "1,", "{a}", "é"].flatMap((unit) =>
    [
      "password=",
      'token: "',
      "the password is ",
      "Authorization: Bearer ",
      "https://a.example/reset/",
      "-p",
    ].map((context) => context + unit.repeat(2_000)),
  );
  const execute = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text) {
    if (text.length > shortLength) note(this);
    return execute.call(this, text);
  };
  try {
    for (const text of [...texts, texts.join("\n"), ...longValues]) redact(text);
  } finally {
    RegExp.prototype.exec = execute;
  }
  return [...seen.values()].filter((pattern) => !isBounded(pattern));
}

/** What the checker has proved; proving takes half a minute, so in the short run only what is new is proved. */
const provenFile = new URL("./proven-patterns.txt", import.meta.url);

describe("every pattern", () => {
  it("every pattern is linear: the checker proves it, or has proved it", { timeout: 600_000 }, async () => {
    const patterns = patternsInUse();
    expect(patterns.length).toBeGreaterThan(100);
    const proven = new Set(process.env.LONG ? [] : readFileSync(provenFile, "utf8").split("\n"));
    const verdicts = patterns
      .filter((pattern) => !proven.has(written(pattern)))
      .map((pattern) => `${verdict(pattern)}: ${written(pattern)}`);
    expect(verdicts.filter((each) => !each.startsWith("safe: "))).toEqual([]);
    // Exactly those in use: `npx vitest run test/redaction/patterns.test.ts -u` adds what was proved just now.
    const lines = patterns.map((pattern) => `${written(pattern)}\n`).sort();
    await expect(lines.join("")).toMatchFileSnapshot(fileURLToPath(provenFile));
  });

  it("the checker catches a pattern that is not linear", () => {
    expect(verdict(/eyJ[\w-]+\.[\w-]+\./g)).toBe("vulnerable");
    expect(verdict(/(?:\\+n|\\)*;/g)).toBe("vulnerable");
  });
});
