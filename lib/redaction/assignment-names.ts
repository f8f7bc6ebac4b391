import { pattern, setOf } from "./words.ts";

/** What a name says about its value: a key is a credential of an unknown kind. */
export type ClaimKind =
  | "password"
  | "passphrase"
  | "secret"
  | "token"
  | "api_key"
  | "credential"
  | "key"
  | "pin";
export interface Claim {
  readonly kind: ClaimKind;
  /** The less certain the claim, the more the value must look like a credential. */
  readonly certainty: "sure" | "likely" | "maybe";
}
/** The kind in the marker of a value with this claim. */
export const kindOf = ({ kind }: Claim): string =>
  kind === "passphrase" ? "password" : kind === "credential" || kind === "key" ? "secret" : kind;
export const sure = (kind: ClaimKind): Claim => ({ kind, certainty: "sure" });
const credential: Claim = { kind: "credential", certainty: "likely" };
export const likely: Claim = { kind: "key", certainty: "likely" };
const maybe: Claim = { kind: "key", certainty: "maybe" };

type Endings = ReadonlyMap<string, readonly string[]>;
/** Groups the endings by their last character, so that a word is compared with few of them. */
const endingsOf = (spaced: string): Endings =>
  Map.groupBy(setOf(spaced), (ending) => ending.charAt(ending.length - 1));
const endsIn = (word: string, endings: Endings) =>
  endings.get(word.charAt(word.length - 1))?.some((ending) => word.endsWith(ending)) ?? false;

/** Words for a password in ten languages and a few more. The name of a password ends in one of them. */
const passwordNames = `
password passwd passwort passwörter passcode kennwort zugangswort pwd pswd passw pword pass passe motdepasse mdp
contraseña contrasena contraseñas clave senha senhas wachtwoord parola hasło haslo hasła hasłem lösenord lösenordet
passord passordet losenord adgangskode adgangskoden salasana psk passkey jelszó jelszava şifre şifresi şifresini
şifrem şifremiz şifreniz şifrenin şifreler şifreleri şifreyi parolayı parolası parolasını parolam parolamız parolanız
parolanın parolalar parolaları passworts passwortes passwörtern kennworts kennwortes kennwörter kennwörtern parolă
geslo lozinka heslo sandi khẩu รหัสผ่าน المرور السر סיסמה סיסמא κωδικός κωδικος пароль пароля паролем пароли 密码 密碼 口令
パスワード 暗証番号 暗証コード 合言葉 暗号 비밀번호 암호 비번 zugangscode geheimcode entsperrcode kodeord kodeordet slaptažodis parool aðgangsorð
pasahitza contrasenya पासवर्ड katalaluan парола лозинка sifre
`;
const passwordEndings = endingsOf(passwordNames);
const passwordWords = setOf("pw psw psk pepper masterauth requirepass authtok userpwd");
const noPasswordWords = setOf(
  "htpasswd chpasswd askpass bypass compass encompass surpass trespass enclave conclave autoclave",
);
const secretNames = `
secret whsec secreto secreta secrète segredo segreto segreta geheimnis geheimschlüssel geheimschluessel sekret секрет
секретный 秘密 秘密鍵 机密 シークレット 비밀키
`;
const secretEndings = endingsOf(secretNames);
const tokenNames = "token macaroon keystring jeton токен токена 令牌 トークン 토큰 jwt";
const tokenEndings = endingsOf(tokenNames);
/** `clé d'API`, `ключ доступа`: the words after the key give its use, so the value must look like a key. */
const foreignKeyNames = `
schlüssel schluessel schlüssels clé clef clés chave llave chiave klucz klucza anahtar anahtarı sleutel nyckel nyckeln
nøgle nøkkel ключ ключа 密钥 密鑰 金鑰 秘钥 キー 鍵 인증키 키
`;
const foreignKeyEndings = endingsOf(foreignKeyNames);
const keyOwners =
  setOf(`api access private encryption signing master hmac license licence account subscription app application auth
storage service admin deploy client consumer webhook apikey session cookie jwt crypt crypto aes rsa unseal rest write
deployment backup root data transaction ingestion ingest integration routing sdk server agent merchant partner
developer sandbox enrollment install`);
const publicKeyOwners =
  setOf(`public publishable pub anon site captcha recaptcha search browser cache primary partition sort foreign
idempotency restore object query translation hash dedupe content digest lookup asset file row item index group state
map socket registry s3 bucket message json dict host known config property feature flag lock component react i18n
locale order unique composite column redis verify verification peer ssh authorized identity signer trusted dedup event
entity record trace shard request correlation document node measurement tracking`);
const publicTokenOwners =
  setOf(`public publickey publishable page next nextpage continuation pagination cancellation cancel sync stop start
end pad eos bos unk sep cls mask special max min design syntax lexer anon refreshpage`);
const likelyWords = setOf(`
auth pat session sessionid salt seed bearer login cookie sid hmac kek dek enc encrypt crumb csrf xsrf remember
rememberme license licence
`);
/** `DB_PASSWORD_PROD` is still a password; `password_hash` and `token_url` are not credentials. */
const environments =
  setOf(`prod production staging stage dev development test testing qa uat ci live old new current previous private
base value default plain plaintext cleartext klartext equals confirm confirmation again repeat string text b64 hex
data env content v str val raw txt`);

