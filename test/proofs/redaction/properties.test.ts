import { describe, expect, it } from "vitest";
import { rules } from "../../../lib/redaction/finders.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { shapes } from "../../measure/redaction/shapes.ts";
import { cleanSamples, secretSamples } from "../../redaction/samples/read.ts";
import fc from "../../support/property.ts";
import { timeoutMs, volume } from "../../support/volume.ts";

const anyUtf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units));

/** Texts that come close: pieces of credentials, contexts, markers and punctuation in any order, glued together. */
const beginnings = rules.flatMap((rule) =>
  "prefixes" in rule ? rule.prefixes : "keywords" in rule ? rule.keywords : [],
);
const glue = [
  "",
  " ",
  "\n",
  "=",
  ": ",
  '"',
  "'",
  "`",
  ":",
  "@",
  "://",
  "/",
  "&",
  "?",
  "-",
  "_",
  ".",
  "\\n",
  "%3D",
  "[",
  "]",
  "(",
  ")",
  ",",
  ";",
  "<",
  ">",
  "-----",
  "…",
  "\ud83d",
];
const contexts = [
  "password",
  "api_key",
  "DB_PASSWORD=",
  "token is ",
  "Authorization: Bearer ",
  "curl -u me:",
  "mysql -p",
  "docker login -p ",
  "?token=",
  "login x password ",
  "-----BEGIN RSA PRIVATE KEY-----",
  "-----END RSA PRIVATE KEY-----",
  "creds / ",
  "DB_TOKEN ?? '",
  'password === "',
  "password (a): ",
  "the password `",
  "password → ",
  "contraseña es ",
  "&quot;password&quot;:&quot;",
  "http -a me:",
  "zip -P ",
  "password: >-\n  ",
  '"password", "value": "',
  '<entry key="password">',
  "\n12 | ",
  "```yaml\n",
  "user: anna\n",
  "Login: reporting\n",
  "[REDACTED:token]",
  "[REDACTED:url_password] ",
  "Xk9!pQz7Rt2bW",
  "[REDACTED:github_token]",
  "[REDACTED",
];
const pasted = [...secretSamples("development", "3").map(({ text }) => text), ...cleanSamples("development")];

const body = fc
  .array(fc.constantFrom(..."abcdefABCDEFGHxyz0123456789+/=_-"), { minLength: 1, maxLength: 90 })
  .map((characters) => characters.join(""));
const slice = fc
  .tuple(fc.constantFrom(...pasted), fc.nat(200), fc.nat(200))
  .map(([text, from, length]) => text.slice(from, from + length));
const nearlySecret = fc
  .array(
    fc.oneof(
      fc.constantFrom(...beginnings),
      fc.constantFrom(...glue),
      fc.constantFrom(...contexts),
      body,
      slice,
      fc.constantFrom(...pasted),
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(""));
const anyText = fc.oneof({ arbitrary: anyUtf16, weight: 1 }, { arbitrary: nearlySecret, weight: 6 });

const runs = { numRuns: volume(1_500, 40_000) };

describe("on any text", { timeout: timeoutMs }, () => {
  it("redaction ends, even if a context has no value", () => {
    for (const text of [
      "```yaml\nuser: anna\nhost: db\n```",
      "```diff\n+Login: reporting\n+Name: Anna\n```",
      "```text\nlogin: anna\n",
    ])
      expect(redact(text).text).toBe(text);
  });

  it("redacting twice gives the same result as redacting once", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redact(text).text;
        expect(redact(once)).toEqual({ text: once, kinds: [] });
      }),
      runs,
    );
  });

  it("redacting twice is redacting once, for every hostile shape of any length", () => {
    for (const { shape, ofLength } of shapes)
      for (const length of [100, 1_000, 10_000, 17_000]) {
        const once = redact(ofLength(length)).text;
        expect(redact(once), `${shape}, ${length} characters`).toEqual({ text: once, kinds: [] });
      }
  });

  it("redacting twice is redacting once, for a text with two hostile shapes", () => {
    const part = fc
      .tuple(fc.constantFrom(...shapes), fc.integer({ min: 20, max: 400 }))
      .map(([{ ofLength }, length]) => ofLength(length));
    fc.assert(
      fc.property(part, anyText, part, (first, between, second) => {
        const once = redact(first + between + second).text;
        expect(redact(once)).toEqual({ text: once, kinds: [] });
      }),
      runs,
    );
  });

  it("redacting twice is redacting once, for a text over 16 KB that gets shorter", () => {
    for (const token of ["ghp_aB3dE6gH9kLm2NpQ5rS8tUv1WxY4zaB3dE6 ", "password=Kq7vTz92xLm4aB3dE6gH9k "])
      for (const line of ["sudo wants Kq7!vTz92, then p8TDlmnKsbNCIM\n", "no credential is here\n"]) {
        const once = redact(token.repeat(420) + line.repeat(40)).text;
        expect(redact(once)).toEqual({ text: once, kinds: [] });
      }
  });

  it("the same text gives the same answer, whatever was redacted before it", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, other) => {
        const first = redact(text);
        redact(other);
        expect(redact(text)).toEqual(first);
      }),
      { numRuns: 500 },
    );
  });

  it("the rest of the text stays, character for character and in its order", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let from = 0;
        for (const kept of redact(text).text.split(/\[REDACTED:[a-z0-9_]+\]/)) {
          const at = text.indexOf(kept, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + kept.length;
        }
      }),
      runs,
    );
  });
});
