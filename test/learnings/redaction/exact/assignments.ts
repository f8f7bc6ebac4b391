const random = "aB3dE6gH9kLm2NpQ";
/** Taken only where what stands there can be nothing but text. */
const word = "correcthorse";
/** Taken in looser places too, for its digits. */
const mixed = "abc12";

const password = (text: string) => `«password|${text}»`;
const each = (forms: readonly string[], value: string) =>
  forms.flatMap((form) => form.replace("…", password(value)));
const none = (forms: readonly string[], value: string) => forms.flatMap((form) => form.replace("…", value));

export const bridges: Record<string, readonly string[]> = {
  "leads over equals signs and colons": [
    ...each(['password="…"', 'password = "…"', "password:'…'", "password: `…`", '"password": "…"'], word),
    ...each(["password：'…'", 'password := "…"', 'password ?= "…"', 'password ??= "…"'], word),
    ...each(['password ||= "…"', 'password => "…"', 'password -> "…"', 'password <- "…"'], word),
    ...each(['cfg["password"] = "…"', '**password**: "…"', 'password: **"…"**', 'f(password): "…"'], word),
    ...each(['\\"password\\": \\"…\\"', 'password        :        "…"'], word),
    ...none(['password == "…"', 'password =~ "…"', 'password:/ "…"', 'password->"…"'], word),
    ...none([], word),
  ],
  "leads over a type": [
    ...each(['password: string = "…"', 'password: String = "…"', 'password: str = "…"'], word),
    ...each(['password:str="…"', 'password:  &str    = "…"', 'password string = "…"'], word),
    ...none(['password: int = "…"', 'password: xtring = "…"'], word),
  ],
  "leads to a string of a kind": [
    ...each(["password = N'…'", "password = rb'…'", 'password = $@"…"', 'password = @"…"'], word),
    ...each(['password: !!str "…"', 'password: &anchor    "…"', 'password: !!binary  "…"'], word),
    ...none(["password = abc'…'"], word),
  ],
  "leads to the next line": [
    ...each(
      ["password: >-\n  …", '"password": |\n\t…', "password:    |+ \t\r\n  …", "password:\t>\n …"],
      mixed,
    ),
    ...each(["'password': >\n …"], mixed),
    ...none(["password: >\n…", "password: > x\n  …", "password:>\n  …"], mixed),
  ],
  "leads over quotes of HTML": [
    ...each(["&quot;password&quot;:&quot;…&quot;", "&#34;password&#34;=&#34;…&#34;"], word),
    ...each(["&apos;password&apos; : &apos;…&apos;", "&quot;password&quot;\t=\t&quot;…&quot;"], word),
    ...none([], word),
    ...none(["&quot;password&quot;:&#345;…", "&#345;password&#345;:&quot;…"], word),
  ],
  "leads over what stands in for a value, if that has a digit": [
    ...each(['password ?? "…"', 'password?? "…"', 'password    ||    "…"', 'password ?: "…"'], mixed),
    ...each(['password or "…"', 'password == "…"', 'password != "…"', 'password === "…"'], mixed),
    ...each(["password !== '…'", "password']) == `…`", 'password) or "…"', 'env["password"] ?? "…"'], mixed),
    ...none(['password ??"…"', 'password xx "…"', 'password x= "…"', "password or …"], mixed),
    ...none(['password ?? "…"', 'password === "…"', 'password or "…"'], word),
  ],
  "leads to what a name is compared with": [
    ...each(['strcmp(password,"…")', "compare(password,    '…')", 'equal(password, "…")'], mixed),
    ...each(['equals(password, "…")', 'compareDigest(password, "…")', 'EQUALS(password, "…")'], mixed),
    ...none(['f(password, "…")', 'strcmp(x) f(password, "…")', 'strcmp-x(password, "…")'], mixed),
    ...none(['equalsIgnoringCase(password, "…")', 'strcmp(password, x"…")'], mixed),
    ...none(['strcmp(password, "…")'], word),
    ...none([`strcmp(${"a".repeat(20)}, password, "…")`], mixed),
  ],
  "leads into a call, for what looks like no other argument": [
    ...each(['password = SecretStr("…")', 'password=S("…")', "password    =    new a.b::C('…')"], random),
    ...each(['password = new C("…")', 'password\t=\tf("…")'], random),
    ...each(['password = f("…")', 'password("…")'], "a1!bc"),
    ...none(['password = f("…")', 'password("…")', 'password = f("x", "…")'], mixed),
    ...none(["password = f(x…)", "password(…)", "password(x…)"], mixed),
    ...each(['password("…")', "password(    '…')", 'password ("…")'.replace(" ", "")], random),
    ...none([], random),
  ],
  "leads into a setter": [
    ...each(['setPassword("…")', "setPassword(    '…')", 'setPassword("…'], word),
    ...none(["setPassword(…)", 'setPassword(x"…")', "setPassword(x)"], word),
  ],
  "leads into an element that is closed": [
    ...each(["<password>…</password>", '<entry key="password">…</entry>', "<e k='password'>…</e>"], word),
    ...each(['<password>"…"</password>'], word),
    ...none(["<password>… and", '<entry key="password">… and', "password>…</b>", '<password>"…" and'], word),
    ...none(["<password>(…)</x>"], "()"),
  ],
  "leads to a value that is called so": [
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
  "leads to a default": [
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
  "leads to the next of two strings, if that has a digit": [
    ...each(
      ['define("PASSWORD", "…")', "define('PASSWORD'    ,            '…')", 'f("password","…")'],
      mixed,
    ),
    ...none(['define("PASSWORD", "…")'], word),
    ...none(['f("password"x, "…")', 'f("password",             "…")', 'f("password", x"…")'], mixed),
    ...each(['{:user "x" :pwd "…"}'], mixed),
    ...each(['{:user "x" :pwd "…"}'], word),
    ...none([":pwd …"], mixed),
    ...none([":password …", ":password x"], mixed),
  ],
  "leads from an option to its value": [
    ...each(["--password …", "-password    …", "--password\t…", "--password '…'"], mixed),
    ...each(["--password …"], "ab1(2)c"),
    ...none(["--password …", "--password x …"], word),
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
  "leads through a sentence, to what has a digit and a letter": [
    ...each(["password for staging: …", "password for a.b-c is …", "password (staging): …"], "abc123"),
    ...each(["password (a b.c-d) is   …", "password (x): **…", "password for x: *…"], "abc123"),
    ...each(["password is …", "password was …", "password are …", "passwort ist …"], "abc123"),
    ...each(
      ["Passwort lautet …", "password est …", "password is now …", "password was changed to …"],
      "abc123",
    ),
    ...each(["password was set to …", "password was reset to …", "password → …", "password is: …"], "abc123"),
    ...each(["**password** is …", '"password" is …', "'password'\tis …"], "abc123"),
    ...none(["password for staging: …", "password is …"], "abc12"),
    ...none(["password for staging: …", "password (x): …", "password is …", "password → …"], "123456"),
    ...none(["password for staging: …", "password (x): …", "password → …", "password is … here"], word),
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
  "leads to code in a sentence, and over a dash": [
    ...each(["the password `…`", "password - …"], random),
    ...none(["password - …"], word),
    ...each(["the password `…`"], mixed),
    ...none(["password - …"], mixed),
    ...none(["the password x`…`", "password-…"], random),
  ],
  "leads on from what was refused": [
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
};

export const nameEnds: Record<string, readonly string[]> = {
  "is a word": [
    ..."09azAZ_./:@[`{|é".split("").map((character) => `${character}-token «token|${random}»`),
    `a.b.password="«password|${word}»"`,
    `password.a.b="«secret|${random}»"`,
    `password.="${random}"`,
    `password.é="${random}"`,
    `KEY..PASSWORD=${word}`,
    `my.key.token="«token|${random}»"`,
  ],
  "of two words ends in key": [
    `api key: «api_key|${random}»`,
    `API KEY: «api_key|${random}»`,
    `cache key: ${random}`,
    `cache  key: «secret|${random}»`,
    ` key: «secret|${random}»`,
    `/ key: «secret|${random}»`,
    `cache keys: ${random}`,
    `cache-key: ${random}`,
    `TOKEN.api key: «secret|${random}»`,
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
