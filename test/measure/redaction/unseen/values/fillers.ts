import { makeFromPattern } from "../grammar/pattern.ts";
import * as publicValues from "./public-values.ts";
import type { Random } from "./random.ts";
import {
  accounts,
  directories,
  environments,
  extensions,
  people,
  seedWords,
  services,
  topDomains,
} from "./words.ts";

/** The parts of a text that are no secret: what a carrier names between ⟨ and ⟩. */

const from = (pattern: string) => (random: Random) => makeFromPattern(pattern, random);
const oneOf = (list: readonly string[]) => (random: Random) => random.pick(list);
const host = (random: Random) =>
  `${random.pick(services)}-${random.pick(environments)}.${random.pick(topDomains)}`;

const kinds: Readonly<Record<string, (random: Random) => string>> = {
  user: oneOf(accounts),
  person: oneOf(people),
  service: oneOf(services),
  env: oneOf(environments),
  host,
  email: (random) => `${random.pick(accounts)}@${random.pick(["example.com", "acme.io", "example.org"])}`,
  url: (random) => `https://${host(random)}/${random.pick(services)}`,
  ip: from("10\\.\\d{1,2}\\.1\\d{2}\\.[1-9]\\d"),
  port: from("([1-5]\\d{3}|80[0-9]{2})"),
  path: (random) => `${random.pick(directories)}/${random.pick(services)}.${random.pick(extensions)}`,
  word: oneOf(seedWords),
  n: from("[1-9]\\d{0,2}"),
  big: from("[1-9]\\d{8,11}"),
  date: from("202[3-6]-(0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])"),
  time: from("(0\\d|1\\d|2[0-3]):[0-5]\\d:[0-5]\\d"),
  version: from("\\d\\.\\d{1,2}\\.\\d{1,2}"),
  short: from("[a-f0-9]{7,8}"),
  sha1: from("[a-f0-9]{40}"),
  md5: from("[a-f0-9]{32}"),
  sha256: from("[a-f0-9]{64}"),
  sha512: from("[a-f0-9]{128}"),
  sri256: (random) => `sha256-${random.bytes(32).toString("base64")}`,
  sri384: (random) => `sha384-${random.bytes(48).toString("base64")}`,
  sri512: (random) => `sha512-${random.bytes(64).toString("base64")}`,
  b64sha256: (random) => random.bytes(32).toString("base64"),
  uuid: from("[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}"),
  UUID: from("[A-F0-9]{8}-[A-F0-9]{4}-4[A-F0-9]{3}-[89AB][A-F0-9]{3}-[A-F0-9]{12}"),
  ulid: from("01[A-HJKMNP-TV-Z0-9]{24}"),
  objectid: from("6[a-f0-9]{23}"),
  account: from("[1-9]\\d{11}"),
  fingerprint: from("[A-F0-9]{2}(:[A-F0-9][A-F0-9]){19}"),
  base64image: (random) =>
    Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      random.bytes(random.between(90, 420)),
    ]).toString("base64"),
  base64font: (random) =>
    Buffer.concat([Buffer.from("wOF2"), random.bytes(random.between(120, 400))]).toString("base64"),
  mappings: from("[A-Z]{4}(;[A-Z]{4}[A-Za-z,]{9}[CGIKMO]){14}"),
  cert: publicValues.certificate,
  csr: publicValues.certificateRequest,
  publickey: publicValues.publicKey,
  rsapublickey: publicValues.rsaPublicKey,
  sshpublickey: publicValues.sshPublicKey,
  sshfingerprint: publicValues.sshFingerprint,
  pgppublickey: publicValues.pgpPublicKey,
  spki: publicValues.spkiBase64,
  vapid: publicValues.vapidPublicKey,
  open: () => "«",
  tab: () => "\t",
  nbsp: () => "\u00a0",
  thin: () => "\u2009",
  ideographic: () => "\u3000",
  zerowidth: oneOf(["\u200b", "\u200c", "\u2060", "\ufeff"]),
  blank: oneOf([" ", "  ", "\t", "\u00a0", "\u2009", "\u3000", "    ", "\u2003", "\u202f", " \t "]),
  equals: oneOf(["=", "＝", "﹦", " ＝ "]),
  colon: oneOf([":", "：", "﹕", " ： "]),
  backtick: () => "`",
  cr: () => "\r",
};

const lookAlike: Readonly<Record<string, string>> = {
  a: "а",
  e: "е",
  o: "о",
  p: "р",
  c: "с",
  i: "і",
  s: "ѕ",
  y: "у",
  x: "х",
  A: "А",
  E: "Е",
  O: "О",
  P: "Р",
  C: "С",
  S: "Ѕ",
  T: "Т",
  K: "К",
};

const functions: Readonly<Record<string, (text: string, random: Random) => string>> = {
  /** Some letters of the name come from another script and look the same. */
  look: (text, random) => {
    const swappable = [...text].flatMap((letter, at) => (lookAlike[letter] ? [at] : []));
    const chosen = new Set(random.shuffle(swappable).slice(0, random.between(1, 3)));
    return [...text].map((letter, at) => (chosen.has(at) ? (lookAlike[letter] ?? letter) : letter)).join("");
  },
  /** Full-width letters, as an input method writes them. */
  wide: (text) =>
    [...text]
      .map((letter) => (/[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter))
      .join(""),
  /** An invisible sign inside the name. */
  split: (text, random) => {
    const at = random.between(1, text.length - 1);
    return text.slice(0, at) + random.pick(["\u200b", "\u00ad", "\u2060", "\u200d"]) + text.slice(at);
  },
  /** The case of the name changes. */
  case: (text, random) =>
    random.pick([text.toUpperCase(), text.toLowerCase(), text.charAt(0).toUpperCase() + text.slice(1)]),
};

/** `kind`, `a|b|c`, `/pattern/` or `function(text)` */
export function makeFiller(description: string, random: Random): string {
  if (description.startsWith("/")) return makeFromPattern(description.slice(1, -1), random);
  const call = /^(look|wide|split|case)\((.*)\)$/u.exec(description);
  const [, name = "", argument = ""] = call ?? [];
  const make = functions[name];
  if (make) return make(random.pick(argument.split("|")), random);
  if (description.includes("|")) return random.pick(description.split("|"));
  const kind = kinds[description];
  if (!kind) throw new Error(`No kind of filler is called ${description}.`);
  return kind(random);
}
