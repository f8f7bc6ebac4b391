const random = "aB3dE6gH9kLm2NpQ";
/** Taken only where what stands there can be nothing but text. */
const word = "correcthorse";
/** Taken in looser places too, for its digits. */
const mixed = "abc12";
/** Taken in the loosest places, for its form. */
const odd = "aB3|dE6!gH9";

const password = (text: string) => `«password|${text}»`;
const each = (forms: readonly string[], value: string) =>
  forms.flatMap((form) => form.replace("…", password(value)));
const none = (forms: readonly string[], value: string) => forms.flatMap((form) => form.replace("…", value));

export const bridges: Record<string, readonly string[]> = {
  "redaction finds a value after an equals sign or a colon": [
    ...each(['password="…"', 'password = "…"', "password:'…'", "password: `…`", '"password": "…"'], word),
    ...each(["password：'…'", 'password := "…"', 'password ?= "…"', 'password ??= "…"'], word),
    ...each(['password ||= "…"', 'password => "…"', 'password -> "…"', 'password <- "…"'], word),
    ...each(['cfg["password"] = "…"', '**password**: "…"', 'password: **"…"**', 'f(password): "…"'], word),
    ...each(['\\"password\\": \\"…\\"', 'password        :        "…"'], word),
    ...none(['password =~ "…"', 'password:/ "…"', 'password->"…"'], word),
    ...none([], word),
  ],
  "redaction finds a string after any type": [
    ...each(['password: string = "…"', 'password: String = "…"', 'password: str = "…"'], word),
    ...each(['password:str="…"', 'password:  &str    = "…"', 'password string = "…"'], word),
    ...each(['password: Final[str] = "…"'], word),
    ...none(["password: int = …"], word),
  ],
  "redaction finds a string with a prefix, a tag or an anchor": [
    ...each(["password = N'…'", "password = rb'…'", 'password = $@"…"', 'password = @"…"'], word),
    ...each(['password: !!str "…"', 'password: &anchor    "…"', 'password: !!binary  "…"'], word),
    ...none(["password = abc'…'"], word),
  ],
  "redaction finds a value that is alone in the line below its name": [
    ...each(
      ["Password:\n…", "**Password:**\n…", "The staging password is:\n…", "DB_PASSWORD:\n  …"],
      "Blue7House",
    ),
    ...each(["Username:\nadmin\nPassword:\n…\n", "Password:\n```\n…\n```"], "p@ssw0rd123"),
    ...none(
      ["Password:\n… is on the card.", "password:\n  …: 12", "DB_PASSWORD:\n…=db.example"],
      "Blue7House",
    ),
    ...each(["db password =\n    …", "The password for the installation:\n\n…"], random),
    ...none(["A password for the tests:\n\n```ts\nconst a = …;\n```", "DB_PASSWORD=\n…=db"], "Blue7"),
    ...each(["**Ann:** which password did you use to test?\n**Bob:** `…`"], "Test1234!"),
    ...none(["Which password did you use?\nthe one of … I think"], "Blue7House"),
  ],
  "redaction finds an indented block value on the next line": [
    ...each(
      ["password: >-\n  …", '"password": |\n\t…', "password:    |+ \t\r\n  …", "password:\t>\n …"],
      mixed,
    ),
    ...each(["'password': >\n …"], mixed),
    ...none(["password: >\n…", "password: > x\n  …", "password:>\n  …"], mixed),
  ],
  "redaction finds a value in quotes that are HTML entities": [
    ...each(["&quot;password&quot;:&quot;…&quot;", "&#34;password&#34;=&#34;…&#34;"], word),
    ...each(["&apos;password&apos; : &apos;…&apos;", "&quot;password&quot;\t=\t&quot;…&quot;"], word),
    ...none([], word),
    ...none(["&quot;password&quot;:&#345;…", "&#345;password&#345;:&quot;…"], word),
  ],
  "redaction finds a fallback or a compared value": [
    ...each(['password ?? "…"', 'password?? "…"', 'password    ||    "…"', 'password ?: "…"'], mixed),
    ...each(['password or "…"', 'password == "…"', 'password != "…"', 'password === "…"'], mixed),
    ...each(["password !== '…'", "password']) == `…`", 'password) or "…"', 'env["password"] ?? "…"'], mixed),
    ...none(['password xx "…"', 'password x= "…"', "password or …"], mixed),
    ...each(['password ?? "…"', 'password === "…"', 'password or "…"', 'password ??"…"'], word),
    ...none(['"password" === "…"'], word),
  ],
  "redaction finds an argument of a call if it looks like a credential": [
    ...each(['password("…")'], "a1!bcd2e"),
    ...none(['password = f("…")', 'password("…")', 'password = f("x", "…")'], mixed),
    ...none(["password = f(x…)", "password(…)", "password(x…)"], mixed),
    ...each(['password("…")', "password(    '…')", 'password ("…")'.replace(" ", "")], random),
    ...none([], random),
  ],
  "redaction finds the quoted argument of a setter": [
    ...each(['setPassword("…")', "setPassword(    '…')", 'setPassword("…'], word),
    ...none(["setPassword(…)", 'setPassword(x"…")', "setPassword(x)"], word),
  ],
  "redaction finds the content of an element only if the element is closed": [
    ...each(["<password>…</password>", '<entry key="password">…</entry>', "<e k='password'>…</e>"], word),
    ...each(['<password>"…"</password>'], word),
    ...none(["<password>… and", '<entry key="password">… and', "password>…</b>", '<password>"…" and'], word),
    ...none(["<password>(…)</x>"], "()"),
  ],
  "redaction finds a value in an attribute or a field named value": [
    ...each(
      ['<add key="password" value="…" />', "<add key='password'    value  =  '…", '"password"\tvalue="…"'],
      word,
    ),
    ...none(['<add key="password"value="…"', '"password" valuex="…"'], word),
    ...none(['"password" value=x"…"'], word),
    ...each(
      ['{"name": "password", "value": "…"}', "'password',\n  'value'  :    '…", '"password","value":"…"'],
      word,
    ),
    ...none(['"password", "value"x: "…"', '"password", "values": "…"', '"password", "value": …'], word),
    ...each(
      ["- name: password\n  value: …", "name: 'password' \t\r\n- value:\t  …", '"password"\nvalue: …'],
      word,
    ),
    ...none(["name: password x\n  value: …", "password\nx value: …"], word),
    ...none(["password\nvalue:…"], word),
  ],
  "redaction finds the default value of a variable": [
    ...each(
      [
        'variable "password" { default = "…" }',
        '"password"{default="…"}',
        '"password"  {\n  default  =  "…"',
      ],
      word,
    ),
    ...each(['"password" {\n  type = string\n  default = "…"', '"password" { type=x default="…"'], word),
    ...each(['"password" { type  =  string \n default = "…"', '"password" { default = …'], word),
    ...none([], word),
    ...none(['"password" { type = stringdefault = "…"'], word),
    ...none(['"password" x{ default = "…"', '"password" { default x= "…"'], word),
  ],
  "redaction finds the second of two strings if it has a digit or the call defines a value": [
    ...each(
      ['define("PASSWORD", "…")', "define('PASSWORD'    ,            '…')", 'f("password","…")'],
      mixed,
    ),
    ...each(['define("PASSWORD", "…")'], word),
    ...none(['f("password"x, "…")', 'f("password",             "…")', 'f("password", x"…")'], mixed),
    ...each(['{:user "x" :pwd "…"}'], mixed),
    ...each(['{:user "x" :pwd "…"}'], word),
    ...none([":pwd …"], mixed),
    ...none([":password …", ":password x"], mixed),
  ],
  "redaction finds a value after an option or a command that sets it": [
    ...each(["--password …", "-password    …", "--password\t…", "--password '…'"], mixed),
    ...each(["--password …"], "ab1(2)c"),
    ...each(["--password …"], word),
    ...none(["--password x …"], word),
    ...none([], mixed),
    ...none(["x password …", "password …"], mixed),
    ...each(
      ["ENV PASSWORD …", "ARG PASSWORD …", "set PASSWORD …", "setx PASSWORD …", "add password …"],
      mixed,
    ),
    ...each(
      ["#define PASSWORD …", "set -x PASSWORD …", "set -gx PASSWORD    …", "bindpw …", "ENV\tPASSWORD …"],
      mixed,
    ),
    ...each(["set password …"], "ab1(2)c"),
    ...none(["ENV x PASSWORD …", "bindpws_pass …", "ENV  PASSWORD …", "ENVY PASSWORD …"], mixed),
    `api_key «api_key|${random}»`,
    `api_key_x_token «token|${random}»`,
    `API_KEY «api_key|${random}»`,
  ],
  "redaction finds a value with a digit and a letter in a sentence": [
    ...each(["password for staging: …", "password for a.b-c is …", "password (staging): …"], "abc123"),
    ...each(["password (a b.c-d) is   …", "password (x): **…", "password for x: *…"], "abc123"),
    ...each(["password is …", "password was …", "password are …", "passwort ist …"], "abc123"),
    ...each(
      ["Passwort lautet …", "password est …", "password is now …", "password was changed to …"],
      "abc123",
    ),
    ...each(["password was set to …", "password was reset to …", "password → …", "password is: …"], "abc123"),
    ...each(["**password** is …", '"password" is …', "'password'\tis …"], "abc123"),
    ...each(["password for staging: …", "password is …"], "abc12"),
    ...none(["password for staging: …", "password (x): …", "password is …", "password → …"], "123456"),
    ...each(["password for staging: …", "password (x): …"], word),
    ...none(["password → …", "password is … here"], word),
    ...each(
      ["password is …", "password is ….", "the password is '…' here", "passwort lautet …", "Password: …"],
      word,
    ),
    ...none(["password is …", "Password: …", "the password is '…'"], "invalid"),
    ...none(["password is …", "Password: …"], "required"),
    ...none(["password (x)is …"], "abc123"),
    ...none(["password (x).is …", "password isn …"], "abc123"),
    ...none(
      ["password is thenow …", "password hat …", "password for x :…", "password is:…x".replace("x", "")],
      "abc",
    ),
    `the token is «token|${random}»`,
    `the token is «token|${random.slice(1)}»`,
    `token: «token|${random.slice(1)}»`,
    `the secret is «secret|${random}»`,
    "the secret is abc123",
    "secret: «secret|abc123»",
  ],
  "redaction finds code in a sentence": [
    ...each(["the password `…`"], random),
    ...none(["password - …"], word),
    ...each(["the password `…`"], mixed),
    ...none(["password - …"], mixed),
    ...none(["password-…"], random),
  ],
  "redaction finds a value after letters whose small form is longer": [
    `${"İ".repeat(24)} password=«password|Xk9mQ2ppLw7a»`,
  ],
  "redaction finds every token where two tokens are parts of one value": [
    'password = "«github_token|ghp_{alnum:36}».«npm_token|npm_{alnum:36}»"',
  ],
  "redaction continues the search after a rejected value": [
    `password="token: x" token=«token|${random}»`,
    `session=${"a".repeat(57)}_token=«token|${random}»`,
    `"password": "x token=«token|${random}»"`,
    `x:secret:${random}`,
    `x:secret: ${random}`,
    `:secret=«secret|${random}»`,
    `arn:aws:secretsmanager:eu-west-1:secret:prod/${random}`,
    `[REDACTED:token]=${random}`,
    `[REDACTED:token=«token|${random}»`,
    `REDACTED:token=«token|${random}»`,
  ],
  "redaction finds a value in a dump, a parameter, an attribute, a declaration or below a heading": [
    ...each(['<div data-user-password="…"></div>'], mixed),
    ...each(["┌──┐\n│ user │ password │\n├──┤\n│ bob │ … │\n└──┘"], odd),
    ...none(
      ['<div data-theme="…"></div>', "## Password\n\nRequired … characters", '"x": { "default": "…" }'],
      mixed,
    ),
  ],
};

