import { describe, expect, it, vi } from "vitest";
import { places } from "../../lib/redaction/places.ts";
import { redact } from "../../lib/redaction/redact.ts";

/** Without the last search, which needs no name right before the value: see mentions.test.ts. */
vi.mock("../../lib/redaction/mentions.ts", () => ({
  mentions: { kinds: [], keywords: [], find: () => [] },
}));

/** One text for each place. Only this place finds the password `bluebird`. */
const placeExamples: Readonly<Record<string, string>> = {
  "option of a command, with an equals sign": "mysql --password=bluebird shop",
  "option of a command, with a space": "svn co --username anna --password bluebird https://svn.example.com",
  "assignment in the argument of a command": "terraform apply -var 'password=bluebird'",
  "field of a form or a URL": "password=bluebird&username=anna",
  "field of a connection string": "Server=db;Database=shop;Password=bluebird;Encrypt=true",
  "one of several fields": "host=db user=app password=bluebird dbname=shop",
  "end of a line of words": "vault kv put team/db password=bluebird",
  "variable of a build file": "ENV ADMIN_PASSWORD bluebird",
  "string that code compares or falls back to": 'if (password == "bluebird") open();',
  "second argument of a call": "define('DB_PASSWORD', 'bluebird');",
  "string that code assigns": 'String password = "Bluebird";',
  "attribute of XML": '<add key="SmtpPassword" value="Bluebird" />',
  "element of XML": "<password>Bluebird</password>",
};

describe("places that hold only a password", () => {
  it("every place has an example, and every example a place", () => {
    expect(places.map(({ place }) => place).toSorted()).toEqual(Object.keys(placeExamples).toSorted());
  });

  it.each(places.map((row) => [row.place, row] as const))(
    "the place `%s` alone finds its example",
    (name, row) => {
      const text = placeExamples[name] ?? "";
      expect(redact(text).text).toBe(text.replace(/bluebird/i, "[REDACTED:password]"));
      const without = vi.spyOn(row, "holds").mockReturnValue(false);
      expect(redact(text).text).toBe(text);
      without.mockRestore();
    },
  );
});
