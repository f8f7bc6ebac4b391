import { describe, expect, it } from "vitest";
import { redact } from "../../../lib/redaction/redact.ts";
import { generate } from "./unseen/generate.ts";
import { leaks } from "./unseen/values/segments.ts";

/** The short form of `measure.ts`. The held-out half has never been looked at: its bounds only keep what was reached. */
const count = process.env.LONG ? 4_000 : 500;
const seed = process.env.SEED ?? "1";
const bounds = {
  development: { recallMin: 0.97, falsePositivesMax: 0.005 },
  "held-out": { recallMin: 0.9, falsePositivesMax: 0.04 },
} as const;
const surelyFound = new Set(["private keys", "vendor tokens"]);

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
const withoutMarkers = (text: string) => text.replaceAll(/\[REDACTED:\w+\]/g, "\u0000");

describe.each(["development", "held-out"] as const)(
  "texts that were not written for the rules, half %s",
  (half) => {
    const { secrets, clean } = generate({ seed, count, half });
    const { recallMin, falsePositivesMax } = bounds[half];

    it(`in the ${half} half of unseen texts, at least ${percent(recallMin)} of secrets are removed, whole`, {
      timeout: 300_000,
    }, () => {
      const missed = secrets.filter(({ secret, text }) => leaks(secret, withoutMarkers(redact(text).text)));
      const recall = 1 - missed.length / secrets.length;
      console.log(`${half}: recall ${percent(recall)} of ${secrets.length}, seed ${seed}`);
      expect(recall).toBeGreaterThanOrEqual(recallMin);
      const surely = secrets.filter(({ group }) => surelyFound.has(group)).length;
      const surelyMissed = missed.filter(({ group }) => surelyFound.has(group)).length;
      console.log(
        `${half}: private keys and vendors' tokens ${percent(1 - surelyMissed / surely)} of ${surely}`,
      );
      expect(1 - surelyMissed / surely).toBeGreaterThanOrEqual(half === "development" ? 0.99 : 0.95);
    });

    it(`in the ${half} half of unseen texts, at most ${percent(falsePositivesMax)} of the clean texts change`, {
      timeout: 300_000,
    }, () => {
      const changed = clean.filter(({ text }) => redact(text).text !== text);
      console.log(`${half}: false positives ${percent(changed.length / clean.length)} of ${clean.length}`);
      expect(changed.length / clean.length).toBeLessThanOrEqual(falsePositivesMax);
    });
  },
);
