import { hasBothCases, hasDigit, isHex, looksVeryRandom } from "./appearance.ts";
import { decodeStart, holdsCredential, isPublicDer } from "./decoded.ts";
import { looksChosen } from "./features.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/** Finds values that look random and have no rule of their own. */
const wordEnd = /[\s"'<>`\uE000-\uE003]/;
/** For each ASCII code: 1 if the character ends a word. */
const endsWord = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(wordEnd.test(String.fromCharCode(code))),
);
const isWordEnd = (code: number) =>
  code < 128 ? endsWord[code] === 1 : wordEnd.test(String.fromCharCode(code));
/**
 * A run never includes `-----`: if it redacted the BEGIN line of a certificate, the text after that line would
 * count as a secret.
 */
const runPattern = /[\w+/]+(?:-{1,4}[\w+/]+)*={0,2}/g;
const runLengthMin = 32;
/** A URL-safe value may begin or end with a dash. */
const isLoneDash = (text: string, at: number) =>
  text.charAt(at) === "-" && text.charAt(at - 1) !== "-" && text.charAt(at + 1) !== "-";

/** Identifiers have capitals and digits too, but separators divide them into shorter parts. */
const densePartMin = 12;
const isDensePart = (part: string) =>
  part.length >= densePartMin && hasBothCases(part) && hasDigit(part) && !isHex(part);

/** Most ids in URLs are public. Tokens in URLs have their own rules. */
/** A host without a scheme is an address too: `figma.example/file/…`. */
const isAddress = (word: string) =>
  /^[~.]?\/(?:[a-z][\w.-]*\/){2}|^(?:[a-z\d-]+\.)+[a-z]{2,8}\//.test(word) ||
  word.includes("://") ||
  word.includes("arn:") ||
  word.includes(";base64,");

/** Digests, publishable keys, and the first bytes of files, certificates and public keys in base64. */
const publicStart = pattern(
  "",
  String.raw`^(?:\+?sha\d+[-/]|nonce-|prj_|dpl_|pk_|pk\.|pub|sb_publishable_|phc_|6L[\w-]{38}$|RW[\w+/]{54}$|age1`,
  String.raw`|iVBORw0KGgo|R0lGOD|\/9j\/|UklGR`,
  "|PHN2Zy|PD94bWwg|d09GM|JVBERi|UEsDB|H4sI|AGFzbQ|AAAA[A-Z]3NzaC|AAAAE2VjZHNh|LS0tLS1CRUdJTi",
  String.raw`|AQ[EI]CA[GH]|wcFMA|Ag[\w+/]{120})`,
);
/** Content ids (`Qm…`) and coin addresses (`1…`, `3…`). */
const isPublicId = (run: string) =>
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}(?:\/|$)|(?!SK)[A-Z]{2}[\da-f]{32}$|[13][1-9A-HJ-NP-Za-km-z]{0,33}$)/.test(
    run,
  );

/** The text before a public value on its line: `sha512-`, `etag: "`, `public key`, `TXT "`. */
export const publicLabel = pattern(
  "i",
  "integrity|digest|checksum|hash|etag|if-(?:none-)?match|golden|fixture|fingerprint|thumbprint|x5t",
  String.raw`|signatur|\bpath\b|\bcid\b|nonce|boundary|cursor`,
  "|next_?(?:page_?)?token|page_?token|continuation|cipher_?text|encrypted|public(?! (?:const|static|final|readonly" +
    "|string|let|var|val|override))|publishable",
  String.raw`|pub[_-]?key|sha-?\d|h1:|site-?key|captcha|verif|challenge|signature|signed|\bsig\b|certificate|\bcert`,
  String.raw`|\bTXT\b|dkim|vapid`,
  String.raw`|applicationServerKey|known_hosts|ssh-|minisign|cosign|\banon\b|commit|\bblob\b|revision|version `,
  String.raw`|asset|chunk|bundle|build|\w[-_ ]id\b`,
  String.raw`|traceparent|(?:sheet|folder|doc(?:ument)?|video|channel|recording|file)\s+$|\bid(?:-2)?["'\s:=-]*$`,
  String.raw`|Id["'\s:=(]*$|_id["'\s:=]*$|[?&]v=$`,
);
/**
 * The text before a public value in a JSON web key, in a list of peers or records, or in a value that SOPS, Jasypt
 * or Travis encrypted.
 */
