import { hasBothCases, hasDigit, isHex, looksVeryRandom } from "./appearance.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";

/** The last search: what looks random and no other rule has a name for. */
const wordPattern = /[^\s"'<>`]+/g;
/** Never over `-----`: a run that took the BEGIN of a certificate with it would make a secret of what follows. */
const runPattern = /[\w+/]+(?:-{1,4}[\w+/]+)*={0,2}/g;
const runLengthMin = 32;
/** The first or last character of a URL-safe value may be one. */
const isLoneDash = (text: string, at: number) =>
  text.charAt(at) === "-" && text.charAt(at - 1) !== "-" && text.charAt(at + 1) !== "-";

/** Identifiers have capitals and digits too, but between separators. */
const densePartMin = 12;
const isDensePart = (part: string) =>
  part.length >= densePartMin && hasBothCases(part) && hasDigit(part) && !isHex(part);

/** Ids in URLs are public far more often than not; the tokens among them have rules of their own. */
const isAddress = (word: string) =>
  word.includes("://") || word.includes("arn:") || word.includes(";base64,");

/** Digests, publishable keys, and the first bytes of files, certificates and public keys in base64. */
const publicStart =
  /^(?:sha\d+-|pk_(?:live|test)_|iVBORw0KGgo|R0lGOD|\/9j\/|UklGR|PHN2Zy|PD94bWwg|d09GM|JVBERi|UEsDB|H4sI|AGFzbQ|AAAA[A-Z]3NzaC|AAAAE2VjZHNh|LS0tLS1CRUdJTi)/;
const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
/** Content ids (`Qm…`) and coin addresses (`1…`, `3…`). */
const isPublicId = (run: string) =>
  ((run.length === 46 && run.startsWith("Qm")) || (run.length <= 34 && /^[13]/.test(run))) &&
  base58.test(run);

/** The end of what stands before a public value: `sha512-`, `etag: "`, `"versionId": "`. */
const publicLabels =
  "integrity digest checksum hash etag fingerprint nonce boundary cursor publickey public_key sha id id-2 h1 sha1 sha256 sha384 sha512".split(
    " ",
  );
const labelLengthMax = 32;
/** A label that is itself part of a secret, before `from`, does not count: it will not be there next time. */
function isLabelledPublic(text: string, start: number, from: number): boolean {
  let end = start;
  while (end > start - 6 && end > from && `-:= "'`.includes(text.charAt(end - 1))) end--;
  const label = text.slice(Math.max(from, end - labelLengthMax), end).toLowerCase();
  return publicLabels.some((publicLabel) => label.endsWith(publicLabel));
}

/** A certificate is rarely longer. */
const blockLengthMax = 4096;
/** In a certificate, a public key or a signature: private keys are gone before this search. */
function isInPublicBlock(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - blockLengthMax), start);
  return before.lastIndexOf("-----BEGIN ") > before.lastIndexOf("-----END ");
}

const isSecretRun = (run: string, text: string, start: number, from: number) =>
  run.length >= runLengthMin &&
  looksVeryRandom(run) &&
  run.split(/[^A-Za-z0-9]/).some(isDensePart) &&
  !publicStart.test(run) &&
  !isPublicId(run) &&
  !isLabelledPublic(text, start, from) &&
  !isInPublicBlock(text, start);

const highEntropyValue = kindNamed("High-entropy value");
const { kind } = highEntropyValue;

export const highEntropy: Finder = {
  kinds: [highEntropyValue],
  keywords: [],
  find(text) {
    const spans: Span[] = [];
    for (const word of text.matchAll(wordPattern)) {
      if (word[0].length < runLengthMin || isAddress(word[0])) continue;
      for (const run of word[0].matchAll(runPattern)) {
        const at = word.index + run.index;
        const start = isLoneDash(text, at - 1) ? at - 1 : at;
        if (!isSecretRun(run[0], text, start, spans.at(-1)?.end ?? 0)) continue;
        const end = at + run[0].length;
        spans.push({ start, end: isLoneDash(text, end) ? end + 1 : end, kind });
      }
    }
    return spans;
  },
};