const isAscii = (name: string) => /^[\0-\x7f]*$/.test(name);
/** Returns `db` and `password` for `DB_PASSWORD_PROD`. */
function wordsOf(name: string): string[] {
  const words = isAscii(name)
    ? (name.match(/[A-Z]+[a-z]*|[a-z]+/g) ?? []).map((word) => word.toLowerCase())
    : name
        .replace(/([a-zß-ÿ0-9])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .split(/[^\p{L}\p{M}]+/u)
        .filter(Boolean);
  while (environments.has(words.at(-1) ?? "")) words.pop();
  return words;
}

const singular = (word: string) =>
  word.endsWith("s") && /(?:password|passwd|pwd|token|secret|key|credential|passcode)s$/.test(word)
    ? word.slice(0, -1)
    : word;

/** Owners of keys that people choose. */
const chosenKeyOwners = setOf("shared preshared wpa wep wifi wlan fi pragma network wireless authentication");

/** `BLIND_INDEX_KEY`: the key of a cipher, whatever it is for. */
const cryptWords = setOf("blind encryption hmac signing crypt cipher aes");

const protectedOwners = setOf("hash lookup index column field row record entity message event token");

function keyClaim(
  words: readonly string[],
  last: string,
  owner: string,
  isVariable: boolean,
): Claim | undefined {
  if (chosenKeyOwners.has(owner)) return sure("password");
  if (words.includes("secret") || last.endsWith("secretkey")) return sure("secret");
  if (keyOwners.has(owner) || words.some((word) => cryptWords.has(word)) || last.endsWith("apikey"))
    return sure("api_key");
  // `PHONE_HASH_KEY`: a variable may name what the key protects.
  if (publicKeyOwners.has(owner)) return isVariable && protectedOwners.has(owner) ? likely : undefined;
  return owner === "" ? maybe : likely;
}

const leadingWords = setOf(`
passe password passwd pwd pw pass passwort passcode secret token apikey senha clave haslo mdp пароль секрет токен ключ
`);
/** `PASSWORD_RESET_URL` is about a password; `PASSWORD_ADMIN` is a password. */
export const aboutWords =
  setOf(`accessor sent hash hashes hashed hasher hashers hashing salt digest url uri link path file filename dir
name names id ids uuid kid arn ref key keys length len size min max count number limit policy policies rule rules
expiry expires expire expiration expired ttl age days hours seconds time timeout date reset forgot forgotten change
changed changes update updated strength score re regex pattern validator validation valid invalid field fields input
label placeholder hint form page view screen modal dialog route router endpoint api handler service manager provider
store storage vault type types kind format algorithm alg encoding encoder encoded encryption encrypted enabled
disabled required optional visible visibility show hide toggle error errors message messages msg title header headers
version alias prefix suffix column table index attempts attempt retries retry history generator rotation rotated at
lifetime duration scope scopes audience issuer info response request email mail template button command cmd prompt
callback cb fn func function helper helpers util utils spec mock scan scanner scanning detector detection checker
check exists missing match mismatch bucket budget usage used cost price per rate window through fail failed ok by is
has in on with authentication auth login authenticator bearer source exchange introspection revocation refresh case
cases list map set array class model schema entity dto controller module plugin middleware hook hooks client server
state status event events log logs metric metrics primaria foránea foranea primária estrangeira`);
function isLeading(words: readonly string[]): boolean {
  const at = words.findIndex((word) => leadingWords.has(word));
  return at >= 0 && at < words.length - 1 && words.slice(at + 1).every((word) => !aboutWords.has(word));
}

/** `no-hardcoded-password`, `ALLOW_EMPTY_PASSWORD`: the value is a switch or a level. */
const isSwitch = pattern(
  "",
  "^(?:(?:no|disallow|detect|forbid|prevent|allow|enforce|disable|show|hide|has|is)(?:[-_]",
  "|(?=[A-Z]))|(?:NO|ALLOW|DISABLE|SHOW|HIDE)_)",
);

const noName =
  /applicationServerKey|^existing(?:[A-Z_-])|^--(?:set|update|remove|clear)-secrets$|^--(?:ask|no|prompt|show)-/i;

/** `senha_do_keystore`: in Romance languages the owner is behind the noun. */
const romancePassword =
  /(?:^|_)(?:senha|clave|contrase[nñ]a|mot_?de_?passe|mdp|parola|has[lł]o)_(?:d[aoeiu]|del|della|para|per|pour)_\w+$/i;
/** Returns undefined if the name is only about a credential (its age, its place) and does not name one. */
export function claimOf(given: string): Claim | undefined {
  if (noName.test(given) || isSwitch.test(given)) return undefined;
  // `pAssword` is one word, in any mix of capitals and small letters.
  const name = /^(?:pass-?word|passwd|passwort|secret|token|apikey)$/i.test(given)
    ? given.toLowerCase().replace("-", "")
    : given;
  const words = wordsOf(name);
  const last = singular(words.at(-1) ?? "");
  const owner = words.at(-2) ?? "";
  if (last.endsWith("phrase") || /pass.*frase$/.test(last)) return sure("passphrase");
  if (
    /^(?:hashed|encrypted|sealed|masked|redacted)$/.test(owner) ||
    /public(?!at)|publishable|site_?key/.test(words.join(""))
  )
    return undefined;
  if (passwordWords.has(last) || owner === "rediscli" || /^[a-z]{1,6}pw$/.test(last)) return sure("password");
  if (endsIn(last, passwordEndings)) return noPasswordWords.has(last) ? undefined : sure("password");
  if (endsIn(last, secretEndings)) return sure("secret");
  if (endsIn(last, tokenEndings)) {
    const tokenOwner = last.endsWith("token") && last !== "token" ? last.slice(0, -"token".length) : owner;
    return publicTokenOwners.has(tokenOwner) || words.includes("public") ? undefined : sure("token");
  }
  // `X-Acme-Key`: a header with such a name holds an API key.
  if (
    words[0] === "x" &&
    words.length > 1 &&
    /^(?:key|session|consumer|team)$/.test(last) &&
    !publicKeyOwners.has(owner)
  )
    return sure("api_key");
  if (owner === "snmp" || (last === "cookie" && /^(?:erlang|release)$/.test(owner))) return sure("password");
  if (given === "PAT" || /^(?:cle|clave|chave)_api$/i.test(given)) return sure("token");
  if (romancePassword.test(given)) return sure("password");
  if (
    /^(?:pin|puk|otp)$/.test(last) ||
    (/^(?:code|number)$/.test(last) && /^(?:pin|puk|otp|door|gate|alarm)$/.test(owner))
  )
    return sure("pin");
  if (/^cred(?:s|ential)?$|community$/.test(last)) return credential;
  if (endsIn(last, foreignKeyEndings)) return endsIn(owner, secretEndings) ? sure("secret") : sure("api_key");
  if (last === "id")
    return /accesskey$/.test(words.slice(0, -1).join(""))
      ? sure("api_key")
      : owner === "secret"
        ? sure("token")
        : /^sess/.test(owner)
          ? likely
          : undefined;
  if (last === "key" && name.startsWith("--")) return sure("api_key");
  if (!last.endsWith("key"))
    return likelyWords.has(last) || /(?:session(?:id)?|sessid)$/.test(last)
      ? likely
      : isLeading(words) && !name.startsWith("-")
        ? credential
        : undefined;
  return keyClaim(words, last, last === "key" ? owner : last.slice(0, -"key".length), isConstant(name));
}

/** `label.password=Contraseña`: a value that is itself a word for a credential is a label. */
export const isCredentialWord = (value: string): boolean => {
  const word = value.toLowerCase();
  const endings = [passwordEndings, secretEndings, tokenEndings, foreignKeyEndings];
  return endings.some((each) => each.get(word.charAt(word.length - 1))?.includes(word));
};

/** Every name of a credential contains one of these. */
export const nameStems: ReadonlySet<string> = setOf(
  `psw zugang access accès acceso accesso acesso доступ key cred auth bearer pepper salt seed sess sid hmac kek dek
enc crumb csrf xsrf
cle_api remember licen pat pin puk otp pw login cookie community secret_id -consumer -team
${passwordNames} ${secretNames} ${tokenNames} ${foreignKeyNames}`,
);

/** `DB_PASSWORD`: an environment variable, whose value is never code. */
export const isConstant = (name: string): boolean => /^[A-Z][A-Z0-9_.-]+$/.test(name);
/** `setPassword`, `client.withToken`. */
export const isSetter = (name: string): boolean =>
  /(?:^|[._])(?:[Ss]et|[Ww]ith|use|put|[Aa]dd|enter|type|fill)[A-Z_]/.test(name);
