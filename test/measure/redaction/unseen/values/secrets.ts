import { makeFromPattern } from "../grammar/pattern.ts";
import { cutPem, ecPem, opensshKey, pem, pgpKey, puttyKey, rsaPem, ssh2Key } from "./private-keys.ts";
import type { Random } from "./random.ts";
import { type Segment, secret } from "./segments.ts";
import { anyVendorToken } from "./vendors.ts";
import { accounts, seedWords } from "./words.ts";

/** The kinds of secrets that a carrier can name between ⟪ and ⟫. */

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const from = (pattern: string) => (random: Random) => makeFromPattern(pattern, random);
const words = (random: Random, count: number): string[] =>
  Array.from({ length: count }, () => random.pick(seedWords));
const longWord = (random: Random): string => random.pick(seedWords.filter((word) => word.length >= 6));
const leet = (word: string): string =>
  word.replace(/[aeio]/g, (letter) => ({ a: "4", e: "3", i: "1", o: "0" })[letter] ?? letter);

/** Passwords that need no quoting in a shell, a URL or a table. */
const simplePassword = (random: Random): string =>
  random.pick([
    from("[a-zA-Z0-9]{10,20}"),
    from("[a-z0-9]{9,14}"),
    (own: Random) => `${capital(longWord(own))}${own.between(1960, 2029)}`,
    (own: Random) => `${leet(longWord(own))}${own.between(10, 999)}`,
    (own: Random) => words(own, 3).join("-"),
    (own: Random) => words(own, 2).map(capital).join("") + own.between(10, 99),
    (own: Random) => `${words(own, 2).join("_")}_${own.between(100, 9999)}`,
  ])(random);

/** Passwords with signs that people and generators use, without quotes, blanks and backslashes. */
const password = (random: Random): string =>
  random.pick([
    simplePassword,
    from("[a-zA-Z0-9!#%+_.@~^*-]{11,22}"),
    from("[A-Z][a-z]{4,7}[!#@%]\\d{2,4}"),
    (own: Random) =>
      `${capital(longWord(own))}${own.pick(["!", "#", "@", "?", "+", "!!"])}${own.between(1, 2029)}`,
    from("[a-zA-Z0-9]{6}[-][a-zA-Z0-9]{6}[-][a-zA-Z0-9]{6}"),
    (own: Random) => `${leet(longWord(own))}${own.pick(["!", "%", "&"])}${longWord(own)}`,
  ])(random);

/** Passwords that rules like to mistake for references, ends of values or placeholders. They stand in quotes. */
const oddPassword = (random: Random): string =>
  random.pick([
    from("[$%!@{#&*][a-zA-Z0-9]{8,14}"),
    from("[a-zA-Z0-9]{4,6}[,;][a-zA-Z0-9]{4,6}[,;)][a-zA-Z0-9]{2,5}"),
    from("[a-zA-Z0-9]{3,5}[(\\[{<][a-zA-Z0-9]{3,6}[)\\]}>][a-zA-Z0-9]{2,5}"),
    (own: Random) =>
      `${own.pick(["the", "here", "example", "your", "test", "my"])}${capital(longWord(own))}${own.between(10, 999)}`,
    (own: Random) =>
      `${capital(longWord(own))}${own.pick(["Here", "Example", "TheBest", "Test"])}${own.between(1, 99)}!`,
    from("[a-zA-Z]{4,6}\\$[a-zA-Z]{3,5}[0-9]{2,4}"),
    from("[a-zA-Z0-9]{4,7}[=:][a-zA-Z0-9]{4,7}[=]{0,1}[a-zA-Z0-9]{3}"),
    from("[<][a-zA-Z0-9]{5,8}[|/][a-zA-Z0-9]{4,7}[>][0-9]{2}"),
  ])(random);