export const nameEnds: Record<string, readonly string[]> = {
  "redaction recognizes a name at a word boundary, with or without dotted parts": [
    ..."09azAZ_/:@[`{|é".split("").map((character) => `${character}-token «token|${random}»`),
    `a.b.password="«password|${word}»"`,
    `password.a.b="«secret|${random}»"`,
    `password.="${random}"`,
    `password.é="${random}"`,
    `KEY..PASSWORD=«password|${word}»`,
    `my.key.token="«token|${random}»"`,
  ],
  "redaction recognizes a name of two words that ends in key": [
    `api key: «api_key|${random}»`,
    `API KEY: «api_key|${random}»`,
    `cache key: ${random}`,
    `cache  key: «secret|${random}»`,
    ` key: «secret|${random}»`,
    `/ key: «secret|${random}»`,
    `cache keys: ${random}`,
    `cache-key: ${random}`,
    `TOKEN.api key: «api_key|${random}»`,
    `TOKEN.api key: ${"0123456789abcdef".repeat(2)}`,
    `: key: «secret|${random}»`,
    `-y key_token «token|${random}»`,
    `cache mykey: «secret|${random}»`,
    `cache/key: «secret|${random}»`,
    `token=«token|${random}» key: «secret|${random}»`,
    `a.api key: «api_key|${random}»`,
    `secret=abcd key: «secret|${random}»`,
  ],
};
