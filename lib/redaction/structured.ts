import { hasDigit } from "./appearance.ts";
import { looksChosen } from "./features.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, kindNamed, type Span, spaced } from "./rule.ts";

/** A credential whose form other values share: only a word nearby identifies the value as a credential. */
interface Form {
  readonly name: string;
  readonly keywords: string;
  /** Global: matches the word. */
  readonly word: RegExp;
  /** Global: matches the credential. */
  readonly form: RegExp;
  readonly accept?: (value: string) => boolean;
  /** A check that is cheaper than `form`: returns false if the form cannot occur in the text. */
  readonly mayHold?: (text: string) => boolean;
  /**
   * Maximum number of characters between the word and the credential. After each credential found, the search
   * continues for the same number of characters.
   */
  readonly reach: number;
  /** The form is rarer than the word, so the search starts with the form. */
  readonly isRare?: boolean;
}

/** Words of sentences that never occur in a seed phrase: the word list of seed phrases omits them. */
const sentenceWords =
  /(?:^|\s)(?:the|and|for|are|not|but|has|had|was|were|from|into|your|our|his|her|its|should|would|could|which|been|then|than|such|each|with|store|stored|seed)(?:\s|$)/;
const lettersOf = (value: string) => value.toLowerCase().match(/[a-zà-ÿ]{3,12}/g) ?? [];
const isSeedPhrase = (value: string) => {
  const words = lettersOf(value);
  return (
    words.length >= 11 &&
    words.length <= 26 &&
    new Set(words).size > 6 &&
    !sentenceWords.test(words.join(" "))
  );
};

/** A fast check for the minimum number of short words in a row that a seed phrase has, with any separator. */
const seedWordsMin = 11;
function mayHoldSeedPhrase(text: string): boolean {
  let words = 0;
  let letters = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 97 && code <= 122) {
      letters++;
      continue;
    }
    if (letters > 0) {
      words = letters >= 3 && letters <= 8 ? words + 1 : 0;
      if (words === seedWordsMin) return true;
      letters = 0;
    }
    // This character is neither a separator nor part of a number.
    if (code >= 65 || code === 34 || code === 61) words = 0;
  }
  return false;
}

const isCode = (value: string) =>
  (hasDigit(value) || /^(?=.*[QWXZJVK])[A-Z]{8,16}$/.test(value)) &&
  !/^(?:19|20)\d\d-\d\d/.test(value) &&
  !isPlaceholder(value);

const forms: readonly Form[] = [
  {
    name: "Recovery code",
    keywords: "recover|backup|scratch|2fa|mfa|wiederherstellung|récup|recuper",
    word: /(?:recovery|backup|scratch|emergency|one-time|2fa|mfa)[ _-]?(?:codes?|keys?)|(?:2fa|mfa)[ _-]backups?|wiederherstellungs-?(?:codes?|schlüssel)|codes? de (?:récupération|secours)|c[oó]digos? de (?:recupera\S{1,80}|respaldo|backup)|codici di (?:recupero|backup)/gi,
    form: /(?<![\w-])(?:[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){1,7}|[A-Za-z0-9]{8,16})(?![\w-])/g,
    accept: isCode,
    reach: 120,
  },
  {
    name: "TOTP seed",
    keywords: "totp|otp|2fa|mfa|authenticator|two-factor|two factor|zwei-faktor|setup key|qr code|qr-code",
    word: /(?<![A-Za-z])(?:totp|otp|2fa|mfa|authenticator|two[- ]factor|zwei-faktor|hotp|setup key|qr[- ]code)(?![A-Za-z])/gi,
    form: /(?<![\w-])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4}|[a-z2-7]{32,64}|(?:[a-z2-7]{4} ){5,15}[a-z2-7]{2,4})={0,6}(?![\w-])/g,
    accept: (value) => (hasDigit(value) || /^[A-Z ]+$/.test(value)) && new Set(value).size >= 7,
    reach: 100,
    isRare: true,
  },
  {
    name: "Seed phrase",
    keywords:
      "seed|mnemonic|bip39|bip-39|phrase|wallet|metamask|frase|助记词|助記詞|ニーモニック|シードフレーズ|мнемо|сид|fraza",
    word: /seed|mnemonic|bip-?39|recovery phrase|secret phrase|wallet|metamask|frase|phrase|助记词|助記詞|ニーモニック|シードフレーズ|мнемо|сид-?фраз|fraza/gi,
    form: /(?<![\w-])(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}(?:(?:,[ \t]?|\s{1,12}|[ \t]?-[ \t]?)(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}){10,24}(?![\w-])/g,
    accept: isSeedPhrase,
    mayHold: mayHoldSeedPhrase,
    reach: 160,
  },
  {
    name: "Wallet key",
    keywords: "key|wallet|accounts|wif|privat|приват|私钥|秘密鍵|clé|clave|chave|klucz|schlüssel",
    word: /private[ _-]?key|wallet|accounts["']?\s*[:=]|\bwif\b|privat\w*[ -]?schlüssel|clé privée|clave privada|chave privada|chiave privata|klucz prywatny|приватн\S+ ключ|закрыт\S+ ключ|私钥|秘密鍵/gi,
    form: /(?<![\w])(?:0x)?[0-9a-fA-F]{64}(?!\w)|(?<!\w)[1-9A-HJ-NP-Za-km-z]{86,90}(?!\w)/g,
    accept: (value) => hasDigit(value) && /[a-f]/i.test(value),
    reach: 80,
    isRare: true,
  },
];

