/** What a name claims its value to be: anything a person may choose, something random, or perhaps something random. */
export type Claim = "password" | "passphrase" | "secret" | "token" | "api_key" | "likely" | "maybe";

const setOf = (spaced: string) => new Set(spaced.split(" "));

const passwordEndings = "password passwd passwort passcode kennwort pwd pass".split(" ");
const passwordWords = setOf("pw bindpw psk pepper");
const noPasswordWords = setOf("bypass compass encompass surpass trespass");
const keyOwners = setOf(
  "api access private encryption signing master hmac license account subscription app auth shared storage service admin deploy client consumer webhook",
);
const publicKeyOwners = setOf(
  "public cache primary partition sort foreign idempotency restore object query translation hash dedupe content digest lookup asset file row item index group state map socket",
);
const likelyWords = setOf(
  "cred creds credential credentials auth pat session sessionid phpsessid jsessionid sessid",
);
/** `DB_PASSWORD_PROD` is a password all the same; `password_hash` and `token_url` are none. */
const environments = setOf(
  "prod production staging stage dev development ci live old new private base value default plain plaintext equals confirm confirmation",
);

/** `db password` of `DB_PASSWORD_PROD`. */
function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  const words = spaced.split(/[^a-z]/).filter(Boolean);
  return words.slice(0, words.findLastIndex((word) => !environments.has(word)) + 1).join(" ");
}

const lastWord = (words: string) => words.slice(words.lastIndexOf(" ") + 1);

/** Undefined when the name is about a credential (its age, its place) and not one itself. */
export function claimOf(name: string): Claim | undefined {
  const words = wordsOf(name);
  const last = lastWord(words);
  if (last.endsWith("phrase")) return "passphrase";
  if (
    passwordWords.has(last) ||
    (passwordEndings.some((ending) => last.endsWith(ending)) && !noPasswordWords.has(last))
  )
    return "password";
  if (last.endsWith("secret")) return "secret";
  if (last.endsWith("token")) return "token";
  // An account's `sid` is public, a session's is not: let the value decide.
  if (last === "sid") return "maybe";
  if (!last.endsWith("key")) return likelyWords.has(last) ? "likely" : undefined;
  const owner = last === "key" ? lastWord(words.slice(0, -" key".length)) : last.slice(0, -"key".length);
  if (owner === "secret") return "secret";
  if (keyOwners.has(owner)) return "api_key";
  if (publicKeyOwners.has(owner)) return undefined;
  return owner === "" ? "maybe" : "likely";
}

/** `DB_PASSWORD`: an environment variable, whose value is never code. */
export const isConstant = (name: string): boolean => /^[A-Z][A-Z0-9_.-]+$/.test(name);
/** `setPassword`, `client.withToken`. */
export const isSetter = (name: string): boolean => /(?:^|[._])(?:set|with|use|put|add)[A-Z_]/.test(name);
