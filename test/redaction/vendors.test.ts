import { describe, expect, it } from "vitest";
import { publishedKinds, redact } from "../../lib/redaction/redact.ts";
import { kindNamed } from "../../lib/redaction/rule.ts";
import { prefixRows, type VendorRow } from "../../lib/redaction/vendors.ts";
import { expand } from "./samples/template.ts";

const alphabets: Record<string, string> = {
  h: "hex",
  u: "upperalnum",
  a: "alnum",
  s: "alnum",
  w: "base64url",
  b: "base64",
  d: "alnum",
};

/** A token of the row's form, made when the test runs: a word cannot come up, and neither can a real token. */
function example({ name, alphabet, length, flags }: VendorRow, prefix: string, seed: number): string {
  const generator = alphabets[alphabet];
  const body = flags.includes("U") ? "{uuid}" : `{${generator}:${length}}`;
  return prefix + expand(body, `${name}/${prefix}/${seed}`);
}

const seeds = [1, 2, 3, 4, 5];
const kindsIn = (text: string) => redact(text).kinds;

describe("a vendor's token", () => {
  it.each(prefixRows.map((row) => [row.name, row] as const))(
    "the vendor token %s is found whole and reported by its kind",
    (_, row) => {
      for (const prefix of row.words) {
        // A few of the drawn ones look like no token (no digit, a word): most do, and each prefix must.
        const found = seeds.filter((seed) => {
          const token = example(row, prefix, seed);
          const answer = redact(`see ${token} in the log`);
          return answer.text === `see [REDACTED:${answer.kinds[0]}] in the log`;
        });
        expect(found.length, prefix).toBeGreaterThanOrEqual(4);
      }
      const own = seeds.flatMap((seed) =>
        row.words.flatMap((prefix) => kindsIn(`x ${example(row, prefix, seed)} x`)),
      );
      expect(own).toContain(kindNamed(row.name).kind);
    },
  );

  it("a key without a form of its own is found after the name of its vendor", () => {
    for (const word of ["algolia", "datadog", "okta", "ngrok", "acme"]) {
      const text = `${word.toUpperCase()}_API_KEY and the ${word} key 4f9c2d7ab01e6358c9d4e2f7a1b08c36`;
      expect(redact(text).text, word).toContain("key [REDACTED:");
    }
  });

  it("a vendor's token stays if it is a placeholder", () => {
    for (const text of [
      "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "AKIAIOSFODNN7EXAMPLE",
      "xoxb-your-token-here-please",
    ])
      expect(redact(text).text).toBe(text);
  });
});

describe("the vendors' table", () => {
  it("the vendors' table holds at least 200 kinds with a form of their own", () => {
    const kinds = new Set(prefixRows.map(({ name }) => kindNamed(name).kind));
    console.log(`${kinds.size} kinds of vendors' tokens, ${publishedKinds.length} kinds in all`);
    expect(kinds.size).toBeGreaterThanOrEqual(200);
  });

  it("the vendors' table has only complete rows", () => {
    const broken = prefixRows.filter(
      ({ name, words, length, alphabet }) =>
        name === "" || words.length === 0 || length === 0 || !(alphabet in alphabets),
    );
    expect(broken).toEqual([]);
  });
});
