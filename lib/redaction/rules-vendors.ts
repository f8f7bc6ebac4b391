import { hasBothCases, hasDigit, isHex, looksRandom } from "./appearance.ts";
import { isScrambled } from "./features.ts";
import { isDocumented, isPlaceholder } from "./placeholders.ts";
import {
  type Accept,
  after,
  alone,
  alphanumeric,
  base64,
  behind,
  type ContextRule,
  hex,
  ofLength,
  type ShapeRule,
  shape,
  type TokenRule,
  token,
  word,
} from "./rule.ts";

/** Rules that the vendors' table cannot express: structured tokens, forms without a prefix, webhooks. */

// biome-ignore format: one rule a line
export const formTokens: readonly TokenRule[] = [
  token("Service API key", "cr-", hex, 40),
  token("K3s token", "K10", /[0-9a-f]{64}(?:::[\w:.-]+)?/y, 64),
  token("Rancher token", "token-", /[a-z0-9]+(?::[a-z0-9]+)?/y, 50, (secret) => secret.includes(":")),
  token("Authress key", "sc_", /[\w+=-]+(?:\.[\w+=-]+)*/y, 70, (secret) => secret.includes(".acc")),
  token("Firebase server key", "AAAA", /[\w-]+(?::[\w-]+)?/y, 100, (secret) => secret.includes(":APA91b")),
  token("Fly.io token", "FlyV1 fm2_|FlyV1 fm1r_|FlyV1 fm1a_", /[\w+/=,-]+/y, 40),
  token("1Password key", "A3-", /[A-Z0-9-]+/y, 31),
  token("Databricks token", "dapi", /[0-9a-f]+(?:-\d)?/y, 32),
  token("crates.io token", "cio", alphanumeric, 32, (secret) => secret.length === 35 && hasDigit(secret) && hasBothCases(secret)),
  token("ClickUp token", "pk_", /\d+(?:_[A-Z0-9]+)?/y, 38, hasDigit),
  token("Braintree token", "access_token$", /[\w$]+/y, 50),
  token("Adyen key", "AQE", /[\w+/=-]+(?:\.[\w+/=-]+)*/y, 60, looksRandom),
  token("OpenAI key", "sk-", word, 40, (secret) => secret.includes("T3BlbkFJ")),
  token("Airtable token", "pat", /[A-Za-z0-9]+(?:\.[0-9a-f]+)?/y, 78),
  token("Asana token", "1/|2/", /[\d/]+(?::[0-9a-f]+)?/y, 45, (secret) => secret.includes(":")),
  token("DataStax token", "AstraCS:", /[\w-]+(?::[0-9a-f]+)?/y, 80),
  token("YouTrack token", "perm:|perm-", /[\w=-]+(?:\.[\w=-]+){0,2}/y, 24, (secret) => secret.split(".").length === 3 && looksRandom(secret)),
  token("Password hash", "$apr1$", /[\w./]{1,8}(?:\$[\w./]+)?/y, 24),
  token("Salesforce token", "00D", /[A-Za-z0-9]+(?:![\w.]+)?/y, 60, (secret) => secret.includes("!")),
];

/** `acme_live_…`: a key of any vendor. A hex value after `prod-` may be the digest of a build instead. */
const isMadeLikeVendors: Accept = (secret) => {
  const body = secret.replace(/^.*[_-]/, "");
  if (/^(?:pk|pub|public|publishable|anon|site|client)[_-]/.test(secret)) return false;
  return (
    hasDigit(body) &&
    looksRandom(body) &&
    !isPlaceholder(secret) &&
    (!isHex(body) || /(?:secret|sk|pat|token|apikey|priv)[_-]/.test(secret))
  );
};

