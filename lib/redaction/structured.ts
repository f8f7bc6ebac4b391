import { hasDigit } from "./appearance.ts";
import { looksChosen } from "./features.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Accept, type AcceptInContext, after, alone, type ContextRule, spaced } from "./rule.ts";

/** Credentials whose form other values share: only the words before them identify them. */

const isAfter =
  (words: RegExp, reach: number, accept: Accept): AcceptInContext =>
  (secret, { text, start }) =>
    accept(secret) && words.test(text.slice(Math.max(0, start - reach), start));

/** Words of sentences that never occur in a seed phrase: the word list of seed phrases omits them. */
const sentenceWords =
  /(?:^|\s)(?:the|and|for|are|not|but|has|had|was|were|from|into|your|our|his|her|its|should|would|could|which|been|then|than|such|each|with|store|stored|seed)(?:\s|$)/;
const isSeedPhrase: Accept = (secret) => {
  const words = secret.match(/[a-z]{3,8}/g) ?? [];
  return new Set(words).size > 6 && !sentenceWords.test(words.join(" "));
};

/** Commands of a device's configuration: the word before the value identifies the value as a credential. */
const configured = spaced(
  /\b(?:(?:snmp-server|snmp)~community|snmp-agent~community~(?:read|write)|snmp-server~host~\S{1,60}(?:~(?:traps|informs|version~\d\w?)){0,3}|r[ow]community6?|com2sec6?(?:~-\S{1,60}~\S{1,60})?~\S{1,60}~\S{1,60}|trapcommunity|defcommunity|trap2?sink~\S{1,60}|enable~(?:secret|password)(?:~level~\d{1,5})?|username~(?!(?:and|or|und|y|et)[ \t])\S{1,60}~(?:privilege~\d{1,5}~)?(?:secret|password)|key-string|(?:tacacs|radius)(?:-server)?[ \t](?:[^\n]{0,40}[ \t])?key|pre-?shared-(?:key|secret)|isakmp~key|neighbor~\S{1,60}~password|wpa-psk|psk~set-key|ppp~chap~password|snmp[ -](?:community|string)(?:~string)?(?:~is)?|(?:snmp )?community(?: string)?[ \t]{0,8}[:=]|user~(?!(?:and|or|und|y|et)[ \t])\S{1,60}~password|createUser~\S{1,60}~(?:SHA|MD5)(?:-\d{1,5})?|(?<=createUser \S{1,60} (?:SHA|MD5)(?:-\d{1,5})? \S{1,60} )(?:AES|DES)(?:-?\d{1,5})?|(?:authentication|message-digest)-key~\d{1,5}(?:~md5)?|authentication-key|auth~(?:sha|md5)(?:-?\d{1,5})?|priv~(?:aes|des|3des)(?:[ -]\d{1,5})?|(?:plain-?text-password|plain-text-password-value|psksecret)|set~passwd|-passwd|standby~\d{1,5}~authentication(?:~md5~key-string)?|snmp[ \t](?:ro|rw|read|write)[ \t]{0,4}[:=]|(?:communauté|comunidade?|comunità)[ \t]{1,4}SNMP[ \t]{1,4}(?:est|es|é|è|:)|\/snmp[ \t]community[ \t](?:add|set)[^\n]{0,40}[ \t]name=|wep[ \t-]?key(?:~\d)?|shared[ -]secret(?:~is)?|(?:password|passphrase|secret|key)(?=~(?:[0-9]|ascii|simple|cipher|irreversible-cipher|plaintext|manager|user-name)[ \t]))[ \t:=]{1,12}(?:(?:\d|ascii|ascii-text|plain-text|plaintext|cleartext|clear|simple|cipher|irreversible-cipher|hexadecimal|local|manager|user-name~\S{1,60}|address)~){0,3}["'\uE000-\uE003]?/gi,
);
/** A comma before the next `name=value` ends the value, and so does the end of a sentence. */
const configuredValue =
  /(?:[^\s"'`,;.)\]\uE000-\uE010]|[,;](?=[^\s"'`=,;]{1,64}(?:[\s,;]|$))|[.)\]](?=[^\s.)\]]))+/y;
/** These words occur in sentences too: the value after them must itself look like a credential. */
const looselyConfigured = /^(?:shared|password|passphrase|secret|key|set|snmp[ -]string|auth|enable)/i;
const isConfigured: AcceptInContext = (secret, { context }) =>
  secret.length >= 4 &&
  !isPlaceholder(secret) &&
  (!looselyConfigured.test(context) ||
    hasDigit(secret) ||
    looksChosen(secret) ||
    /^enable.*[ \t]\d[ \t]+$/i.test(context)) &&
  !/^(?:public|private|string|is|are|must|should|the|and|name|names|strings|expire|never|require|history|reuse|lock|unlock|default|disable)$/i.test(
    secret,
  );

// biome-ignore format: one rule a line
export const structuredContexts: readonly ContextRule[] = [
  // Backup codes: 4f7k-9d2m x8q1-mm41, in one line or one a line
  after("Recovery code", "recover|backup|scratch|2fa|mfa|wiederherstellung|récup|recuper", /(?:(?:recovery|backup|scratch|emergency|one-time|2fa|mfa)[ _-]?(?:codes?|keys?)|(?:2fa|mfa)[ _-]backups?|wiederherstellungs-?(?:codes?|schlüssel)|codes? de (?:récupération|secours)|c[oó]digos? de (?:recuperaci[oó]n|respaldo|backup)|codici di (?:recupero|backup))[^\n:=]{0,40}[:=]?[\s[¶]{1,8}(?:(?:[-*]|\d{1,2}[.)]) )?/gi, /(?:(?=[A-Za-z\d-]{0,40}\d)[A-Za-z\d]{4,8}(?:-[A-Za-z\d]{4,8}){1,7}|\d{4,6} \d{4,6}|(?=[A-Za-z]{0,15}\d)[A-Za-z\d]{8,16}(?![\w-]))(?:[\s,;¶]{1,5}(?:(?:[-*]|\d{1,2}[.)]) )?(?:\d{4,6} \d{4,6}|[A-Za-z\d]{4,8}(?:-[A-Za-z\d]{4,8}){1,7}|(?=[A-Za-z]{0,15}\d)[A-Za-z\d]{8,16}(?![\w-])))*/y, (secret) => hasDigit(secret) && !/^(?:19|20)\d\d-\d\d/.test(secret) && !isPlaceholder(secret)),
  alone("TOTP seed", "totp|otp|2fa|mfa|authenticator|two-factor|two factor|zwei-faktor|setup key|qr code|qr-code", /(?<![\w-])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4}|[a-z2-7]{32,64}|(?:[a-z2-7]{4} ){5,15}[a-z2-7]{2,4})={0,6}(?![\w-])/g, isAfter(/(?<![A-Za-z])(?:totp|otp|2fa|mfa|authenticator|two[- ]factor|zwei-faktor|hotp|setup key|qr[- ]code)(?![A-Za-z])/i, 100, (secret) => (hasDigit(secret) || /^[A-Z ]+$/.test(secret)) && new Set(secret).size >= 7)),
  after("Seed phrase", "seed|mnemonic|bip39|bip-39|phrase|wallet|metamask|frase|助记词|助記詞|ニーモニック|シードフレーズ|мнемо|сид|fraza", /(?:seed|mnemonic|bip-?39|phrase|wallet|metamask|frase|助记词|助記詞|ニーモニック|シードフレーズ|мнемо\S{0,12}|сид-?фраза|fraza)[^\n]{0,24}?[ :="'`\n]{1,4}(?=(?:\d{1,2}[.):]? ?)?[a-z]{3,8}[, \n-])/gi, /(?:\d{1,2}[.):]? {0,2})?[a-z]{3,8}(?:(?:, ?| {1,4}| ?- ?|\n[ \t]{0,8})(?:\d{1,2}[.):]? {0,2})?[a-z]{3,8}){10,24}(?![\w-])/y, isSeedPhrase),
  alone("Wallet key", "key|wallet|accounts|wif|privat|приват|私钥|秘密鍵|clé|clave|chave|klucz|schlüssel", /(?<![\w])(?:0x)?[0-9a-fA-F]{64}(?!\w)|(?<!\w)[1-9A-HJ-NP-Za-km-z]{86,90}(?!\w)/g, isAfter(/private[ _-]?key|wallet|accounts["']?\s*[:=]|\bwif\b|privat\w*[ -]?schlüssel|clé privée|clave privada|chave privada|chiave privata|klucz prywatny|приватн\S+ ключ|закрыт\S+ ключ|私钥|秘密鍵/i, 80, (secret) => hasDigit(secret) && /[a-f]/i.test(secret))),
  after("Device password", "community|secret|password|key|psk|createuser|snmp|auth|shared|com2sec|communauté|comunid|comunità|trapsink|trap2sink|passphrase|passwd", configured, configuredValue, isConfigured),
];
