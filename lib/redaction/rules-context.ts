import { hasBothCases, hasDigit, hasLetter, isHex, isPlainCase, isUuid, looksRandom } from "./appearance.ts";
import { isCode, isMadeUp, isMixedWord, isStrong, isTokenLike, looksChosen } from "./features.ts";
import { isLabelledPublic } from "./high-entropy.ts";
import { lineOf } from "./nearby.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { isInPlace } from "./refusals.ts";
import type { Accept, AcceptInContext, ContextRule, TokenRule } from "./rule.ts";
import { after, base64, behind, near, ofLength, quoted, spaced, token, unquoted, word } from "./rule.ts";
import { isOrdinary, isPasswordSaid } from "./sentences.ts";
import { bareValue } from "./values.ts";
import { pattern } from "./words.ts";

const isNoPlaceholder: Accept = (secret) => !isPlaceholder(secret);
const isRandom: Accept = (secret) => looksRandom(secret) && !isPlaceholder(secret);
/** Rejects plain words, which prose has in the same position. */
const isSecretLike: Accept = (secret) => (hasDigit(secret) || (hasBothCases(secret) && !isPlainCase(secret)) || looksChosen(secret)) && !isPlaceholder(secret);

function decoded(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}

/** Three parts, or five parts in an encrypted token. The last part of an unsigned token is empty. */
const isJsonWebToken: Accept = (secret) => /^[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]|eyJ[\w-]{7,}\.)/.test(secret);

// biome-ignore format: one rule a line
export const generalTokens: readonly TokenRule[] = [
  token("JWT", "eyJ", /[\w-]+(?:\.[\w-]+(?:\.[\w-]*(?:\.[\w-]+\.[\w-]+)?)?)?/y, 20, isJsonWebToken),
  token("Private key", "LS0tLS1CRUdJTi", base64, 40, (secret) => decoded(secret.slice(0, 80)).includes("PRIVATE KEY")),
];

/** "Basic authentication" is prose: without the header's name, accepts only an encoded `user:password`. */
const isEncodedPair: Accept = (secret) => secret.length >= 8 && /^[ -9;-~]+:[ -~]+$/.test(decoded(secret));

