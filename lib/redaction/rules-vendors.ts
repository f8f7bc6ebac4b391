import { hasBothCases, hasDigit, looksRandom } from "./appearance.ts";
import { holdsCredential } from "./decoded.ts";
import { sentenceWords } from "./features.ts";
import { isDocumented, isPlaceholder } from "./placeholders.ts";
import {
  type Accept,
  after,
  alone,
  alphanumeric,
  type ContextRule,
  hasDistinct,
  hex,
  near,
  ofLength,
  type TokenRule,
  token,
  word,
} from "./rule.ts";
import { pattern } from "./words.ts";

/** Rules that the vendors' table cannot express: structured tokens, forms without a prefix, webhooks. */

// biome-ignore format: one rule a line
export const formTokens: readonly TokenRule[] = [
  token("Service API key", "cr-", hex, 40),
  token("Fly.io token", "FlyV1 fm2_|FlyV1 fm1r_|FlyV1 fm1a_", /[\w+/=,-]+/y, 40),
  token("1Password key", "A3-", /[A-Z0-9-]+/y, 31),
  token("crates.io token", "cio", alphanumeric, 32, (secret) => secret.length === 35 && hasDigit(secret) &&
    hasBothCases(secret)),
  token("Adyen key", "AQE", /[\w+/=-]+(?:\.[\w+/=-]+)*/y, 60, looksRandom),
  token("OpenAI key", "sk-", word, 40, (secret) => secret.includes("T3BlbkFJ")),
  token("Airtable token", "pat", /[A-Za-z0-9]+(?:\.[0-9a-f]+)?/y, 78),
  token("Asana token", "1/|2/", /[\d/]+(?::[0-9a-f]+)?/y, 45, (secret) => secret.includes(":")),
  token("Resend key", "re_", /[A-Za-z0-9]+(?:_[A-Za-z0-9]+)?/y, 24, (secret) => /_\w+_/.test(secret) &&
    looksRandom(secret)),
  token("Service API key", "pk_", /\d+(?:_[A-Z0-9]+)?/y, 38, (secret) => /^pk_\d{5,10}_[A-Z0-9]{32}$/.test(secret)),
  token("Braintree token", "access_token$production$|access_token$sandbox$", /[a-z0-9]+(?:\$[0-9a-f]+)?/y, 40),
  token("Rancher token", "token-", /[a-z0-9]+(?::[a-z0-9]+)?/y, 50, (secret) => secret.includes(":")),
  token("Convex key", "prod:|preview:|dev:", /[a-z:-]+(?:\d+(?:\|[\w+/=]+)?)?/y, 50, (secret) => secret.includes("|")),
  token("Authress key", "sc_|ext_|scauth_|authress_", /\w+(?:\.\w+(?:\.[\w-]+(?:\.[\w+/=-]+)?)?)?/y, 60, (secret) =>
    secret.includes(".acc")),
  token("Salesforce token", "00D", /[A-Za-z0-9]+(?:![\w.]+)?/y, 60, (secret) => secret.includes("!")),
];

const nearSeed =
  /(?<![A-Za-z])(?:[th]?otp|2fa|mfa|authenticator|two[- ]factor|zwei-faktor|setup key|qr|key manually)(?![A-Za-z])/i;
/** One code of a list: groups with hyphens, groups of digits, or one group with a digit. */
const code =
  String.raw`(?:\d{3,6}(?:[ -]\d{3,6}){1,7}|[A-Za-z\d]{3,8}(?:-[A-Za-z\d]{3,8}){1,9}` +
  String.raw`|(?=[A-Za-z]{0,15}\d)[A-Za-z\d]{6,64})(?![\w-])`;
const below =
  String.raw`(?: ?\([^()\n]{0,30}\))?(?:[^\w\n]{0,40}(?:(?:\[x\]|~~)[^\n]{0,20})?\n){0,3}[^\w\n]{0,12}(` +
  String.raw`?:\d{1,2}[.):]? {1,3})?\x60?`;
