import { describe, expect, it } from "vitest";
import { redact } from "../../../lib/redaction/redact.ts";
import { cleanSamples, type Half, secretSamples } from "../../redaction/samples/read.ts";

/** Each template is expanded with several seeds: a rule that finds a credential only by luck shows. */
const seeds = ["1", "2", "3", "4", "5"];
/** The rest is what the rules leave out on purpose (lib/redaction/README.md). */
const recallMin = 0.98;
const falsePositivesMax = 0.005;

function measureSecrets(half: Half) {
  const measured = seeds.flatMap((seed) =>
    secretSamples(half, seed).map((sample) => ({ ...sample, answer: redact(sample.text).text })),
  );
  // Found: nothing of the secret remains, and everything around it does.
  const missed = measured.filter(({ answer, expected }) => !expected.test(answer));
  return { count: measured.length, missed, recall: 1 - missed.length / measured.length };
}

function measureClean(half: Half) {
  const texts = cleanSamples(half);
  const changed = texts.filter((text) => redact(text).text !== text);
  return { count: texts.length, changed, rate: changed.length / texts.length };
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

describe.each<Half>(["development", "held-out"])("on the %s half of the sample set", (half) => {
  it(`in the ${half} half of the sample set, at least 98 % of credentials are removed, whole, nothing else`, () => {
    const { count, missed, recall } = measureSecrets(half);
    console.log(
      `${half}: recall ${percent(recall)} of ${count} (${seeds.length} expansions of each template)`,
    );
    for (const { label, answer } of missed) console.log(`  missed: ${label}: ${answer.slice(0, 120)}`);
    expect(recall).toBeGreaterThanOrEqual(recallMin);
  });

  it(`in the ${half} half of the sample set, at most 0.5 % of the clean texts are changed`, () => {
    const { count, changed, rate } = measureClean(half);
    console.log(`${half}: false positives ${percent(rate)} of ${count}`);
    for (const text of changed) console.log(`  changed: ${redact(text).text.slice(0, 120)}`);
    expect(rate).toBeLessThanOrEqual(falsePositivesMax);
  });
});

describe("the sample set", () => {
  const halves: Half[] = ["development", "held-out"];

  it("the sample set holds at least 300 credentials and 300 clean texts", () => {
    expect(halves.flatMap((half) => secretSamples(half, "1")).length).toBeGreaterThanOrEqual(300);
    expect(halves.flatMap(cleanSamples).length).toBeGreaterThanOrEqual(300);
  });

  it("the sample set holds no credential in full: every secret part is made up when the test runs", () => {
    const fixed = halves.flatMap((half) => {
      const others = secretSamples(half, "2");
      return secretSamples(half, "1").filter(({ secrets }, index) =>
        // A plain word comes from a list: two draws may agree.
        secrets.some(
          (secret, part) => !/^[A-Za-z .-]*$/.test(secret) && secret === others[index]?.secrets[part],
        ),
      );
    });
    expect(fixed.map(({ label }) => label)).toEqual([]);
  });
});
