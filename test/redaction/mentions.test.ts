import { describe, expect, it, vi } from "vitest";
import { mentionRows } from "../../lib/redaction/mentions.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { exactSample } from "./samples/template.ts";

/** One text for each row. Only this row finds the credential in it. */
const examples: Readonly<Record<string, string>> = {
  "right behind a name": "my $password «password|copper-lantern-violin»",
  "a sign behind a sentence with a name": "rotate the staging token!, as in: «token|{hex:32}»",
  "hexadecimal behind the name of a key": "The API key that we use («token|{hex:40}») is in git.",
  "behind a name in its sentence": "our password policy made anna choose «password|Walrus_2114» again",
  "before a name in its sentence":
    "Somebody pasted «password|Walrus_2114» here, which opens with our password",
  "behind a word about access": "When Jenkins prompts you, enter anna followed by «password|Anchor_6334».",
  "alone below a line that speaks of it": "who has root?\n- «password|p8TDlmnKsbNCIM»",
};
/** One value for each look that only a credential has. */
const looks = [
  "Kq7!vTz92",
  "p8TDlmnKsbNCIM",
  "dUavLsrsWoHiqi",
  "Walrus1993",
  "walrus_amber_2114",
  "w4lrus!amber",
  "3oea5ee9dyl",
  "Juve1897!!",
];
/** What stays beside a word for a credential. */
const others = [
  "the token of request 5f4dcc3b5aa765d61d8327deb882cf99 failed",
  "The master key leaked in 3aafe546c61b87dda3f41c770214da3f3db70690.",
  "The checksum of the API key file is 3aafe546c61b87dda3f41c770214da3f3db70690 now.",
  "curl -H 'Idempotency-Key: 0b9e7f64-3c1d-4f5e-9a8b-7c6d5e4f3a2b'",
  "kubectl create secret generic db --from-file=key.json",
  "const secretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-a1B2c3'",
  "We authenticate with Keycloak24 and Firefox128.",
  "password: {{dbPassword2}}",
  'password_hash: "aB3dE6gH9kLm2NpQ"',
  "the key is `created_at#id`, and requestCounter++ counts tokens",
  "export function keyOf(event: APIGatewayProxyEvent): string",
];

describe("a value that words around it give away", () => {
  it("every row has an example, and every example a row", () => {
    expect(mentionRows.map(({ mention }) => mention).toSorted()).toEqual(Object.keys(examples).toSorted());
  });

  it.each(mentionRows.map((row) => [row.mention, row] as const))(
    "the row `%s` alone finds its example",
    (name, row) => {
      const { text, expected } = exactSample(examples[name] ?? "");
      expect(redact(text).text).toBe(expected);
      const without = vi.spyOn(row, "holds").mockReturnValue(false);
      expect(redact(text).text).toBe(text);
      without.mockRestore();
    },
  );

  it.each(looks)("%s goes in a sentence about access", (value) => {
    expect(redact(`sudo on the runner wants ${value}`).text).toBe(
      "sudo on the runner wants [REDACTED:password]",
    );
  });

  it.each(others)("%s stays", (text) => {
    expect(redact(text).text).toBe(text);
  });
});
