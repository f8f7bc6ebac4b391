import * as features from "./features.ts";
import { publicLabel } from "./high-entropy.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { looksOf, surroundingsOf } from "./signs.ts";
import { marker } from "./view.ts";
import { bias, weights } from "./weights.ts";
import { pattern } from "./words.ts";

/** The last search: each value that is no plain word is weighed by its signs. */

const apart = `\\s"'\`\\uE000-\\uE003<>(){}\\[\\],;|=:${marker}`;
const candidate = pattern("g", `[^${apart}]+(?:=[^${apart}]+)*={0,2}`);
/** `anna/…`: a user before a password. `name=…`: a name. */
const opening = /^(?:[A-Za-z][\w.-]{1,20}\/(?=[^/]{6,}$)(?=[^\d!#$%^&*]*[\d!#$%^&*])|[A-Za-z][A-Za-z_.-]*=)/;
const lengthMin = 4;
const lengthMax = 300;
/** A value that weighs more is a credential. */
const limit = 8;
/** No words around it make a credential of a value that looks like less. */
const lookMin = -40;
/** A Learning has fewer, and is shorter. */
const candidatesMax = 1_000;
/** A longer text is no Learning: it is searched with less effort. */
export const longLength = 16_384;
const candidatesOfLongMax = 250;

/** A date, a path, an option, a variable, a number of code, 123456, a range of letters, a header, a public id or key: no sign outweighs these. */
const isNever = pattern(
  "",
  String.raw`^(?:\d{4}-\d\d-\d\d.*|(?:19|20)\d\d|0?1234\d*|--?[A-Za-z][\w-]*|[&?]\w+=.*|\$[A-Z_].*|/.*|0x.*`,
  String.raw`|00-[\da-f]{32}-.*|[\da-f]{8}-[\da-f-]{27}#.*|1[\w-]{43}|X-[A-Z].*|[A-Z]+#.*`,
  String.raw`|[a-z]+(?:_[a-z]+)+|[A-Z]{2,9}-\d{1,5}|\d+\*\d+|GHSA-.*|rds!.*|iPhone.*|mrk-.*|nonce-.*|LS0tLS1CRUdJTiB(?:D|QVU).*)$|a-z|A-Z(?:a|0)`,
);
/** `VersionId: …`, `kid …`, `nextPageToken: …`, `ENC[AES256_GCM,data:…`: words that say what else the value is. */
const otherName = pattern(
  "",
  String.raw`(?:(?:[a-z]|\b)I[dD]|_id|[pP]age_?[tT]oken|[sS]ecretName|cache[-_ ]?[kK]ey|ServerKey|\b(?:id|[kc]id|nonce|etag|sha|digest|checksum|fingerprint`,
  String.raw`|[cC]ommit|TXT|x5t#S256|(?:leaked|fixed|introduced|landed) (?:in|by)))["']?[ \t]*[:=]?[ \t]*["']?$|ENC\[\w+,(?:\w+:[\w+/=]*,)*\w+:[\w+/]*$`,
  String.raw`|\|1\|$|encrypted:$|\b(?:log|sign)\w* ?in as ["'\x60]?$|\b[nxy]["']?: ?["']$`,
);
/** `aGVsbG8gd29ybGQ=`: the base64 of words. */
const isEncodedText = (value: string): boolean =>
  /^[A-Za-z\d+/]{8,}={0,2}$/.test(value) && /^[A-Za-z]{2}[A-Za-z .,!?_-]+:?$/.test(Buffer.from(value, "base64").toString());
/** Near these words a random value may be a credential. */
const speaksOfAccess =
  /pass|pw|secret|token|key|cred|auth|log ?in|admin|root|user|account|code|pin\b|парол|密|パス|비밀|wort|senha|clave|contras|hasł|segret|licen|webhook|\bapi\b/i;
/** A random value with a label that says it is public, or with no word about access near it. */
const isPublicRandom = (value: string, before: string, behind: string): boolean =>
  value.length >= 20 &&
  features.isTokenLike(value) &&
  (publicLabel.test(before.slice(before.lastIndexOf("\n") + 1)) || !speaksOfAccess.test(`${before} ${behind}`));
const isOther = (value: string, before: string, behind: string): boolean =>
  isPublicRandom(value, before, behind) ||
  isNever.test(value) ||
  behind.startsWith("(") ||
  otherName.test(before) ||
  features.isPublicValue(value) ||
  features.isExpression(value) ||
  isEncodedText(value) ||
  isPlaceholder(value);

/** The values of a text that may be credentials: no plain words, and nothing that is surely something else. */
export function candidatesIn(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const countMax = text.length > longLength ? candidatesOfLongMax : candidatesMax;
  candidate.lastIndex = 0;
  for (let match = candidate.exec(text); match && found.length < countMax; match = candidate.exec(text)) {
    const whole = match[0].replace(/[.?]{1,3}$/, "");
    const opened = opening.exec(whole)?.[0].length ?? 0;
    const value = whole.slice(opened);
    if (value.length < lengthMin || value.length > lengthMax || !/\d|[!#$%^&*+?~@]|[a-z][A-Z]|[a-z][-._][a-z]/.test(value)) continue;
    const start = match.index + opened;
    const end = match.index + whole.length;
    if (isOther(value, text.slice(Math.max(0, start - 200), start), text.slice(end, end + 100))) continue;
    found.push({ start, end });
  }
  return found;
}

const kindOf = (value: string) => (/^\d{4,8}$/.test(value) ? "pin" : value.length >= 24 && features.isTokenLike(value) ? "token" : "password");

export const weighed: Finder = {
  kinds: [kindNamed("Password"), kindNamed("Token"), kindNamed("PIN")],
  keywords: [],
  find(text) {
    const spans: Span[] = [];
    for (const { start, end } of candidatesIn(text)) {
      const value = text.slice(start, end);
      let weight = bias;
      const see = (sign: string) => {
        weight += weights.get(sign) ?? 0;
      };
      const looked = looksOf(value, see);
      if (weight < lookMin) continue;
      surroundingsOf(text, start, end, looked, see);
      if (weight > limit) spans.push({ start, end, kind: kindOf(value) });
    }
    return spans;
  },
};
