const random = "aB3dE6gH9kLm2NpQ";

const quoted = (value: string) => `password = "«password|${value}»"`;
const quotedNot = (value: string) => `password = "${value}"`;
const bare = (value: string) => `password=«password|${value}» x`;
const bareNot = (value: string) => `password=${value} x`;
const named = (name: string, kind: string, values: readonly string[]) =>
  values.map((value) => `${name}: "«${kind}|${value}»"`);
const namedNot = (name: string, values: readonly string[]) => values.map((value) => `${name}: "${value}"`);

export const values: Record<string, readonly string[]> = {
  "a value ends at its closing quote": [
    'password = "«password|abc 12 def 34»" x',
    "password = '«password|abc 12 def 34»' x",
    "password = `«password|abc 12 def 34»` x",
    'password = "«password|abc\\" 12 def»" x',
    'password = \\"«password|abc 12 def 34»\\" x',
    "password = \\\\'«password|abc 12 def 34»\\\\' x",
    'password = "\\"«password|abc12»\\"" x',
    "password = \"\\'«password|abc12»\\'\" x",
    'password = "«password|\\"abc12»" x',
    'password = "«password|x\\"abc12\\"»" x',
    'password = "«password|\\"abc12\\"x»" x',
    'password = "«password|abc12» x',
    'password = "" x',
  ],
  "a value ends where a raw string of its language ends": [
    "password = %q|«password|abc 12 def 34»| x",
    "password = %q{«password|abc 12 def 34»} x",
    "password = ~s/«password|abc 12 def 34»/ x",
    'password = """\n  «password|abc 12 def 34»\n"""',
    'password = """   """ x',
  ],
  "a value ends at the end of its word if it has no quotes": [
    ...[" ", "\n", '"', "'", "`", "<", ">"].map((end) => `password=«password|abc12»${end}x`),
    ...[".", ",", ":", ";", ")", "]", "}", ").", "}];"].map((end) => `password=«password|abc12»${end} x`),
    ...["\\n", "\\t", '\\"', "\\'", "\\ "].map((end) => `password=«password|abc12»${end}x`),
    bare("ab\\$12cd"),
    bare("\\$abc12"),
    bare("ab.12:cd"),
    "password:)))",
    ...["abc,12", "abc;12", "abc|12", "a,b;c12"].map(bare),
  ],
  "a value ends at the next field of a form": [
    "password=«password|abc12»&x=1",
    "password=«password|abc12»&user.first-name=1",

    "password=«password|abc12»&quot; x",
    "password=«password|abc12»&apos; x",
    "password=«password|abc12»&#34; x",
    bare("abc12&def"),
    bare("abc12&&def"),
    bare("abc12&a&b"),

    "password=«password|abc12&a!»&b=1",
  ],
  "a value stays if it is a type, an algorithm, a version or a number with a unit": [
    ...["uint8", "int32", "float64", "sha256", "SHA-512", "aes128", "aes256gcm", "rs256", "hs256"].map(
      quotedNot,
    ),
    ...["utf16", "utf-16le", "base64", "base64url", "argon2id"].map(quotedNot),
    ...["xsha256", "sha256!", "shax256", "sha--256"].map(quoted),
    ...["v1.2.3", "v12.34.56", "12345ms", "1.2.345", "10.50ms", "v12345", "1.25.0%", "12345"].map(quotedNot),
    ...["123456", "v1.2.3abc", "xv1.2.3", "v1..23", "v123456", "12-345"].map(quoted),
  ],
  "a value stays if it is an address or a path": [
    ...["https://x.y/1", "http://x.y/z1", "arn:aws:x1"].map(quotedNot),
    ...["xarn:aws:x1", "httpx:12"].map(quoted),
    ...["/etc/pass1", "./a/b-c1.txt", "~/x1y2z", ".env1x", "/usr/local/share/x1y/file"].map(quotedNot),
    ...["/{alnum:30}"].map(quoted),
    "KEY=/Z1up4SmkA0uARv0",
    "KEY=/LtZt1up4SmkA0uARv0",
    "KEY=«secret|/LtZtZ1up4SmkA0uARv0»",
  ],
  "a value stays if it is the name of a constant": [
    ...["AUTH_MODE_2", "A_1234", "AB_1_2", "MODE2_AUTH"].map(quotedNot),
    ...["AUTH_MODE_2x", "xAUTH_MODE_2", "AUTH_MODE_2!", "9AUTH_MODE", "AUTHMODE2", "AUTH_!MODE2"].map(quoted),
    quoted("X9K2_7QZ4_P4M1_B8"),
  ],
  "a value stays if it is an expression": [
    ...["f(x12y)", "a[b12]", "{a12bc}", "config.v2x", "config?.v2x", "config->v2x", "config::v2x"].map(
      bareNot,
    ),
    ...["$a._b2x", "a.$b2.c3"].map(bareNot),
    ...["f(x12y)", "config.v2x", "a[b12c"].map(quoted),
    ...[
      "config.aB3dE6gH9kLm",
      "config.2abcd",
      ".config.v2x!",
      "config..v2x",
      "a1b2c=f(x)y",
      "config-v2x",
      "2a.b1c",
      "a.b1c!",
    ].map(bare),
    ...["a1b2[", "config.v2x=c!", "config.v2x=1"].map(bareNot),
  ],
  "a value is a passphrase if it has a digit or its name announces a passphrase": [
    ...["ab cd ef 1", "a1 b c d e f g h"].map(quoted),
    ...["ab cd e 1", "ab cd ef gh", "ab (cd) ef 1"].map(quotedNot),
    'passphrase: "«password|ab cd ef gh»"',
    'passphrase: "ab cd ef"',
  ],
  "a value needs at least five characters to be a password with a digit": [
    ...["abc12", "12-456"].map(quoted),
    ...["ab12", "12-45"].map(quotedNot),
    ...["abc12"].map(bare),
    ...["ab12", "12-456"].map(bareNot),
  ],
  "a value stays if it is a placeholder with a number or with an ellipsis": [
    ...["example-123", "your password 1", "Xk9…Lw7a"].map(quotedNot),
    quoted("sk_live_ab1…9z"),
  ],
  "a value must look like a password if it has no digit": [
    ...["horses", "horse!staple", "abc!de", "hORseSTaple", "horsé!"].map(quoted),
    ...[
      "horse",
      "ab!cd",
      "!#$%&*+",
      "Contraseña",
      "horseBattery",
      "HORSES",
      "hORse_x",
      "_hORseX",
      "hORseX_",
    ].map(quotedNot),
    ...["my-password", "my.secret", "the_token"].map(quotedNot),
    ...["theSECRETx!", "abc!token", "monkey!", "donkey-shoes-lamp"].map(quoted),
    "<password>«password|horse»</password>",
    "<password>hors</password>",
    "<password>«password|ab1(2)c»</password>",
    "&quot;password&quot;:&quot;«password|ab1(2)c»&quot;",
    bareNot("horses"),
    bare("hOrSeStApLeBaTtErY"),
  ],
  "a value is a token if it is long and looks random": [
    ...named("token", "token", ["aB3dE6gH9kLm", "{hex:16}", "{uuid}", "ABCD-EFGH-1234"]),
    ...named("token", "token", ["ABCD1-EFGH2-IJKL3"]),
    ...namedNot("token", ["aB3dE6gH9kL", "a1b2c3d4e5f6a7b", "abcdefabcdefabcd", "xABCD-EFGH-1234"]),
    ...namedNot("token", ["ABCD-EFGH-1234x", "ABC-EFGH-1234", "ABCD-EFGH-ABCD", "abcdefghijklmn1"]),
    ...namedNot("token", ["abcdefghijklmnopq", "Abcdefghijklmno1", "abc123abc123"]),
    ...namedNot("api_key", ["correcthorse", "correcthorse1"]),
    ...namedNot("my_key", ["abcdef0123456789", "{hex:31}", "{uuid}", "correct horse 12 battery"]),
  ],
  "a value after a vague name such as key must be certainly a credential": [
    ...named("key", "secret", [random, `${random.slice(1)}!x`]),
    ...namedNot("key", [random.slice(1), "{hex:64}", "{uuid}", `!x${random.slice(1)}`]),
    ...namedNot("key", ["abcdefghijklmnop1234"]),
  ],
  "a value is judged by its first 256 characters": [quoted(`${"ab1cd2".repeat(43)}${".".repeat(200)}`)],
};