/** Commands of a device's configuration: the word before the value identifies the value as a credential. */
const configured = spaced(
  /\b(?:(?:snmp-server|snmp)~community|snmp-agent~community~(?:read|write)|snmp-server~host~\S{1,60}(?:~(?:traps|informs|version~\d\w?)){0,3}|r[ow]community6?|com2sec6?(?:~-\S{1,60}~\S{1,60})?~\S{1,60}~\S{1,60}|trapcommunity|defcommunity|trap2?sink~\S{1,60}|enable~(?:secret|password)(?:~level~\d{1,5})?|username~(?!(?:and|or|und|y|et)[ \t])\S{1,60}~(?:privilege~\d{1,5}~)?(?:secret|password)|key-string|(?:tacacs|radius)(?:-server)?[ \t](?:[^\n]{0,40}[ \t])?key|pre-?shared-(?:key|secret)|isakmp~key|neighbor~\S{1,60}~password|wpa-psk|psk~set-key|ppp~chap~password|snmp[ -](?:community|string)(?:~string)?(?:~is)?|(?:snmp )?community(?: string)?[ \t]{0,8}[:=]|user~(?!(?:and|or|und|y|et)[ \t])\S{1,60}~password|createUser~\S{1,60}~(?:SHA|MD5)(?:-\d{1,5})?|(?:authentication|message-digest)-key~\d{1,5}(?:~md5)?|authentication-key|auth~(?:sha|md5)(?:-?\d{1,5})?|priv~(?:aes|des|3des)(?:[ -]\d{1,5})?|(?:plain-?text-password|plain-text-password-value|psksecret)|set~passwd|-passwd|standby~\d{1,5}~authentication(?:~md5~key-string)?|snmp[ \t](?:ro|rw|read|write)[ \t]{0,4}[:=]|(?:communauté|comunidade?|comunità)[ \t]{1,4}SNMP[ \t]{1,4}(?:est|es|é|è|:)|\/snmp[ \t]community[ \t](?:add|set)[^\n]{0,40}[ \t]name=|wep[ \t-]?key(?:~\d)?|shared[ -]secret(?:~is)?|(?:password|passphrase|secret|key)(?=~(?:[0-9]|ascii|simple|cipher|irreversible-cipher|plaintext|manager|user-name)[ \t]))[ \t:=]{1,12}(?:(?:\d|ascii|ascii-text|plain-text|plaintext|cleartext|clear|simple|cipher|irreversible-cipher|hexadecimal|local|manager|user-name~\S{1,60}|address)~){0,3}["'\uE000-\uE003]?/gi,
);
/** A comma before the next `name=value` ends the value. */
const configuredValue = /(?:[^\s"'`,;\uE000-\uE010]|[,;](?=[^\s"'`=,;]{1,64}(?:[\s,;]|$)))+/y;
const snmpOrPassword = kindNamed("Device password");

/** These words occur in sentences too: the value after them must itself look like a credential. */
const looselyConfigured = /^(?:shared|password|passphrase|secret|key|set|snmp[ -]string|auth|enable)/i;

/** createUser … SHA "…" AES "…": the text between the first and the second password. */
const secondOfUser = /["'\uE000]?[ \t]+(?:AES|DES)(?:-?\d+)?[ \t]+["'\uE000]?/y;

function findConfigured(text: string): Span[] {
  const spans: Span[] = [];
  configured.lastIndex = 0;
  for (let match = configured.exec(text); match; match = configured.exec(text)) {
    const start = configured.lastIndex;
    configuredValue.lastIndex = start;
    if (!configuredValue.test(text)) continue;
    const value = text.slice(start, configuredValue.lastIndex).replace(/[.)\]]+$/, "");
    if (
      value.length < 4 ||
      isPlaceholder(value) ||
      (looselyConfigured.test(match[0]) && !hasDigit(value) && !looksChosen(value)) ||
      /^(?:public|private|string|is|are|must|should|the|and|name|names|strings)$/i.test(value)
    )
      continue;
    spans.push({ start, end: start + value.length, kind: snmpOrPassword.kind });
    configured.lastIndex = start + value.length;
    secondOfUser.lastIndex = start + value.length;
    if (!secondOfUser.test(text)) continue;
    configuredValue.lastIndex = secondOfUser.lastIndex;
    if (configuredValue.test(text))
      spans.push({
        start: secondOfUser.lastIndex,
        end: configuredValue.lastIndex,
        kind: snmpOrPassword.kind,
      });
  }
  return spans;
}

/** Finds the form if the word, or another credential of the same form, is within reach before it. */
function findRare({ word, form, accept, reach, name }: Form, text: string): Span[] {
  const { kind } = kindNamed(name);
  const spans: Span[] = [];
  form.lastIndex = 0;
  for (let match = form.exec(text); match; match = form.exec(text)) {
    const start = match.index;
    if (accept && !accept(match[0])) continue;
    word.lastIndex = 0;
    const isSoonAfter = reach > 0 && start - (spans.at(-1)?.end ?? -reach) < reach;
    if (isSoonAfter || word.test(text.slice(Math.max(0, start - reach), start)))
      spans.push({ start, end: start + match[0].length, kind });
  }
  return spans;
}

/**
 * Number of characters to search after the reach of a word. If a list of codes is longer, its rest is found
 * from the next word.
 */
const windowLength = 400;

/** The groups of a code: `abcd-efgh` and `rr9y-qg7u` have the same. */
const groupsOf = (text: string, { start, end }: Span) => text.slice(start, end).replace(/[A-Za-z0-9]/g, "x");
/** A code of letters only, in a list of at least two codes with the same groups. */
const isListed = (text: string, span: Span, list: readonly Span[]) =>
  groupsOf(text, span).includes("-") &&
  list.filter((other) => groupsOf(text, other) === groupsOf(text, span)).length >= 2;

function findForm({ word, form, accept, mayHold, reach, name }: Form, text: string): Span[] {
  const { kind } = kindNamed(name);
  const spans: Span[] = [];
  word.lastIndex = 0;
  for (let hit = word.exec(text); hit; hit = word.exec(text)) {
    let from = hit.index + hit[0].length;
    let until = from + reach;
    const window = text.slice(from, from + reach + windowLength);
    const offset = from;
    form.lastIndex = mayHold && !mayHold(window) ? window.length + 1 : 0;
    const refused: Span[] = [];
    const accepted = spans.length;
    for (let match = form.exec(window); match && offset + match.index <= until; match = form.exec(window)) {
      from = offset + match.index + match[0].length;
      const span = { start: offset + match.index, end: from, kind };
      const isAccepted = !accept || accept(match[0]);
      (isAccepted ? spans : refused).push(span);
      if (isAccepted) until = from + reach;
    }
    if (spans.length > accepted && refused.length > 0) {
      const list = spans.splice(accepted);
      const others = refused.filter((span) => isListed(text, span, list));
      spans.push(...[...list, ...others].sort((a, b) => a.start - b.start));
    }
    // If this word finds nothing, the next word must be half a reach later: no text is read many times.
    const isFound = until > offset + reach;
    word.lastIndex = Math.max(
      isFound ? from : hit.index + (reach >> 1),
      hit.index + Math.max(1, hit[0].length),
    );
  }
  return spans;
}

export const structured: readonly Finder[] = [
  ...forms.map((form) => ({
    kinds: [kindNamed(form.name)],
    keywords: form.keywords.split("|"),
    reach: form.reach + windowLength,
    find: (text: string) => (form.isRare ? findRare(form, text) : findForm(form, text)),
  })),
  {
    kinds: [snmpOrPassword],
    keywords:
      "community secret password key psk createuser snmp auth shared com2sec communauté comunid comunità trapsink trap2sink passphrase passwd".split(
        " ",
      ),
    find: findConfigured,
  },
];