const secretKinds: Readonly<Record<string, (random: Random) => string>> = {
  simple: simplePassword,
  pw: password,
  odd: oddPassword,
  quoted: (random) => (random.chance(0.4) ? oddPassword(random) : password(random)),
  word: (random) =>
    random.pick([longWord(random), capital(longWord(random)), `${longWord(random)}${random.int(100)}`]),
  spaced: (random) => words(random, 4).join(" "),
  token: from(
    "([a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64}|[A-Za-z0-9]{24}|[A-Za-z0-9]{32}|[A-Za-z0-9]{40}|[A-Za-z0-9_-]{43})",
  ),
  hex32: from("[a-f0-9]{32}"),
  hex40: from("[a-f0-9]{40}"),
  hex64: from("[a-f0-9]{64}"),
  hex128: from("[a-f0-9]{128}"),
  alnum20: from("[A-Za-z0-9]{20}"),
  alnum32: from("[A-Za-z0-9]{32}"),
  alnum40: from("[A-Za-z0-9]{40}"),
  b64: (random) => random.bytes(random.pick([24, 32, 33, 48])).toString("base64"),
  b64key: (random) => random.bytes(32).toString("base64"),
  b64long: (random) => random.bytes(64).toString("base64"),
  b64url: (random) => random.bytes(random.pick([32, 36, 48])).toString("base64url"),
  uuid: from("[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}"),
  pin: from("[1-9]\\d{5}"),
  digits: from("[1-9]\\d{7,11}"),
  totp: from("([A-Z2-7]{16}|[A-Z2-7]{32}|[A-Z2-7]{26})"),
  totpgroups: from("[A-Z2-7]{4}( [A-Z2-7]{4}){3}"),
  phrase12: (random) => words(random, 12).join(" "),
  phrase24: (random) => words(random, 24).join(" "),
  recovery: from(
    "([a-f0-9]{5}-[a-f0-9]{5}|[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}|\\d{4} \\d{4}|[A-Z0-9]{8,10})",
  ),
  recovery5: from("[a-f0-9]{5}-[a-f0-9]{5}"),
  recovery8: from("\\d{4} \\d{4}"),
  recoverykey: from("[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}"),
  bitlocker: from("\\d{6}-\\d{6}-\\d{6}-\\d{6}-\\d{6}-\\d{6}-\\d{6}-\\d{6}"),
  license: from(
    "([A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}|[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4})",
  ),
  apppassword: from("[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4}"),
  appleapp: from("[a-z]{4}-[a-z]{4}-[a-z]{4}-[a-z]{4}"),
  wordpressapp: from(
    "[A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4}",
  ),
  ethkey: from("0x[a-f0-9]{64}"),
  wif: from("[5KL][1-9A-HJ-NP-Za-km-z]{50}"),
  xprv: from("xprv9[1-9A-HJ-NP-Za-km-z]{106}"),
  solana: from("[1-9A-HJ-NP-Za-km-z]{88}"),
  jwt: (random) => {
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
    const head = part({ alg: random.pick(["HS256", "RS256", "ES256"]), typ: "JWT" });
    const claims = part({
      sub: String(random.between(1000, 999_999)),
      role: random.pick(accounts),
      iat: 1_700_000_000 + random.int(9e7),
    });
    return `${head}.${claims}.${random.bytes(random.pick([32, 64])).toString("base64url")}`;
  },
  basic: (random) => Buffer.from(`${random.pick(accounts)}:${password(random)}`).toString("base64"),
  b64pw: (random) => Buffer.from(from("[a-zA-Z0-9!#%+_.-]{14,24}")(random)).toString("base64"),
  awssecret: from("[A-Za-z0-9/+]{40}"),
  awsid: from("A(KI|SI)A[A-Z2-7]{16}"),
  azurekey: (random) => random.bytes(64).toString("base64"),
  vendor: anyVendorToken,
};

const multiLine: Readonly<Record<string, (random: Random) => Segment[]>> = {
  pem,
  rsapem: rsaPem,
  ecpem: ecPem,
  cutpem: cutPem,
  pgpkey: pgpKey,
  puttykey: puttyKey,
  ssh2key: ssh2Key,
  opensshkey: opensshKey,
};

/** `kind`, `kind|kind` or `/pattern/` */
export function makeSecret(description: string, random: Random): Segment[] {
  if (description.startsWith("/")) return [secret(makeFromPattern(description.slice(1, -1), random))];
  const kind = random.pick(description.split("|"));
  const many = multiLine[kind];
  if (many) return many(random);
  const one = secretKinds[kind];
  if (!one) throw new Error(`No kind of secret is called ${kind}.`);
  return [secret(one(random))];
}
