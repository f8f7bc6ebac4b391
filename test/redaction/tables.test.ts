import { describe, expect, it, vi } from "vitest";
import { evidence } from "../../lib/redaction/evidence.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { sayings } from "../../lib/redaction/sentences.ts";
import { expand } from "./samples/template.ts";

/** Without the last search, which needs no name right before the value: see mentions.test.ts. */
vi.mock("../../lib/redaction/mentions.ts", () => ({
  mentions: { kinds: [], keywords: [], find: () => [] },
}));

/** One text for each row. Only this row finds the credential in it. */
const sayingExamples: Readonly<Record<string, string>> = {
  "a verb": "The password of the shared mailbox is bluebird.",
  quotes: "storePassword 'bluebird'",
  "a colon in a sentence": "The kiosk (password: bluebird) is back.",
  "right behind the name": "They all log in with the password bluebird.",
  "changed to": "I changed the admin password to bluebird, tell the others.",
  "an answer": "anna: what's the password for the NAS?\nben: bluebird",
};

const evidenceExamples: Readonly<Record<string, string>> = {
  "letters and digits": "secret={alnum:14}",
  number: "password = 316994495",
  passphrase: 'password = "football princess 3914"',
  "words in quotes": '{"secret":"walnut cinder velvet zephyr"}',
  "words with joints": "{secret:unicorn-carbon-barrel}",
  "words run together": '{"secret":"duneMirror"}',
  "word with a sign": '{"secret":"bluebird!"}',
  "small letters": '{"password":"bluebird"}',
  "password in a sentence": "密码是Kq7vTz92",
  token: "token={uuid}",
  "password of a credential": 'haslo_db = "silver8043"',
  "random token": 'kek: "{base64:43}="',
  "random signs": "define('NONCE_KEY', '|nW7fp%J4D 1B0Ll$6e+flH,3PjV+LX!Tl9');",
  "long hex": "ticket_salt: '{hex:32}'",
};

const rows = [
  ...sayings.map((row) => ({
    name: row.saying,
    examples: sayingExamples,
    off: () => vi.spyOn(row.behind, "test"),
  })),
  ...[...new Set(Object.values(evidence).flat())].map((row) => ({
    name: row.evidence,
    examples: evidenceExamples,
    off: () => vi.spyOn(row, "holds"),
  })),
];

describe("the tables of evidence", () => {
  it("every row has an example, and every example a row", () => {
    const named = (examples: Readonly<Record<string, string>>) =>
      rows.filter((row) => row.examples === examples).map(({ name }) => name);
    for (const examples of [sayingExamples, evidenceExamples])
      expect(named(examples).toSorted()).toEqual(Object.keys(examples).toSorted());
  });

  it.each(rows.map((row) => [row.name, row] as const))(
    "the row `%s` alone finds its example",
    (name, row) => {
      const text = expand(row.examples[name] ?? "", name);
      const found = redact(text).text;
      expect(found).toContain("[REDACTED:");
      const without = row.off().mockReturnValue(false);
      expect(redact(text).text).not.toBe(found);
      without.mockRestore();
    },
  );
});