const codePattern = new RegExp(code, "g");
/** Codes without digits have the same form: several codes, or the groups of one. */
const areCodes: Accept = (secret) => {
  const codes = secret.match(codePattern) ?? [];
  const forms = new Set(codes.map((each) => each.replace(/[A-Za-z\d]/g, "x")));
  const isUniform = forms.size === 1 && (codes.length > 1 || /^(x+)(?:-\1){3,}$/.test([...forms].join("")));
  return (
    codes.length > 0 &&
    (codes.every(hasDigit) || isUniform) &&
    !/^(?:19|20)\d\d-\d\d/.test(secret) &&
    !isPlaceholder(secret)
  );
};

/** The number before a word of a seed phrase, and the text between two words. */
const number = String.raw`(?:[-*] )?(?:\d{1,2}[.):]? {0,2})?`;
const between = String.raw`(?:(?:, ?| {1,12}| ?- ?| ?\| ?|\n[ \t]{0,8})${number}|["'],\s{0,8}["'])`;

const walletWord = pattern(
  "i",
  String.raw`private[ _-]?key|wallet|deployer|shamir|accounts["']?\s*[:=]|\bwif\b|privat\w*[ -]?schlüssel`,
  "|clé privée|clave privada|chave privada",
  String.raw`|chiave privata|klucz prywatny|приватн\S+ ключ|закрыт\S+ ключ|私钥|秘密鍵`,
);
// biome-ignore format: one rule a line
export const formContexts: readonly ContextRule[] = [
  alone("Azure client secret", "q~", /(?<![\w.~-])[\w.~-]{3}\dQ~(?:[\w~-]|\.(?=[\w~-])){25,64}(?![\w~-])/g,
    ofLength(31)),
  alone("Terraform token", ".atlasv1.", /(?<![\w.-])[A-Za-z0-9]{10,20}\.atlasv1\.[\w=-]{20,128}/g, ofLength(40)),
  alone("Discord token", "", /(?<![\w.~-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{24,40}(?![\w~-]|\.\w)/g, (secret) =>
    secret.length >= 55 && looksRandom(secret)),
  alone("Mailgun key", "", /(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/g, ofLength(50)),
  alone("Mailchimp key", "-us", /(?<![\w-])[0-9a-f]{32}-us\d\d?(?![\w-])/g, ofLength(36)),
  alone("Licence key", "", pattern("g",
    String.raw`(?<![\w-])(?:[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}`,
    String.raw`|[A-Z0-9]{4}(?:-[A-Z0-9]{4}){5,7}|\d{6}(?:-\d{6}){7})(?![\w-])`),
    (secret) => hasDigit(secret) && !isPlaceholder(secret)),
  // Base64 of the key of a service account, of a kubeconfig
  { ...alone("Secret", "eyj|eya|ewo|ew0|yxbpvmvyc2lvb", pattern("g",
    String.raw`(?<![\w+/-])(?:eyJ|eyA|ewo|ew0|YXBpVmVyc2lvb)[A-Za-z0-9+/]{60,16384}(?:\r?\n[ \t]{0,12}[A-Za-z0-9+/]`,
    String.raw`{1,76}(?=={0,2}["']?(?:\s`,
    "|$))){0,200}={0,2}"), holdsCredential), reach: 8_192 },
  after("AWS secret key", "secret", /(?:secret_?access_?key|aws_?secret(?:_?key)?)[¶\s:=>,(]{1,8}/gi, /[A-Za-z0-9+/]+/y,
    (secret) => ofLength(40, 40)(secret) && !isDocumented(secret)),
  after("Slack webhook", "hooks.slack.com", /hooks\.slack\.com\/[a-z]+\//g, /[\w/-]+/y),
  after("Webhook", "/webhookb2/|hooks.zapier.com", /\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\//g, /[\w@/-]+/y),
  after("Twilio key", "ac", /[¶`]AC[0-9a-f]{32}[¶`],¬[¶`]/g, hex, ofLength(32, 32)),
  after("App password", "app", /\bapp(?:-specific)?[ _-]?pass(?:wor[dt])?[¶]?(?: is)?[ :=]{1,3}[¶]?/gi,
    /[a-z]{4}(?:[ -]?[a-z]{4}){3}(?![\w-])/y, ofLength(16)),
  // Backup codes: 4f7k-9d2m x8q1-mm41, in one line or one a line
  after("Recovery code", "recover|backup|scratch|emergency|activation|one-time|reset|2fa|mfa|wiederherstellung" +
  "|code d|codes d|digo|codic",
    pattern("gi",
    "(?:(?:recovery|backup|scratch|emergency|activation|one-time|reset|2fa|mfa)[ _-]?(?:access )?(?:codes?|keys?" +
    "|passwords|passcodes)|code d'activation",
    "|(?:2fa|mfa)[ _-]backups?|wiederherstellungs-?(?:codes?|schlüssel)",
    "|(?:codes?|c[oó]digos?|codic[ei]) d[eio] (?:r[eé]cup|secours|resp|back|emer)[a-zà-ÿ]{0,8})",
    String.raw`(?:[^\n:=]{0,60}?[:=]?${below}(?=[A-Za-z-]{0,40}\d)|[^\n:=]{0,60}[:=]${below})(?=${code})`),
    pattern("y", `${code}(?:(?: and | used)?${below}${code}){0,24}`), areCodes),
  near("otp|2fa|mfa|authenticator|two-factor|two factor|zwei-faktor|setup key|the qr|qr code|qr-code|key manually",
    alone("TOTP seed", "", pattern("g",
    String.raw`(?<![\w-])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4}`,
    "|(?=[a-z]{0,60}[2-7]{1,9}[a-z]{1,60}[2-7])[a-z2-7]{16,64}",
    String.raw`|(?:[a-z\d]{4} ){5,15}[a-z\d]{2,4})={0,6}(?![\w-])`),
    (secret, { text, start }) => ((hasDigit(secret) || /^[A-Z ]+$|^(?:[a-z]{4} ){5}/.test(secret)) &&
      new Set(secret).size >= 7)
    && nearSeed.test(text.slice(Math.max(0, start - 100), start)))),
  after("Seed phrase", "seed|mnemonic|bip39|bip-39|phrase| words|paper key|wallet|metamask|frase|助记词|助記詞|ニーモニック" +
  "|シードフレーズ|мнемо|сид|fraza", pattern("gi",
    "(?:seed|mnemonic|bip-?39|phrase|(?:12|24) words|paper key|wallet|metamask|frase|助记词|助記詞|ニーモニック",
    String.raw`|シードフレーズ|мнемо\S{0,12}|сид-?фраза|fraza)`,
    String.raw`(?:[ \t]?\([^()\n]{0,40}\))?[^\n]{0,24}?[ :="'\x60\n[(]{1,6}(?:\d{1,2}-\d{1,2}: ?)?(?=${number}(?:`,
    `[a-z]{3,8}${between}){5})`),
    pattern("y", String.raw`${number}[a-z]{3,8}(?:${between}[a-z]{3,8}){10,24}(?![\w-])`), (secret) =>
    hasDistinct(secret, 8) && !sentenceWords.test(secret.replace(/[^a-z]+/g, " "))),
  near("private|wallet|deployer|shamir|accounts|wif|schlüssel|clé|clave|chave|chiave|klucz|ключ|私钥|秘密鍵",
    alone("Wallet key",
    "", /(?<![\w])(?:0x)?[0-9a-fA-F]{64,66}(?!\w)|(?<!\w)[1-9A-HJ-NP-Za-km-z]{86,90}(?!\w)/g, (secret, { text,
      start }) => hasDigit(secret) &&
    /[a-f]/i.test(secret) && walletWord.test(text.slice(Math.max(0, start - 80), start)) &&
    !/sha-?\d|fingerprint|digest|hash|transaction|\btx\b/i.test(text.slice(Math.max(0, start - 60), start)))),
  // The shares of a Vault: 33 bytes each
  near("shares|unseal", alone("Secret", "", /(?<![\w+/-])(?:[\da-f]{66}|[A-Za-z\d+/]{44})(?![\w+/=])/g, (secret) =>
    hasDigit(secret) && ofLength(44)(secret))),
  alone("Telegram token", ":aa", /\d{8,10}:AA[\w-]+/g, ofLength(44)),
];
