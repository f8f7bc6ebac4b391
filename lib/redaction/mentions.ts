import { hasBothCases, hasDigit, isHex, isUuid, looksVeryRandom } from "./appearance.ts";
import { isDigest } from "./assignments.ts";
import * as features from "./features.ts";
import { isInPublicBlock, isLabelledPublic } from "./high-entropy.ts";
import { isNeverBehind, isNeverMentioned } from "./never.ts";
import { type Accept, anyOf, type Finder, kindNamed, type Span } from "./rule.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/** Finds a value that no sentence and no code has, where the words around it speak of a credential. */

const apart = `\\s"'\`\\uE000-\\uE003<>(){}\\[\\],;|=:${marker}`;
const candidate = pattern("g", `[^${apart}]+(?:=[^${apart}]+)*={0,2}`);
const hasLook = /\d|[!#$%^&*+?~@]|[a-z][A-Z]|[a-z][-._][a-z]/;
/** `anna/…`: a user before a password. `name=…`: a name. */
const opening = /^(?:[A-Za-z][\w.-]{1,20}\/(?=[^/]{6,}$)(?=[^\d!#$%^&*]*[\d!#$%^&*])|[A-Za-z][A-Za-z_.-]*=)/;
const lengthMin = 7;
const lengthMax = 128;
/** A longer text is no Learning: there only finders that need a name search. */
const textLengthMax = 16_384;

const name = [
  String.raw`(?:pass[-_]?(?:w|phrase|code|[ck]ey)|\bpass\b|pwd|\bpw\b|cred|парол|密码|密碼|口令|パスワード|비밀번호|암호`,
  String.raw`|kennwort|contrase|\bclave|senha|hasł|secret|segret|mot de passe|\bmdp\b|lösenord|wachtwoord|şifre|heslo`,
  String.raw`|jelszó|\bpsk\b|parol[ae]|community|token|api[- _]?key|\bkey\b|schlüssel|\bcl[eé]f?\b|chave|chiave`,
  "|sleutel|klucz|ключ|токен|密钥|トークン|토큰|令牌|bearer)",
].join("");
const named = pattern("iu", name);
const access = pattern(
  "i",
  String.raw`log ?in|log ?on|sign ?in|unlock|decrypt|protected|zugang|anmeld|\bauth(?!or)|admin|\broot\b|account`,
  "|sudo|prompt",
  String.raw`|connect(?:s|ing)? (?:with|as)|\bvpn\b|wi-?fi|basic|\buser=`,
);
const nameOfKey =
  /(?:api|auth|access|cryption|master|secret|signing)[- _]?(?:key|token|secret|schl)|cl[eé] api|c[hl]\w{1,2}ve api/i;
const nameOfDigest = /hash|digest|checksum|\bsha|md5|commit|fingerprint|\bids?\b|version|cache|etag|derive/i;
const isHexadecimal: Accept = (value) => isHex(value) || isUuid(value);
/** `Kq7!vTz92`: a sign between letters and digits. */
const isSigned: Accept = (value) =>
  /\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) &&
  !value.includes("/") &&
  /[A-Za-z\d][!$%^&*?+~#@]+[A-Za-z\d]|[A-Za-z]\w*\d\w*[!$%^&*#~@]{1,2}$/.test(value);
const isScrambled: Accept = (value) =>
  features.isScrambled(value, hasDigit(value) ? 10 : 14, 3) && !/[a-z]{5}/.test(value);
/** `p8TDlmnKsbNCIM`: cases and digits change as in no identifier. */
const isScattered: Accept = (value) =>
  value.length >= 10 &&
  ((hasDigit(value) && looksVeryRandom(value)) || isScrambled(value)) &&
  /^(?![a-z]{2,12}_)[\w+/=.-]+$/.test(value) &&
  (hasBothCases(value) || !/[a-z]{4}/i.test(value));
/** `Walrus1993`, `walrus_amber_2114`. */
const isCounted: Accept = (value) =>
  /\d\d$/.test(value) &&
  (features.isDecoratedWord(value) ||
    (/\d{3}$/.test(value) && (features.isNumberedWord(value) || features.isDiceware(value))));
/** `w4lrus!amber`, `w4lru5x`. */
const isLeet: Accept = (value) =>
  /^[a-z\d]+$/.test(value)
    ? features.isCode(value)
    : /[a-z]\d[a-z]+.*[-_.!]\w{3}|\w{4}[-_.!]\w*[a-z]\d[a-z]/.test(value) && features.isMixedWord(value);
/** Nothing but a password looks like this. */
const isMade = anyOf(isSigned, isScattered, isCounted, isLeet);
/** Where the words lead to the value, these looks are enough. */
const isLikely = anyOf(
  isMade,
  features.isStrong,
  (value) => features.isMixedWord(value) && !/^(?:[A-Z][a-z]{2,}\d?|[A-Z]\d)+$/.test(value),
  features.isDiceware,
  features.isUnusualWord,
  features.isCode,
  (value) => isHexadecimal(value) && value.length >= 16 && hasDigit(value),
);
/** `(WALRUS_211)`: in brackets, not a constant. */
const isShouted = /^[A-Z]{4,}_\d{3,6}$/;
/** `Firefox128`: where people speak of access, it may be a product. */
const isProduct = /^[A-Z][a-z]+\d{1,3}$/;

const direct = pattern(
  "iu",
  name,
  "[\\w-]{0,12}[\"'`)\\]*]{0,3}(?:[ \\t]*(?:[:=(|→>-]|is|was|to|ist|lautet|est|es|è|é|jest)){0,2}\\s{0,4}",
  "(?:[a-z~%@][\\w.]{0,12}(?=[\"'`({#\\[]))?[\\s\"'`(*#{@|«[=]{0,8}$",
);
/** Before a value that is alone on its line: a quotation, a bullet, a time, a speaker, an arrow. */
const lineOpening = pattern(
  "u",
  String.raw`^[ \t>|]*(?:[-*•—–←→↳] )?(?:[[(][^\])\n]{1,24}[\])] ?)?(?:[\d:., -]{4,20}(?: ?[AP]M)?(?: - | ))?`,
  String.raw`(?:<? ?[@*]{0,2}[\p{L}\d_. -]{1,24}\*{0,2}(?: \(?\d{1,2}:\d\d\)?)?\*{0,2}[:>=] ?)?(?:(?:->|=>|→) )?`,
  String.raw`(?:[\p{L}']{1,10} ?[,:]? ){0,3}["'\x60*(]{0,2}$`,
);
/** A value, and the words around it. */
interface Mentioned {
  readonly value: string;
  /** Its line before it, its sentence before it, its sentence behind it, the line above. */
  readonly lead: string;
  readonly said: string;
  readonly saidBehind: string;
  readonly above: string;
}
export interface Mention {
  readonly mention: string;
  /** Whether a value needs no more than to be likely. */
  readonly isSure?: boolean;
  readonly holds: (mentioned: Mentioned) => boolean;
}
// biome-ignore format: one row a line
export const mentionRows: readonly Mention[] = [
  { mention: "right behind a name", isSure: true, holds: ({ said }) => direct.test(said) },
  { mention: "a sign behind a sentence with a name", isSure: true, holds: ({ lead, said }) =>
    /[:=→][ \t"'`*(]{0,4}$/.test(lead) && named.test(said) },
  { mention: "hexadecimal behind the name of a key", isSure: true, holds: ({ value, said }) => isHex(value) &&
    value.length >= 32 && nameOfKey.test(said) && !nameOfDigest.test(said) },
  { mention: "behind a name in its sentence", holds: ({ said }) => named.test(said) },
  { mention: "before a name in its sentence", holds: ({ saidBehind }) => named.test(saidBehind) },
  { mention: "behind a word about access", holds: ({ value, said }) => !isProduct.test(value) && access.test(said) },
  { mention: "alone below a line that speaks of it", holds: ({ lead, above }) =>
    (named.test(above) || access.test(above)) && lineOpening.test(lead) },
];

const reach = 100;
const tailReach = 80;

function isMentioned(text: string, value: string, start: number, end: number): boolean {
  if (text.startsWith("(", end) || text.startsWith("](", end)) return false;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lead = text.slice(Math.max(lineStart, start - reach), start);
  const tail = text.slice(end, end + tailReach);
  const said = lead.split(/[.!;] /).at(-1) ?? "";
  const saidBehind = tail.split(/[.!?;] |\n/, 1)[0] ?? "";
  const above = text.slice(Math.max(0, lineStart - reach), Math.max(0, lineStart - 1));
  const isSurelyMade = isMade(value) && !isHexadecimal(value);
  const mentioned = { value, lead, said, saidBehind, above };
  return (
    mentionRows.some(({ isSure, holds }) => (isSure || isSurelyMade) && holds(mentioned)) &&
    !isNeverBehind(lead) &&
    !isLabelledPublic(text, start) &&
    !isInPublicBlock(text, start) &&
    !isDigest(text, { start, end })
  );
}

export const mentions: Finder = {
  kinds: [kindNamed("Password"), kindNamed("Token")],
  keywords: [],
  find(text) {
    const spans: Span[] = [];
    if (text.length > textLengthMax) return spans;
    candidate.lastIndex = 0;
    for (let match = candidate.exec(text); match; match = candidate.exec(text)) {
      const whole = match[0].replace(/[.?]{1,3}$/, "");
      const opened = opening.exec(whole)?.[0].length ?? 0;
      const value = whole.slice(opened);
      if (value.length < lengthMin || value.length > lengthMax || !hasLook.test(value)) continue;
      if (
        !isLikely(value) ||
        (isNeverMentioned(value.replace(/^[&*]/, "")) &&
          !(text.charAt(match.index - 1) === "(" && isShouted.test(value)))
      )
        continue;
      const start = match.index + opened;
      const end = match.index + whole.length;
      if (!isMentioned(text, value, start, end)) continue;
      spans.push({
        start,
        end,
        kind: value.length >= 24 && features.isTokenLike(value) ? "token" : "password",
      });
    }
    return spans;
  },
};
