import { describe, expect, it } from "vitest";
import { redact } from "../../lib/redaction/redact.ts";
import { exactSample } from "./samples/template.ts";

/** The classes that a closed set showed, by name. Each example stayed, or changed, before its class was a mechanism. */
const classes: Readonly<Record<string, readonly string[]>> = {
  "a whole hash of a password goes": [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a hash
    "deploy:«password_hash|$6${alnum:16}${alnum:86}»:19743:0:99999:7:::",
    "ops:«password_hash|{SHA}{alnum:27}=»",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a hash
    '"passwordHash":"«password_hash|pbkdf2_sha256$720000${alnum:22}${alnum:43}=»"',
    "users=admin:«password_hash|$$2y$$05$${alnum:53}»",
    "bcrypt hashes start with $2b$12$ and the salt",
  ],
  "two words that run together go where no code is": [
    '{"password":"«password|duneMirror»"}',
    "https://ci.example.com/job/build?token=«url_token|HarborOctopus»&cause=push",
    "const jwtSecret = process.env.JWT_SECRET || '«secret|Dragonquartz!»';",
    '{"password":"Required!"}',
    "const form = { password: userInput, token: nextToken };",
  ],
  "words with a joint and two digits are a password, names are not": [
    "* seller – `seller@example.com` / `«password|velvet_indigo49»`",
    "password: table_name12(x)",
  ],
  "a PIN or a code of digits goes behind its name": [
    "pin for the HSM partition is «pin|65762054», do not lock it",
    "Die PIN der Karte lautet «pin|5728».",
    '{"pin":"«pin|570925»"}',
    "pkcs11-tool --login --pin «pin|115949» -O",
    "GPIO pin 18 is the reset line, pin 1.2.3 of the image, PIN: 1234",
    "exit code 137, error code: 40012345, zip code 90210",
  ],
  "rows of a dump go by the names of its columns": [
    "COPY public.integrations (id, name, client_secret) FROM stdin;\n1\tgithub\t«secret|{hex:40}»\n\\.",
  ],
  "a constructor in a trace is a call": [
    "#0 /var/www/db.php(7): mysqli->__construct('db.example.com', 'anna', '«password|Oliv3lantern7»', 'shop')",
    "#0 /var/www/a.php(7): Foo->__construct('abc', 12, Array)",
  ],
  "a speaker may be bold, quoted, or have letters beyond ASCII": [
    "> **Lena**: what was the pw for the admin again?\n> **Tomás**: «password|plasma_shadow_shadow»\n> **Lena**: thx",
  ],
  "a name of another language may have a verb that no list has": [
    "הסיסמה היא «password|Onion2022!»",
    "Slaptažodis: «password|Stone+hammer90»",
  ],
  "a paragraph or a heading can announce pairs": [
    "- staging: `anna` / `«password|squid-blossom-lemon»`\nThese are the test logins.",
    "passwords:\n  ops: «password|WXvWz67sV!wW9X69l»\nother: Yk8nR3qqMx6b",
  ],
  "a word of another language that describes a password stays": [
    "Lorsque le mot de passe est erroné, renvoyez le même message.",
    "Hasło jest nieprawidłowe.",
    "Het wachtwoord is onjuist.",
  ],
  "an encrypted value of dotenvx stays": [
    'DATABASE_PASSWORD="encrypted:BTGjGtC+TiUeWI0o+6uF2G3Bi1KY3PIOujVmX+zP9irjE01g22RLBDjeic9nOJQ3iy7nF//sTsgjVDAjkHM"',
  ],
};

describe("the classes of a closed set", () => {
  it.each(Object.entries(classes))("%s", (_, examples) => {
    for (const example of examples) {
      const { text, expected } = exactSample(example);
      expect(redact(text).text, example).toBe(expected);
    }
  });
});