const publicMember = pattern(
  "",
  String.raw`["'\uE000-\uE003](?:n|x|y|e|kid|x5t|x5c|x5t#S256)["'\uE000-\uE003]\s*:\s*["'\uE000-\uE003]$|\b(?:peer`,
  "|DNSKEY|SSHFP|TLSA",
  String.raw`|pin-sha256)\b[^\n]*$|ENC(?:\[(?:AES256_GCM,data:|PKCS7,)|\()$|\bv1:[\w+/]{16}:$|\bencrypted:$`,
  String.raw`|;\s*bh?=$|(?:\$(?:2[abxy]|argon2\w*|scrypt|[156y])`,
  String.raw`|\bpbkdf2[\w-]*)\$\S*$|SCRAM-SHA-\d+\$\S*$|vault:v\d+:$|,(?:iv|tag):$|\bsecure:\s*["']?$`,
);
/** `x: '…', kty: 'EC'`: a member of a JSON web key in code. */
const isOfPublicKey = (line: string, text: string, start: number) =>
  /(?:^|[{,\s])[nxye]: ?["']$/.test(line) &&
  /\bkty\b/.test(text.slice(Math.max(0, start - 500), start + 800));
const labelLengthMax = 120;
const secretLabel = /secret|private|passw|\btoken\b/i;
/** Ignores a label before another secret: it is that secret's. */
export function isLabelledPublic(text: string, start: number, from = 0): boolean {
  const before = text.slice(Math.max(from, start - labelLengthMax), start);
  const label = before.slice(before.lastIndexOf(marker) + 1);
  const own = label.slice(label.lastIndexOf("\n") + 1);
  // A value alone on its line, or in its own element, has its label on the line before.
  const isAlone = /^\s*(?:<[\w:.-]+>)?["']?$/.test(own);
  const line = isAlone ? label.slice(label.lastIndexOf("\n", label.lastIndexOf("\n") - 1) + 1) : own;
  if (/pk\.$/.test(line) || publicMember.test(line) || isOfPublicKey(line, text, start)) return true;
  return publicLabel.test(line) && !secretLabel.test(line);
}

/** `CgdrdWJlcm5ldBIF…`: base64 of readable text, such as a message of a test. */
function isReadable(run: string): boolean {
  if (!/^[A-Za-z0-9+/]{24,}={0,2}$/.test(run)) return false;
  const bytes = decodeStart(run);
  // `id:key` is a pair, not a message.
  return /[^\w:+/=.-]/.test(bytes) && bytes.replace(/[^\w .,:;/=@"{}-]/g, "").length >= 0.7 * bytes.length;
}

/** A line of a certificate, whole or shortened. */
export function isInPublicBlock(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 4_000), start);
  const begin = before.lastIndexOf("-----BEGIN ");
  if (begin <= before.lastIndexOf("-----END ")) return false;
  if (/^.{11}(?:AGE ENCRYPTED|PGP (?:MESSAGE|SIGNATURE))/.test(before.slice(begin, begin + 32))) return true;
  return /^.{11}(?:CERTIFICATE|PUBLIC KEY)-----\s{1,40}MI[\w+/]{30}/.test(before.slice(begin, begin + 180));
}

/** Base64 of a document with a password, or of `user:password`. */
const isEncoded = (run: string) =>
  /^[A-Za-z0-9+/]{32,}={0,2}$/.test(run) &&
  (holdsCredential(run) ||
    looksChosen(/^[A-Za-z][\w.@+-]{1,40}:([!-~]{8,40})$/.exec(decodeStart(run))?.[1] ?? ""));

const isSecretRun = (run: string, text: string, start: number, from: number) =>
  isEncoded(run) || isRandomRun(run, text, start, from);

const isRandomRun = (run: string, text: string, start: number, from: number) =>
  run.length >= runLengthMin &&
  looksVeryRandom(run) &&
  run.split(/[^A-Za-z0-9]/).some(isDensePart) &&
  !publicStart.test(run) &&
  !isPublicDer(run) &&
  !isReadable(run) &&
  !isPublicId(run) &&
  // `<…@mail.example.com>`: the id of a message.
  !/^@(?:[\w-]+\.)+[a-z]/.test(text.slice(start + run.length, start + run.length + 80)) &&
  !isInPublicBlock(text, start) &&
  !isLabelledPublic(text, start, from);

const highEntropyValue = kindNamed("High-entropy value");
const { kind } = highEntropyValue;

export const highEntropy: Finder = {
  kinds: [highEntropyValue],
  keywords: [],
  find(text) {
    const spans: Span[] = [];
    let wordStart = 0;
    for (let at = 0; at <= text.length; at++) {
      if (at < text.length && !isWordEnd(text.charCodeAt(at))) continue;
      if (at - wordStart >= runLengthMin) addSecretRuns(spans, text, wordStart, text.slice(wordStart, at));
      wordStart = at + 1;
    }
    return spans;
  },
};

function addSecretRuns(spans: Span[], text: string, wordStart: number, word: string): void {
  if (isAddress(word)) return;
  for (const run of word.matchAll(runPattern)) {
    const at = wordStart + run.index;
    const start = isLoneDash(text, at - 1) ? at - 1 : at;
    if (!isSecretRun(run[0], text, start, spans.at(-1)?.end ?? 0)) continue;
    const end = at + run[0].length;
    spans.push({ start, end: isLoneDash(text, end) ? end + 1 : end, kind });
  }
}