// biome-ignore format: one rule a line
export const formShapes: readonly ShapeRule[] = [
  shape("Azure client secret", /^[\w.~-]{3}\dQ~/),
  shape("Azure DevOps token", /AZDO[A-Za-z0-9]{4}$/, (secret) => secret.length === 84),
  shape("Azure service key", /JQQJ99[A-Za-z0-9]{20,40}$/, (secret) => secret.length >= 80),
  shape("Terraform token", /^[A-Za-z0-9]+\.atlasv1\.[\w=-]+$/),
  shape("Discord token", /^[MNO][\w-]+\.[\w-]{6}\.[\w-]+$/, (secret) => secret.length >= 55 && looksRandom(secret)),
  shape("Mailgun key", /^[0-9a-f]+-[0-9a-f]{8}-[0-9a-f]{8}$/, (secret) => secret.length === 50),
  shape("Mailchimp key", /^[0-9a-f]{32}-us\d\d?$/),
  shape("New Relic key", /^(?:eu01xx)?[0-9a-f]+NRAL$/, (secret) => secret.length === 40),
  shape("MaxMind key", /^\w+_mmk$/, (secret) => secret.length >= 38 && looksRandom(secret)),
  shape("RapidAPI key", /^[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5,6}jsn[0-9a-f]{12}$/),
  shape("Licence key", /^[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}$/, (secret) => hasDigit(secret) && !isPlaceholder(secret)),
  shape("Wallet key", /^[5KL][1-9A-HJ-NP-Za-km-z]{50,51}$/, (secret) => hasDigit(secret) && hasBothCases(secret)),
  shape("API key", /^(?:[a-z][a-z0-9]{1,14}[_-]){0,2}(?:live|test|prod|production|sandbox|secret|sk|pat|token|apikey|svc|priv)(?:[_-][a-z0-9]{2,10})?[_-][A-Za-z0-9]{20,80}$/, isMadeLikeVendors),
  shape("Recovery code", /^\d{6}(?:-\d{6}){7}$/),
  shape("UptimeRobot key", /^(?:ur|[um]\d{5,12}-)[0-9a-f]{24,}$/),
  shape("eBay secret", /^(?:PRD|SBX)-[0-9a-f]{12}(?:-[0-9a-f]{4}){4}$/),
  shape("Zoho token", /^1000\.[0-9a-f]{32}\.[0-9a-f]{32}$/),
];

