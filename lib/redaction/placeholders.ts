import { hasDigit, isPlainCase } from "./appearance.ts";
import { memoize } from "./memoize.ts";
import { type Accept, hasDistinct } from "./rule.ts";
import { marker } from "./view.ts";
import { pattern, setOf } from "./words.ts";

/** A value that is only a placeholder or a reference stays. A value that merely contains one does not. */

/** A value made only of these words and the `subjects` is not a credential. */
const standIns =
  setOf(`please kindly your my the our example sample dummy fake mock placeholder change changeme changeit replace
replaceme redacted hidden masked removed omitted todo tbd fixme insert enter put paste fill add here too none null nil
undefined empty unset foo bar baz foobar qux xxx yyy zzz me this that with your_ some any real actual own goes in to
be it not set from see vault production development deployment before à remplacer changer ici votre ersetzen ändern
hier ihr reemplazar cambiar aquí sostituire substituir alterar zmień wijzigen 1password bitwarden keepass keepassxc
lastpass getenv printenv`);
const subjects =
  setOf(`bit test tests testing secret secrets password passwd passwort pass pwd pw passphrase token tokens key keys
api access client user users username name string str text false true value values required optional bearer basic
admin root guest default db database app application service account login auth authentication credential credentials
id env environment variable var config prod dev staging local localhost of for a an is and or new old current git
github gitlab docker aws server host private public hash hashed encrypted number boolean bool int any object type
field input label long random at least characters chars bytes strong secure unique generate generated`);
const counting = /^(?:0*1?2?3?4?5?6?7?8?9?0?|x+|\*+|16|32|64|128|256)$/;

const isCounting = (word: string) => "0123456789x".includes(word.charAt(0)) && counting.test(word);
export const listedWords = standIns.union(subjects);

/** Splits `yourToken-here` into `your`, `Token` and `here`. */
const wordPattern = /[A-Z\d]*[a-z]+|[A-Z\d]+/g;
const anyWordPattern = /[\p{Lu}\d]*[^\P{L}\p{Lu}]+|[\p{Lu}\d]+/gu;
/** Returns undefined at the first word that is in no list, which for most values is the first word. */
function placeholderWords(value: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /^[\0-\x7f]*$/.test(value) ? wordPattern : anyWordPattern;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(value); match; match = pattern.exec(value)) {
    const word = match[0].toLowerCase();
    if (!listedWords.has(word) && !isCounting(word)) return undefined;
    words.push(word);
  }
  return words;
}

/** Replaces digits and signs with the letters that they look like: `P@ssw0rd` becomes `Password`. */
const unleeted = (value: string) =>
  value.replace(/[0134579@$]/g, (sign) => "oieastgas".charAt("0134579@$".indexOf(sign)));

/** `P@ssw0rd`, `Admin123`: bad passwords, and placeholders outside of the places that hold only passwords. */
const isBadPassword = (value: string) =>
  value.length <= 24 &&
  /^[mypstcae$@\d]/i.test(value) &&
  /^(?:my|your)?(?:password|passwd|secret|token|changeme|admin|test|example|sample)$/i.test(
    unleeted(value.replace(/(?:\d{1,3}|[!.?])$/, "")),
  );

function isMadeOfListedWords(value: string): boolean {
  const words = value.length > 64 ? [] : (placeholderWords(value) ?? []);
  const isStandIn = words.some((word) => standIns.has(word));
  return (
    words.length > 0 &&
    words.every((word) => listedWords.has(word) || (isStandIn && words.length > 1 && counting.test(word)))
  );
}

/**
 * `$TOKEN`, `${TOKEN}`, `$(cmd)`, `{{ x }}`, `<TOKEN>`, `%TOKEN%`, `%env(x)%`, `%(x)s`, `:x`, `@x@`, `!Ref x`,
 * `#{x}`, `#{x}#`, `{x!r}`, `{quote(x)}`, `vault:…`.
 */