const isHeader: Accept = (secret) => secret.length >= 8 && (secret.length >= 12 || looksChosen(secret)) && !/:\/\/|[([]/.test(secret) && isSecretLike(secret);

/** `guest:guest@` and `postgres:postgres@` are well-known defaults; `root:secret@` is not a default. */
const isOwnPassword: AcceptInContext = (secret, { context }) =>
  context !== `://${secret}:` &&
  !/^(?:x-oauth-basic|x-access-token|api_token)$/.test(secret) &&
  (!isStandIn(secret) || ["secret", "admin", "root", "test"].includes(secret));

const secretParameter = /(?:token|secret|passw(?:or)?d|pwd|passcode|api[_-]?key|appid|sig|signature|credential|subscription-key|session_?id|bypass)=/i;
const maybeSecretParameter = /^.(?:(?!cache|sort|search|site|public|object|partition)[\w.-]{0,20}key|code|auth|sid|jwt|hmac)=/i;
const isParameter: AcceptInContext = (secret, { context }) =>
  secretParameter.test(context)
    ? (secret.length >= 6 && isSecretLike(secret)) || (/pass(?:w(?:or)?d)?=$|pwd=$/i.test(context) && isInPlace(secret))
    : secret.length >= 16 && maybeSecretParameter.test(context) && isRandom(secret);

/** Rejects the user of a DSN, which is public: the host collects errors, or the path is a number. */
const isUserToken: AcceptInContext = (secret, { text, end }) =>
  secret.length >= 16 && isRandom(secret) && !/^@[^\s/]*(?:sentry|ingest|bugsnag|glitchtip)|^@[^\s/]+\/\d+(?![\w/])/.test(text.slice(end, end + 80));

const bearer = /\b(?:bearer|GenieKey)[ \t]{1,4}[¶`]?/gi;
const bearerValue = /[\w.~+/=:%-]+/y;
const basic = /\bbasic[ \t]{1,4}[¶`]?/gi;
const basicValue = /[A-Za-z0-9+/]+={0,2}/y;

/** Headers and URLs. */
// biome-ignore format: one rule a line
export const headerAndUrlContexts: readonly ContextRule[] = [
  near("kty", after("Private key", "", /["\uE000](?:d|p|q|dp|dq|qi|k)["\uE000]¬:¬["\uE000]/g, word, ofLength(40)), 2_000),
  after("Bearer token", "bearer|geniekey", bearer, bearerValue, isHeader),
  behind(/authorization[¶]?[:=]/gi, after("Bearer token", "authorization", bearer, bearerValue, (secret) => secret.length >= 6 && isSecretLike(secret))),
  after("Basic credentials", "basic", basic, basicValue, isEncodedPair),
  behind(/authorization/gi, after("Basic credentials", "basic", basic, basicValue,
    (secret, { text, end }) => isSecretLike(secret) && text.charAt(end) !== "(")),
  behind(/authorization/gi, after("Basic credentials", "basic", /\bbasic[ \t]{1,4}[A-Za-z][\w.@-]{1,40}[ \t]{1,4}/gi, unquoted, isSecretLike)),
  after("Authorization header", "authorization", pattern("gi",
    String.raw`\bauthorization(?:[¶],\s{0,20}[¶]?value[¶]?¬[:=]¬[¶]|[¶]?\]?¬[:=,]¬[¶\x60]?|[ \t]{1,8}[¶]|[¶\x60]?[ \t]{0,40}\|¬[¶\x60]?)`,
    String.raw`(?:[a-z][\w-]{1,20}[ \t]{1,2})?(?:token=|key=)?[¶]?`), /[^\s"'`,;\\]+/y, isHeader),
  { ...after("URL password", "://", /:\/\/[^\s:@/"'<>`[]*:/g, /[^\s"'<>`/,]+/y, isOwnPassword), upTo: "@" },
  { ...after("URL password", "jdbc:oracle", /jdbc:oracle:[a-z]+:[^\s/@"':]+\//g, /[^\s"'/]+/y, isNoPlaceholder), upTo: "@" },
  after("API key", "-h|header", pattern("gi",
    String.raw`(?:-H|--header)[ =]{0,2}[¶]?(?!idem|sec-|surr|cache|x-(?:cache|idem)|if-)[\w.-]{0,40}?(?:keys?|token|secret|session|license|auth|pat)¬:¬`),
    /[^\s¶`,;]+/y, (secret) => secret.length >= 8 && (isTokenLike(secret) || isCode(secret) || (isHex(secret) && hasDigit(secret) && hasLetter(secret)))
    && isNoPlaceholder(secret)),
  { ...after("URL token", "://", /:\/\//g, /[^\s:/"'<>`[]+/y, isUserToken), upTo: "@" },
  { ...after("URL password", "@tcp(", /(?<![\w:/])\w{1,40}:/g, /[^\s"'`/]+/y, isOwnPassword), upTo: "@tcp(" },
  { ...after("URL token", "://", /:\/\//g, /[\w.~-]+:(?=(?:x-oauth-basic|x-access-token|api_token|x)?@)/y, (secret, { text, end }) =>
    (text.startsWith(":@", end) ? secret.length >= 16 && isRandom(secret) : secret.length >= 8 && isSecretLike(secret))), upTo: ":" },
  after("URL token", "", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** Words on the line of a pair of a user and a password. */
const doorWords =
  "credential|cred|ldap|basic auth|http basic|login|log in|logged in|signin|sign in|signs in|account|anmeld|einlogg|zugang|compte|konto|cuenta|identifiants" +
  "|connexion|se connecter|credenciales|credenziali|credenciais|logowania|dostępowe|доступ|вход|accès|acceso|accesso|acesso|учетн|учётн|логин|账号|帐号|ログイン" +
  "|アカウント|user/pass|username/pass";
const door = new RegExp(`${doorWords}|user(?:name)? / pass`, "i");
/** Words right before the user: "log in with anna / …", "Login: anna / …", "(anna / …)". */
const leadsToUser = pattern(
  "i",
  String.raw`(?:(?:^|[\s(])(?:with|as|mit|als|con|avec|com|using|is|still|it's|are|ist|noch|lauten|lautet|sind|son|sont|sono|são)|[:=]|(?:account`,
  String.raw`|log-?in|users?|credentials?|creds|konto|compte|cuenta|conto|conta)[ \t]?\()[ \t]{0,3}[\x60"'*]{0,2}$`,
);
/** Words that name the pair itself: between them and the user only a purpose, a verb or a colon. */
const namesPair = pattern(
  "i",
  "(?:log-?in|sign-?in|basic[ -]auth|credentials?|creds|zugangsdaten|zugang|anmeldedaten|identifiants|credenciales|credenziali|credenciais",
  String.raw`|доступ|логин|(?:user(?:name)?|login) ?\/ ?pass(?:word)?)(?: (?:for|of|to|on|für|zu|zum|zur|de|del|per|da|do)`,
  String.raw`(?: [\w.-]{1,20}){1,4})?[*_]{0,2}(?:[ \t]{0,3}[:=][*_]{0,2}|[ \t](?:is|are|ist|lauten|lautet|son|sono|sont))[ \t]{1,3}[\x60"']?$`,
);
const noUserOfPair = pattern(
  "i",
  String.raw`^(?:read|intern\w*|extern\w*|success|github|google|gitlab|sso|saml|email|user|username|yes|no|enabled|true|none|ok|oauth|password|phone`,
  "|staging|prod|production|dev|test|client|https?|src|app|lib|api|login|slow|mobile)$",
);
const noPasswordOfPair = pattern(
  "i",
  String.raw`^(?:write|read|extern\w*|intern\w*|required|optional|fail\w*|error|logout|sign-?(?:up|out)|register|google|github|gitlab|facebook|apple`,
  String.raw`|microsoft|denied|down|disabled|pass\w*|logoff|index|api|auth|login|home|callback|token|production|staging|development|editor|viewer|owner`,
  "|member|moderator|manager|customer|phone|saml|oidc|shared|personal|private|public|flaky|desktop)$",
);
const endsPair = /^`|^["'*]{0,2}(?:[.,;)]|[ \t]*(?:\n|$)| (?:[(—–-]|on |for |in |at |to |still |works|and |but |anmeld|einlogg))/i;
/** `Kibana: elastic / …`: no word needs to announce the pair. */
const knownUser = /^(?:root|admin|administrator|sa|sys|system|postgres|elastic|guest|test|demo|registry)(?:[`"'*]{0,2} \/|`\/`)/i;
const isPairOfDoor: AcceptInContext = (secret, { text, start, end, context }) => {
  const user = context.replace(/[`"'*\s/]+$/, "");
  const before = text.slice(Math.max(0, start - context.length - 140), start - context.length);
  const isSpaced = / \/{1,2} /.test(context);
  return (
    !noUserOfPair.test(user) &&
    !noPasswordOfPair.test(secret) &&
    isInPlace(secret) &&
    endsPair.test(text.slice(end, end + 12)) &&
    (namesPair.test(before) ||
      (knownUser.test(context) && isPlaceholder(secret) && !isStandIn(secret)) ||
      /\b(?:log|sign)(?:ged)?[ -]?in (?:with|as) ["'`]?$/i.test(before) ||
      ((isSpaced || /^(?:root|admin)$/.test(user)) && /^[a-z]|[@\d]/.test(user) && leadsToUser.test(before)))
  );
};
/** Anywhere on the line of a door: the password itself must look like one. */
/** In base64 a slash is part of the value. */
const isBase64 = (value: string) => /^[A-Za-z\d+/]{24,}={0,2}$/.test(value) && hasDigit(value) && hasBothCases(value);
const isMadePassword: AcceptInContext = (secret, { text, end, context }) =>
  !/[/@.:]/.test(text.charAt(end)) &&
  secret.length >= (/ \//.test(context) ? 6 : 8) &&
  (isMadeUp(secret) || (/ \//.test(context) && ((hasDigit(secret) && hasBothCases(secret)) || isCode(secret)))) &&
  !/\.[a-z]\w{0,4}$|\*\*|^ipv\d$/i.test(secret) &&
  isNoPlaceholder(secret);
const wordOfPair = /(?:[^\s/`,;.)\]¶]|\.(?=[^\s)]))+/y;
/** A plain word must be in quotes, or end its clause behind "one is". */
const isAnother: AcceptInContext = (secret, { text, start, end, context }) => {
  const quote = /[`"'\uE000-\uE003]$/.exec(context)?.[0] ?? "";
  const isSaid =
    quote !== "" || /one|c'est|:|\b(?:and|but|und|aber|y|et|e|to|is|es|ist|est|lautet)\b|[éè]/.test(context) || /^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/.test(secret);
  // The next value of a list must look like a token.
  const isOther = !/^,(?! ?(?:for |new:))/.test(context);
  return (
    isInPlace(secret) &&
    !isLabelledPublic(text, start) &&
    ((isTokenLike(secret) && (isOther || /^[\w+/=-]+$/.test(secret))) ||
      (isOther && (isMadeUp(secret) || isMixedWord(secret))) ||
      (isOther &&
        isSaid &&
        /^(?:["'`\uE000-\uE003]| ?[.,;)!]|\s*$|\s*\n| (?:and|but|because|after|since|und|et|on|for|in|at|en|em) )/.test(text.slice(end, end + 12)) &&
        isPasswordSaid(bareValue(secret, start), quote)))
  );
};
/** "secondary …", right behind a password */
const isLikeAnother: AcceptInContext = (secret, { text, start, end }) =>
  hasDigit(secret) &&
  !isHex(secret) &&
  (isMadeUp(secret) || isMixedWord(secret)) &&
  !isOrdinary(secret) &&
  !/[/@:=<>()[\]{}|\\]|\.\w{1,5}$|^[a-z]+(?:[-_.][a-z\d]+)+$|^[A-Z\d_-]+$/.test(secret) &&
  !/^[:=(/@[]/.test(text.slice(end, end + 1)) &&
  isInPlace(secret) &&
  !isLabelledPublic(text, start);
/** Rejects the placeholder of the documentation, `IDENTIFIED BY password`, and a sentence about the statement. */
const isIdentifying: AcceptInContext = (secret, { text, start, context }) =>
  secret.length >= 4 &&
  (/["'\uE000-\uE003]$/.test(context) ||
    /(?:user|role|connect to)\s{1,8}\S{1,60}\s{1,8}\S{0,8}\s{0,8}$/i.test(text.slice(Math.max(0, start - context.length - 100), start - context.length))) &&
  !/^(?:random|the|a|an|your|this|its|id|their|one|two|three|each|name|email|number|must|should|shall|will|never|needs?|clause|statement)$/i.test(secret) &&
  isNoPlaceholder(secret);
const isPaired: AcceptInContext = (secret, { text, end, context }) =>
  (secret.length >= 6 && (looksChosen(secret) || isCode(secret)) && isNoPlaceholder(secret)) ||
  (/^(?:(?:credentials?|creds|login|userpwd)\b[^=:]{0,60}[:=]|stats auth|basic[ _-]?auth|auth_basic)/i.test(context) &&
    isInPlace(secret) &&
    /^["'`]?(?:[.,;)]?(?:\s|$))/.test(text.slice(end, end + 3)));

/** Accepts text that is typed into a field whose name announces a password. */
const isTyped: AcceptInContext = (secret, { text, start }) => {
  const before = text.slice(Math.max(0, start - 160), start);
  return (
    (/passw|pwd|passcode|secret/i.test(before.slice(before.lastIndexOf("\n") + 1)) && isSecretLike(secret)) ||
    // The field that is filled in is the password itself.
    (/pass(?:w(?:or)?d|code)(?:["'`\])]{1,4}|Field|Input|Box)(?:\)?\.\w{1,12}\(|, ?)["'`]$/i.test(before) && isInPlace(secret))
  );
};

const password = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("Password", keywords, spaced(pattern), value, accept);

/** Commands, statements and files that contain a password at a known position. */
// biome-ignore format: one rule a line
export const statementContexts: readonly ContextRule[] = [
  password("identified |\uE010",
    /\bidentified (?:with \w{1,40} )?by~(?:values?~)?[¶]|(?<=\bidentified by~[¶]?\uE010[¶]?)~replace~[¶]/gi, quoted, isIdentifying),
  password("identified |password from|password to|password for",
    /\bidentified (?:with \w{1,40} )?by~(?:values?~)?[¶]?|\bpassword (?:from|to|for \S{1,60} =)~[¶]/gi, /[^\s`;¶]+/y, isIdentifying),
  password("credential|creds|login|auth|userpwd|user.info", pattern("gi",
    String.raw`(?<![a-z])(?:credentials?|creds|login|stats auth|basic[ _-]?auth|auth_basic|auth|userpwd|addauth digest|user\.info)[¶]?(?: (?:for|of|to|on`,
    String.raw`|are|is)(?: [\w.-]{1,24}){0,4})?¬(?::?=|[:,]|[=-]>|[ \t])¬[\x60¶]?[\w.@+-]{1,40}:(?![/:])`), /[^\s`,;¶]+/y, isPaired),
  after("API key",
    "key for|key to|key of|key (|the key|session id|r key|y key|live key|prod key|test key|staging key|new key|fresh key|old key|current key",
    pattern("gi", String.raw`\b(?:(?:use|using|with) the key|session id|(?:our|your|my|their|live|prod|test|staging|new|fresh|old|current) key(?: is`,
    String.raw`| was)?)[ :=]{1,3}[\x60¶]?|(?<!(?:primary|foreign|cache|public|partition|sort|idempotency|unique|ssh|site|host) )\bkey (?:(?:for|to|of)(?: `,
    String.raw`(?!(?:cache|record|row|entry|lock|item|object|message|event|order|user|this|each|every)\b)[\w.-]{1,24}){1,5}?|\([^()\n]{0,40}(?:hex|AES|b`,
    String.raw`(?:ase)?64|secret|private|test|live|prod|staging|dev|sandbox)[^()\n]{0,20}\)) ?(?::|=|is\b|was\b) ?["'\x60]?`), /[\w+/=-]+/y, (secret) =>
    (isTokenLike(secret) || isUuid(secret)) && isNoPlaceholder(secret)),
  password("btoa|b64|base64|encode64",
    /(?:btoa|b64_?encode|base64_?encode\w{0,9}|encode64|Base64\.\w{1,16})\((?:\[\]byte\()?b?[¶`][A-Za-z][\w.@+-]{0,39}:(?!\/)/gi, quoted, isInPlace),
  after("Secret", "securestring", /SecureString[¶]?,?\s{1,12}(?:--)?[¶]?value[¶]?[ \t]{0,8}[:=]?[ \t]{0,8}[¶]?/gi, /[^\s`,;¶]+/y, isInPlace),
  password("{plain}|{cleartext}|{clear}|{noop}", /\{(?:PLAIN|CLEARTEXT|CLEAR|NOOP)\}/gi, /[^\s"':]+/y, isNoPlaceholder),
  password("securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[¶]/gi, quoted, isNoPlaceholder),
  behind(/NetworkCredential\(|(?:\b|_)auth ?[=:] ?[([]|BasicAuth\(/g, password("networkcredential|auth", /[¶],¬[¶]/g, quoted, (secret, { text, start
    }) => isSecretLike(secret) || (isInPlace(secret) &&
    /(?:(?:\b|_)auth ?[=:] ?[([]|Auth\(|Credential\()\s{0,4}["'][^"'\n]{0,60}["'],\s{0,4}["']$/.test(text.slice(Math.max(0, start - 90), start))))),
  // log in with bob / …, creds: bob/…, (bob // …)
  near(`${doorWords}|@| / |\`/\``,
    password("", /(?<![\w/.@:+-])[A-Za-z][\w.@+-]{1,39}[`"'*]{0,2}(?: \/{1,2} |\/|(?<=\([\w.@+-]{2,40}), (?=\S{1,40}\)))[`"'*]{0,2}/g, wordOfPair,
    (secret, found) => (door.test(lineOf(found.text, found.start, found.end)) || /\w@[\w-]{1,40}\./.test(found.context) || knownUser.test(found.context) ||
    (secret.length >= 16 && found.context.includes(" / ") && isCode(secret) && hasBothCases(secret))) && !isBase64(found.context + secret) &&
    (isMadePassword(secret, found) || isPairOfDoor(secret, found)))),
  // ("anna@example.com", "…") near a word for a password
  near("@|account|login|cred|users|passw", password("", /[([{]¬[¶][\w.+@-]{2,80}[¶],¬[¶]/g, quoted, (secret, { text, start, end, context }) =>
    isInPlace(secret) && !/[=/:]/.test(secret) && (context.includes("@") ? /passw|login|creds|credential/i.test(text.slice(Math.max(0, start - 200), end +
    200)) : (isMadeUp(secret) || isMixedWord(secret)) && /account|login|creds|credential|passw|users/i.test(text.slice(Math.max(0, start - 200), start))))),
  // log in as bob with …, login `bob` with …, `bob@host` with …
  password(" with | using | mit | avec | con ", pattern("gi",
    String.raw`(?:\b(?:in as|login|user|account|konto|compte)[ \t:]{1,2}[\x60¶]?[\w.@+-]{2,40}[\x60¶]?|[\x60¶](?:sa|root|admin|postgres)[\x60¶]|\bas~`,
    String.raw`(?:\x60[\w.@+-]{2,40}\x60|[a-z]{2,20}[._@][\w.@+-]{1,40})|\x60[\w.@+-]{2,40}\x60`,
    String.raw`|\buse[sd]?~(?:[\x60¶][\w.@+-]{2,40}[\x60¶]|[a-z]{2,20}[_@.][\w.@+-]{1,40})|`,
    String.raw`(?<![\w.+-])[\w.+-]{1,40}@[\w.-]{3,40}[\x60¶]?) (?:with|using|mit|avec|con) [\x60¶]?`), wordOfPair, (secret, found) =>
    ((found.context.startsWith("`") ? isStrong(secret) : isMadeUp(secret) || isMixedWord(secret)) || (/^(?:[A-Z][a-z]{2,}){2,4}$/.test(secret) &&
    /passw/i.test(lineOf(found.text, found.start, found.end)))) && isInPlace(secret) && !/^\*|[/\\]|\.\w{1,5}$/.test(secret)),
  // Behind a password: the Nexus one is …, the one for the router is …, FTP is still …, `bob` with …
  behind(/\uE010/g, password("\uE010", pattern("gi",
    String.raw`(?:\bone(?: (?:of|for|on|from|in)(?: [\w.'-]{1,20}){1,4}?)?(?:,| is(?: now| still)?| was| uses| has|:)|\b(?:is|it's|ist) (?:still|now|noch`,
    String.raw`|jetzt)|\bc'est|[\x60¶] (?:with|it's|is)|(?:[;,]|\b(?:and|und|y|et|e)) (?:for|of|für|de|pour|para)(?: [\w-]{1,24}){1,4}:|`,
    String.raw`(?<=\uE010[\x60¶]{0,2}) (?:on|for|in|at|auf|für|en|em|para)(?: [\w.-]{1,24}){1,4},? (?:and|but|und|aber|y|et|e)|\b(?:are|is`,
    String.raw`|with)~[\w.-]{2,24}:|[\x60¶]~\/|\b(?:the one|that|l[ae]|el|d[aie][ers]|[ao]|cel(?:ui|le)|quell[ao]) (?:dell'[\w.-]{1,20}|for|of|on|del?|della`,
    String.raw`|du|des|di|von|vom|für|do|da)(?: [\w.'-]{1,20}){0,4}? (?:is|est|es|é|è|ist|lautet)(?= )|\b(?:and|und|y|et|e) (?:the one|l[ae]|d[aie][es]) `,
    String.raw`(?:for|of|on|de|von|für|do|da|du)(?: [\w.-]{1,20}){1,3}|\b(?:the|das|l[ae]|el|il|[ao]) (?:old|new|other|previous|current|second|alte|neue`,
    "|andere|ancien(?:ne)?|nouve(?:au|lle)|vieja|nueva|otra|antigua|vecchia|nuova|velha|nova)(?: one)? (?:is|was|ist|war|est|était|es|era|é|è)",
    String.raw`(?= )|, new:|\n[ \t*•-]{0,6}[A-Z][\w .()-]{1,30}: ?[\x60¶]?[\w.@+-]{2,40}[\x60¶]? \/|(?<=\uE010[\x60¶]{0,2})(?:,(?:¬[\w-]{1,16}[:=])?`,
    String.raw`(?=¬[\x60¶]?[\w+/=-]{12})|~(?:to|auf|naar|→)(?![\w-])))¬[\x60¶]?`), wordOfPair, isAnother)),
  // Right behind a password: "X and Y", "X, Y", "X / Y"
  password("\uE010", /(?<=\uE010[`¶]{0,2}(?:[,;]| and| or| und| oder| y| et| ou| e| then| \/| \+) (?:[a-z]{2,12} )?[`¶]?)(?=[^\s/@]{7})/g,
    wordOfPair, isLikeAnother),
  after("Secret", "define(", /define\(¬[¶][A-Z_]{3,24}_(?:KEY|SALT)[¶],\s{1,12}[¶]/g, quoted, (secret) => secret.length >= 32 && isNoPlaceholder(secret)),
  // A command that prints a secret, and its output
  after("Secret", "get secret|initial-password|secret-value|gcloud secrets|terraform output|openssl rand|vault |op read|pass show|pwgen", pattern("g",
    String.raw`(?:^|\n)[ \t$>#]{0,4}(?:kubectl get secret|argocd admin initial-password|aws secretsmanager get-secret-value|gcloud secrets`,
    String.raw`|terraform output|openssl rand|vault (?:kv get|read)|op read|pass show|pwgen)[^\n]{0,160}\n[ \t>]{0,4}`), /[^\s"'`]+/y, (secret, { text, end
    }) => isTokenLike(secret) && isNoPlaceholder(secret) && /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 3))),
  // NEO4J_AUTH=neo4j/…, BASIC_AUTH=bob:…
  password("_auth|bundle_|bundle config", pattern("g",
    String.raw`(?:\bbundle config (?:set )?(?:--\w{1,10} )?[\w.-]{3,60} |\b(?:[A-Z][A-Z0-9_]{0,40}_AUTH|BUNDLE_[A-Z0-9_]{3,60})["']?¬[=:]¬["']?)(?!`,
    String.raw`(?:oauth2?|basic|jwt|none|https?|path|file)[:/])[\w.@+-]{1,40}[:/](?!\/)`), /[^\s`,;)¶]+/y, isInPlace),
  password("keys(|type(|fill(|text(|setvalue(|keyboard(", pattern("gi",
    String.raw`\b(?:send_?keys|type|fill|setText|setValue`,
    String.raw`|enterText|type_text|replaceText|keyboard)\((?:(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|\x60[^\x60\n]{0,80}\x60`,
    String.raw`|[\w.]{1,40}\([^()\n]{0,60}\)),[ ]?)?["'\x60]`), /(?:(?!\{[A-Za-z]+\}["'`])[^"'`\n])+/y, isTyped),
  password(":54|:6432|:*|]:", /(?::(?:54\d\d|6432|\*):[\w.*-]+:[\w.*-]+|\]:\d{2,5}[ \t]{1,8}[\w.@+-]{1,40}):(?!\/)/g, unquoted, isNoPlaceholder),
  // bob:…@host
  { ...after("URL password", "@", /(?<![\w/:.@%-])[\w.-]{1,32}:(?!\/)/g, /[^\s"'<>`,:/]+/y, (secret, { text, end, context }) => looksChosen(secret) &&
    !secret.includes("@") && !/(?:mail(?:to)?|to|from|cc|by):$/i.test(context) && /^@(?!sha\d)[\w.-]/.test(text.slice(end, end + 6)) &&
    isNoPlaceholder(secret)), upTo: "@" },
  // setValue("…", forHTTPHeaderField: "X-API-Key")
  password("forhttpheaderfield",
    /\b(?:set|add)Value\([¶](?=[^"'\n\uE000]{6,200}[¶], ?forHTTPHeaderField: ?[¶][\w-]{0,40}(?:key|token|secret|auth\w{0,10})[¶])/gi, quoted, isSecretLike),
];