// biome-ignore format: one rule a line
export const formContexts: readonly ContextRule[] = [
  after("AWS secret key", "secret", /(?:secret_?access_?key|aws_?secret(?:_?key)?)[¶\s:=>,(]{1,8}/gi, /[A-Za-z0-9+/]+/y, (secret) => ofLength(40, 40)(secret) && !isDocumented(secret)),
  // AKIA… / …, also on the next line
  after("AWS secret key", "akia|asia", /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])[^\n]{0,48}?(?:\n[^\n]{0,48}?)?(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))/g, /[A-Za-z0-9+/]+/y, (secret) => hasBothCases(secret) && !isHex(secret) && ofLength(40, 40)(secret)),
  // "github-oauth": { "github.com": "…" }
  after("Token", "oauth|bearer|token", /(?:oauth\d?|bearer|tokens?)[¶]¬(?::|=>)\s{0,8}[{[]\s{0,20}(?:[¶][\w.-]{1,60}[¶]¬(?::|=>)¬[¶][^¶\n]{1,120}[¶],\s{0,20}){0,3}[¶](?:[\w-]{1,40}\.){1,4}[a-z]{2,12}(?::\d{1,5})?[¶]¬(?::|=>)¬[¶]/gi, /[^\s¶]+/y, (secret) => secret.length >= 8 && (hasDigit(secret) || isScrambled(secret)) && !isPlaceholder(secret)),
  after("AWS signature", "signature=", /\bsignature=/gi, hex, ofLength(64)),
  after("Azure storage key", "key", /(?:account|storage)_?key[¶\s:=]{1,6}/gi, base64, (secret) => secret.length === 88 && secret.endsWith("==")),
  alone("Azure service key", "acdb|aaca|+as|+aeh|aiot|azca|azfu|apim|azse|acr|aba", /(?<![\w+/-])[\w+/-]{30,80}(?:AzSe|AzFu|ACDb|AACA|AzCa|AIoT|APIM|ACR[A-D]|ABa[A-D]|\+A(?:St|Sb|Eh))[\w+/-]{4,8}={0,2}(?![\w+/=-])/g, (secret) => looksRandom(secret)),
  after("Azure shared access key", "sharedaccesskey=", /sharedaccesskey=/gi, base64),
  after("Azure SAS", "sig=", /[?&;]sig=/gi, base64, ofLength(30)),
  after("Vault unseal key", "unseal key", /unseal key(?: \d\d?)?: /gi, base64, ofLength(40)),
  after("npmrc credential", "_auth|:_password", /(?::_authToken|:_password|\b_auth)¬=¬"?/g, /[\w+/=%|.-]+/y, ofLength(8)),
  after("Docker credential", "auth", /["\uE000]auth["\uE000]¬:¬["\uE000]/g, base64, ofLength(16)),
  after("Slack webhook", "hooks.slack.com", /hooks\.slack\.com\/[a-z]+\//g, /[\w/-]+/y),
  after("Discord webhook", "/api/webhooks/", /\/api\/webhooks\/\d+\//g, word),
  after("Teams webhook", "/webhookb2/", /\/webhookb2\//g, /[\w@/-]+/y),
  after("Sumo Logic collector", "sumologic.com/", /sumologic\.com\/receiver\/v1\/http\//g, base64),
  alone("DeepL key", ":fx", /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx(?!\w)/g, ofLength(39)),
  after("Zapier webhook", "hooks.zapier.com", /hooks\.zapier\.com\/hooks\/catch\//g, /\d+\/\w+/y),
  alone("Telegram token", ":aa", /\d{8,10}:AA[\w-]+/g, ofLength(44)),
  alone("Ghost key", "", /(?<!\w)[0-9a-f]{24}:[0-9a-f]{64}(?!\w)/g, ofLength(89)),
  alone("Rails master key", "master.key|credentials/", /(?<![\w-])[0-9a-f]{32}(?=["']?¬(?:>|\|¬tee)¬[\w./-]{0,60}(?:master|credentials\/\w{1,30})\.key)/g, ofLength(32)),
  behind(/token|bootstrap|kubeadm/gi, alone("Kubernetes token", "token|bootstrap|kubeadm", /(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.])/g, (secret) => hasDigit(secret.slice(7)) && ofLength(23)(secret))),
  alone("fal key", "fal", /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}(?!\w)/g, ofLength(69)),
  alone("Facebook app token", "", /(?<!\w)\d{15,16}\|[\w-]{27}(?![\w-])/g, ofLength(43)),
  alone("Oculus token", "oc|", /(?<!\w)OC\|\d{10,20}\|[\w-]{20,}/g, ofLength(34)),
  alone("Mapillary token", "mly|", /(?<!\w)MLY\|\d{10,20}\|[0-9a-f]{32}/g, ofLength(40)),
  alone("Tableau token", "==:", /(?<![\w+/])[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?!\w)/g, ofLength(57)),
  alone("Ably key", "", /(?<![\w.-])[\w-]{5,7}\.[\w-]{6}:[\w-]{16,43}(?![\w-])/g, (secret) => secret.length >= 29 && looksRandom(secret.slice(secret.indexOf(":")))),
  alone("Apollo key", "service:|user:", /(?<![\w:])(?:service|user):[\w.-]{3,60}:[\w-]{20,}/g, (secret) => looksRandom(secret.slice(secret.lastIndexOf(":"))) || isScrambled(secret.slice(secret.lastIndexOf(":") + 1))),
  alone("Unleash token", "prod.|production.|development.|dev.|staging.|test.", /(?<![\w:.-])(?:[\w-]{1,40}|\*|\[\]):[\w-]{1,30}\.[0-9a-f]{56}(?!\w)/g, ofLength(58)),
  alone("Bitwarden token", "0.", /(?<![\w.])0\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}={0,2}/g, ofLength(80)),
  // WordPress: six groups of four characters.
  alone("App password", "", /(?<![\w-])[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}(?![\w-])/g, (secret) => hasBothCases(secret) && secret.split(" ").filter((group) => !/^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/.test(group)).length >= 3),
  // SpeechConfig(subscription="…"): a key. The id of a subscription has hyphens.
  after("Azure service key", "subscription", /\bsubscription[¶]?¬[:=]¬[¶]/gi, hex, ofLength(32, 32)),
  alone("Sidekiq credentials", "contribsys", /(?<!\w)[0-9a-f]{8}:[0-9a-f]{8}(?=@\w{1,20}\.contribsys)/g, ofLength(17)),
  after("Kaggle key", "username", /["\uE000]username["\uE000]\s{0,4}:\s{0,4}["\uE000][\w.-]{1,40}["\uE000]\s{0,4},\s{0,8}["\uE000]key["\uE000]\s{0,4}:\s{0,4}["\uE000]/g, hex, ofLength(32)),
  after("Vercel deploy hook", "integrations/deploy/", /integrations\/deploy\/\w+\//g, word, (secret) => secret.length >= 8),
  alone("Convex key", "prod:|dev:|preview:", /(?<!\w)(?:prod|dev|preview):[\w:-]{3,60}\|[\w+/=-]{30,}/g, ofLength(40)),
  after("Twilio key", "twilio", /[¶`]AC\w*[¶`],¬[¶`]/g, hex, ofLength(32, 32)),
  after("RSA key value", "<d>|<p>|inverseq", /<(?:D|P|Q|DP|DQ|InverseQ)>\s{0,8}/g, /[A-Za-z0-9+/=\s]+/y, (secret) => secret.length >= 40 && hasDigit(secret)),
];