export const references = [
  /^[$#%]\{[^{}]*\}#?$/,
  /^:?\?[A-Za-z ]+\}?$/,
  /^[$#%]?\{\{(?!(?=\S*\d)(?![A-Za-z_]+\d{0,2}\})[^\s.|{}]{8,}\}\}$).*$/,
  /^\$\(.*$/,
  /^\(?\$\{.*\}\)?$/,
  /^\$\{\w[\w.]*(?:\[|:?[-?]|$)/,
  /^<[^<>]*>$/,
  /^%(?:[\w.]+%(?:\/[\w./-]*)?|\w+\([\w.]*\)?%?|\(\w+\)s)$/,
  /^@(?:[a-z_]+@?|[A-Z_]+@?|[\w./~-]*\.[a-z]{2,5}|\/[\w./-]+|[\w.-]+@)$/,
  pattern(
    "",
    String.raw`^(?:@Microsoft\.KeyVault|[\w-]+=keyvaultref:|projects/[\w-]+/secrets/|\$ANSIBLE_VAULT|#/`,
    "|/(?:run|var|etc|usr|home|opt|mnt)/)",
  ),
  /^(?:<%|\(\(|%\{|@@|\$\[|\[\[|\{cipher\}|encrypted:|ENC\[|v1:[\w+/]{16}:|__\w+__$|\$env:\w+$)/i,
  /^[a-z][a-z+.-]{1,20}:\/\/[^@]*$/,
  // Rules of a form: `required|min:12|confirmed`.
  /^(?:required|nullable|sometimes|string|confirmed|bail|same:\w+)(?:\|[a-z_]{2,20}(?::[\w,.]{1,20})?){0,8}$/,
  // A command that reads the value: `pass show work/ldap`.
  /^(?:pass|vault|op|aws|gcloud|az|kubectl|cat|security|sops|bw|lpass|gopass|openssl|head|jq|secret-tool) [a-z./~-]/,
  // A key of the keyboard, a fingerprint.
  /^(?:(?:alt|ctrl|cmd|shift|strg)\+|(?:sha\d+|md5):)/i,
  /^!(?:(?:[A-Z][a-z]+|![a-z]+)$|(?:Ref|Sub|GetAtt|ImportValue|secret|vault|env|ENV|Join|FindInMap)\b)/,
  /^[:&*](?:[a-z_]+|[A-Z_]+)$/,
  /^&?\[[\w .-]*\]$/,
  /^@?(?:vault|secret|op|enc|kms|ref(?:\+\w+)?|aws-?sm|ssm|gcp-?sm|keyvault|awssm|env|file|sops|doppler|bws):[\w/.#-]/i,
  /^(?:ENC|vault|env|secret|lookup|getenv|secrets?\.)[[(.]/i,
  /^(?:process|import\.meta|Deno|Bun)\.env\b|^os\.(?:environ|getenv)\b|^System\.getenv\b/,
];
/** `$dbPassword` names a variable; `$ummer2024!` does not. */
const isVariable = (value: string) =>
  /^\$[A-Za-z_]\w*$/.test(value) &&
  (/^\$[A-Z_][A-Z0-9_]*(?:_[a-z]+)*$/.test(value) || (!hasDigit(value) && isPlainCase(value.slice(1))));
/** `secret/data/db`, `secret/$env/db`. Random text with a slash has a capital and a digit. */
const isPath = (value: string) =>
  /^[a-z][\w-]*(?:\/[$a-z{][\w.${}-]*){1,6}(?:#[\w.-]+|:\d+)?$/.test(value) &&
  !(hasDigit(value) && /[A-Z]/.test(value));
export const isReference = (value: string): boolean =>
  !/^[A-Za-z0-9]*$/.test(value) &&
  (isVariable(value) || isPath(value) || references.some((reference) => reference.test(value)));

/**
 * Filler in place of the real characters: `xxxxxxxx`, `****`, `sk-...abcd`. It makes up at least a third of the
 * value, or it is `...` after a short start: `sk_live_...`.
 */
const fillers = /x{3,}|X{3,}|\*{3,}|\.{3,}|…+|•{2,}|0{6,}|#{4,}|_{4,}|-{4,}|\?{3,}/g;
const mayBeFilled = /x{3}|X{3}|\*{3}|\.{3}|…|••|0{6}|#{4}|_{4}|-{4}|\?{3}/;
function isFilled(value: string): boolean {
  if (!mayBeFilled.test(value)) return false;
  if (/^[\w-]{0,12}(?:\.{3}|…)$|^[a-z_-]{2,16}[_-](?:x{3,}|X{3,}|\*{3,})$/.test(value)) return true;
  let filled = 0;
  for (const [run] of value.matchAll(fillers)) filled += run.startsWith("…") ? 3 * run.length : run.length;
  return filled > 0 && filled * 3 >= value.length;
}

/** `0123456789abcdef`, `aBcDeFgH`: no random generator produces such a sequence. */
function isSequence(value: string): boolean {
  const lowerCase = value.toLowerCase();
  let steps = 0;
  for (let index = 1; index < value.length; index++) {
    const step = lowerCase.charCodeAt(index) - lowerCase.charCodeAt(index - 1);
    if (step === 1 || step === 0) steps++;
  }
  return value.length >= 8 && steps >= 0.75 * (value.length - 1);
}

const wellKnown = pattern(
  "i",
  "^(?:(?:0x)?(?:deadbeef|cafebabe|feedface|0{4}|1{4})+|[01-]+|correct.?horse.?battery(?:.?staple)?|battery.?staple" +
    "|hunter2?|letmein|qwerty",
  "(?:uiop|123)?|tr0ub4dor(?:&3)?)$",
);
/** Values that people often use as examples. A longer value that contains one may be a real password. */
const isWellKnown = (value: string) => wellKnown.test(value);

/** Examples in the documentation of AWS: an access key id, a secret key. */
export const isDocumented = (value: string) =>
  /^A[A-Z]{3}[A-Z0-9]{9}EXAMPLE$|^[\w+/]{30}EXAMPLEKEY$/.test(value);

const hashForm = pattern(
  "i",
  String.raw`^(?:Ag(?:[A-D][\w+/]{40}|[\w+/]{120})|AQ[EI]CA[GH][\w+/]{40}|wcFMA[\w+/]{40}|\$(?:2[abxy]|argon2\w*`,
  String.raw`|pbkdf2\w*|scrypt|[156y]|apr1)\$`,
  String.raw`|pbkdf2_\w+\$|\{(?:SSHA|SHA|MD5|CRYPT|BCRYPT)\d*\}|scrypt:|argon2)`,
);
/** `$2b$12$…`, `{SSHA}…`, `AgBH…` of a SealedSecret: a hash or a cipher of a password is not a password. */
export const isPasswordHash = (value: string): boolean => hashForm.test(value);

/** Whether a value is wholly a stand-in or a reference, in any place. */
export const isStandIn: Accept = memoize(
  (value) =>
    value.length < 4 ||
    !hasDistinct(value, 3) ||
    value.includes(marker) ||
    isReference(value) ||
    isFilled(value) ||
    (isSequence(value) && !/^\d{1,12}$/.test(value)) ||
    isDocumented(value) ||
    // The bytes of a test vector.
    /^(?:0x)?(?:00)?0102030405/.test(value) ||
    isPasswordHash(value) ||
    isMadeOfListedWords(value),
);

/** Whether a value only takes the place of a credential. Such a value stays, so examples stay readable. */
export const isPlaceholder: Accept = memoize(
  (value) => isStandIn(value) || isSequence(value) || isWellKnown(value) || isBadPassword(value),
);
