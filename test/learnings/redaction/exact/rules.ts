const random = "aB3dE6gH9kLm2NpQ";
const mixed = "abc12";
const long = "Xk9!pQz7Rt2bWmL4!".repeat(4);
const marked = (kind: string, forms: readonly string[], value: string) =>
  forms.map((form) => form.replace("…", `«${kind}|${value}»`));
const same = (forms: readonly string[], value: string) => forms.map((form) => form.replace("…", value));
const encodedKey = btoa(`-----BEGIN RSA PRIVATE KEY-----\n${"a1B2".repeat(30)}`);

/** As a commit, an id or a key has it. */
const hexOf = (length: number) =>
  "3cfea3e6794964788c570dba4669dfd42cc9e1cb61e157dc1edb96b73a1ef45e".slice(0, length);

export const cloud: Record<string, readonly string[]> = {
  "of a provider has the provider's form": [
    "«azure_client_secret|abc8Q~{alnum:31}»",
    "xabc8Q~{lower:31}",
    "«azure_devops_token|{alnum:76}AZDO{alnum:4}»",
    "«high_entropy_value|{alnum:40}AZDO{alnum:40}»",
    "«high_entropy_value|{alnum:75}AZDO{alnum:4}»",
    "«terraform_token|{alnum:14}.atlasv1.{alnum:60}»",
    "ab-cd.atlasv1.«high_entropy_value|{alnum:60}»",
    "{alnum:14}.atlasv1.«high_entropy_value|{alnum:60}».x",
    "«high_entropy_value|AAAA_{alnum:90}-cr-{hex:40}»",
    "«crates_io_token|cio{alnum:32}»",
    "«high_entropy_value|cio{alnum:33}»",
    "cio{lower:32}",
    "«adyen_key|AQE{alnum:80}»",
    "«adyen_key|AQE{alnum:40}.{alnum:40}»",
    "«discord_token|M{alnum:22}.{alnum:6}.{alnum:24}»",
    "M{alnum:22}.{alnum:6}.{alnum:23}",
    "xM{alnum:22}.{alnum:6}.{alnum:24}",
    "M{alnum:22}.{alnum:6}.{alnum:24}.x",
    "M{lower:22}.{lower:6}.{lower:24}",
    "«mailgun_key|{hex:32}-{hex:8}-{hex:8}»",
    "{hex:31}-{hex:8}-{hex:8}",
    "g{hex:31}-{hex:8}-{hex:8}",
    "{hex:31}-{hex:8}-{hex:8}g",
    "g{hex:32}-us12",
    "{hex:32}-us123",
    "«ai_provider_key|sk-{alnum:48}»",
    "«airtable_token|pat{alnum:80}»",
    "«airtable_token|pat{alnum:14}.{hex:64}»",
    "«asana_token|1/{digits:16}:{hex:32}»",
    "1/{digits:50}",
    "«salesforce_token|00D{alnum:15}!{alnum:60}»",
    "«high_entropy_value|00D{alnum:70}»",
    "«new_relic_key|{hex:36}NRAL»",
    "«high_entropy_value|g{hex:35}NRAL»",
    "«high_entropy_value|{hex:35}NRAL»",
    "«high_entropy_value|{hex:35}NRALx»",
  ],
  "behind its name has the form the name promises": [
    ...["awsSecret: ", "aws_secret=", 'awssecretkey="', "aws_secret_key = ", "SecretAccessKey => "].map(
      (context) => `${context}«aws_secret_key|{base64:40}»`,
    ),
    'AccountKey = "«azure_storage_key|{alnum:86}==»"',
    'storage_key: "«azure_storage_key|{alnum:86}==»"',
    'account_key="«api_key|{alnum:88}»"',
    'account_key="«api_key|{alnum:84}==»"',
    "Unseal Key 1: «vault_unseal_key|{alnum:44}»",
    "Unseal Key 12: «vault_unseal_key|{alnum:44}»",
    "Unseal Key: «vault_unseal_key|{alnum:44}»",
    '"auth"  :  "«docker_credential|{alnum:24}»"',
    '"auth":"«docker_credential|{alnum:16}»"',
    "twilio('AC1','«twilio_key|{hex:32}»')",
    'twilio("AC1",    "«twilio_key|{hex:32}»")',
  ],
};

const pair = (text: string) => btoa(text);

export const headers: Record<string, readonly string[]> = {
  "is a JSON web token of two or three parts": [
    "x «jwt|eyJ{alnum:17}.{alnum:10}.a» x",
    "x «jwt|eyJ{alnum:7}.{alnum:20}.a» x",
    "x eyJ{alnum:6}.{alnum:20}.a x",
    "x eyJ{alnum:6}.{alnum:20}.{alnum:20}.{alnum:20}.{alnum:20} x",
    "x eyJ{alnum:17}.{alnum:9}.a x",
    "x «jwt|eyJ{alnum:17}.eyJ{alnum:7}.» x",
    "x eyJ{alnum:17}.eyJ{alnum:6}. x",
    "x eyJ{alnum:17}.{lower:20}. x",
    "x eyJ{alnum:17}.{lower:20} x",
    "x «jwt|eyJ{alnum:17}.{alnum:10}.{alnum:10}.{alnum:10}.{alnum:10}» x",
    "x «high_entropy_value|eyJ{alnum:20}-cr-{hex:40}» x",
    "x eyJ{alnum:20}.ab-cr-{hex:40} x",
    `x «private_key|${encodedKey.slice(0, 101)}» x`,
    "x LS0tLS1CRUdJTi{alnum:30}-{alnum:20} x",
  ],
  "behind Bearer is as long as its place asks": [
    ...marked("bearer_token", ["Bearer …", "bearer    '…'", "x: Bearer `…`"], "aB3dE6gH9kLm"),
    ...same(["Bearer …"], "aB3dE6gH9kL"),
    ...same(["Bearer …"], "http://x/1abcdef"),
    ...marked("bearer_token", ["authorization: Bearer …", '"Authorization": "Bearer …"'], "abc123"),
    ...marked("bearer_token", ["authorization=bearer …", "Authorization': 'bearer …'"], "abc123"),
    ...same(["authorization: Bearer …"], mixed),
    ...same(["authorization bearer …", "authorization x: bearer …"], "abc123"),
  ],
  "behind Basic is a pair, or anything behind its header": [
    `Basic «basic_credentials|${pair("ab:cde")}» x`,
    `basic    '«basic_credentials|${pair("me:pw12345")}»'`,
    `Basic ${pair("a:b")} x`,
    `Basic ${pair("abcdefghi")} x`,
    `Basic ${pair("\u0001me:pw12345")} x`,
    `Basic ${pair("me:pw12345\u0001")} x`,
    "Basic authentication",
    "authorization: Basic «basic_credentials|abc1»",
  ],
  "of an authorization header is taken in each of its forms": [
    ...marked(
      "authorization_header",
      [
        "authorization:…",
        "authorization  :  …",
        "Authorization=…",
        '"Authorization", "…"',
        '"authorization": "…"',
      ],
      random,
    ),
    ...marked(
      "authorization_header",
      [
        "authorization: Custom-Scheme …",
        "authorization: Custom  …",
        "authorization: token=…",
        'authorization: xy key="…"',
      ],
      random,
    ),
    ...same(["authorization: …"], "getToken(user1)"),
    ...same(["authorization: …"], "https://x.y/abc1"),
  ],
  "of a key in JSON stands behind the key's type": [
    '"kty":"RSA","d":"«private_key|{base64url:43}»"',
    '"kty":"RSA","dp"  :  "«private_key|{base64url:43}»"',
    '"type":"RSA","d":"{lower:43}"',
    '"kty":"RSA","e":"{lower:43}"',
  ],
};

export const urls: Record<string, readonly string[]> = {
  "of a user is neither the user nor a word for one": [
    "x://me:«url_password|abc12»@host",
    "postgres://postgres:postgres@host",
    "x://abc12:abc12@host",
    ...["secret", "admin", "root", "test"].map((word) => `x://me:«url_password|${word}»@host`),
    "x://me:password@host",
    "x://me:@host",
    'f("root:«url_password|abc12»@tcp(db)")',
    " root:abc12@tcp(db)",
    "jdbc:oracle:thin:me/«url_password|abc12»@host",
  ],
  "in place of a user is random": [
    "https://«url_token|aB3dE6gH9kLm2NpQ5rS8»@host",
    "https://aB3dE6gH9kLm2NpQ5rS@host",
    "https://abcdefghijklmnopqrstuv@host",
  ],
  "of a parameter is what the parameter's name says": [
    ...[
      "token",
      "client_secret",
      "password",
      "passwd",
      "pwd",
      "passcode",
      "apikey",
      "api-key",
      "appid",
      "sig",
    ].map((name) => `x?${name}=«url_token|abc123»`),
    ...["signature", "credential", "subscription-key", "sessionid", "session_id"].map(
      (name) => `x&${name}=«url_token|abc123»`,
    ),
    "x?token=abc12",
    ...["key", "code", "auth", "sid", "jwt", "hmac"].map((name) => `x?${name}=«url_token|${random}»`),
    `x?code=${random.slice(1)}`,
    `x?mykey=«secret|${random}»`,
    `x?postcode=${random}`,
    `x?page=${random}`,
  ],
};

export const statements: Record<string, readonly string[]> = {
  "on a command line stands behind its option": [
    ...marked(
      "cli_password",
      [
        ...[
          "curl -u me:…",
          "curl --user 'me:…'",
          "docker login -p…",
          "docker login -p …",
          "docker login -p '…'",
        ],
        ...["redis-cli -a …", "http -a me:…", "http -a 'me:…'", "zip -P …", "zip -P…", "sqlcmd -P '…'"],
        ...["smbclient -U me%…", "smbclient -Ume%…", "smbclient -U 'me%…'", "net use x: me …", "mysql -p…"],
        ...[
          "echo … | sudo -S x",
          "echo '…'|sudo -S x",
          'echo "…"  |  sudo -S x',
          "htpasswd -b file me …",
          "ldapsearch -w …",
        ],
        ...[
          "htpasswd -cb f me …",
          "openssl -pass pass:…",
          "openssl -passin 'pass:…",
          "openssl -passout pass:…",
        ],
      ],
      mixed,
    ),
    ...same(
      [
        ...[
          "curl -x me:…",
          "docker run -p …",
          "x -a me:…",
          "x -P …",
          "x -U me%…",
          "mysql -p …",
          "x -b f me …",
        ],
        ...["echo … > x; y | sudo -S x", "echo … ; sudo -S x", "echo … x | sudo -S"],
      ],
      mixed,
    ),
    "echo password | sudo -S x",
    "curl -u 1000:1000",
  ],
  "in a statement stands in its quotes": [
    ...marked(
      "password",
      [
        ...["identified by '…'", 'the password "…"', "login me password …", "login  me\n password  …"],
        ...[
          'ConvertTo-SecureString "…"',
          "ConvertTo-SecureString   -String   '…'",
          'ConvertTo-SecureString -String "…"',
        ],
        ...[
          'new NetworkCredential("me","…")',
          "auth=(\"me\", '…')",
          'auth = ("me",    "…")',
          'BasicAuth("me", "…")',
        ],
        ...[
          'passw.sendKeys("…")',
          "passw.send_keys('…')",
          'passw; fill("#a-long-one","…")',
          'passw; type("#x", "…")',
        ],
        ...["unsafePlainText('…')", ":5432:db:me:…", ":*:*:me:…"],
      ],
      mixed,
    ),
    ...same(
      [
        ...['f("me","…")', 'auth = (me, "…")', 'auth=("me", …)', 'auth  = ("me", "…")', 'x.sendKeys("…")'],
        ...[
          'passw; fill("#x",  "…")',
          'passw; fill(x"#x", "…")',
          'ConvertTo-SecureString x"…"',
          "ConvertTo-SecureString",
        ],
      ],
      mixed,
    ),
    ...marked(
      "password",
      ['login("me", "…")', 'mysqli_connect("h", "…")', 'x.getConnection("u", "…")'],
      "Abc12d",
    ),
    ...marked("password", ["credentials: me / …", "login: me / …"], "Abc12d"),
    ...["Abc12", "abc123", "Abcdefg"].flatMap((value) => same(["credentials: me / …"], value)),
    'the password "Battery"',
    'the password "BATTERY"',
    'the password "battery"',
    'the password "«password|BATtery»"',
  ],
  "in another language is a password too": [
    ...marked(
      "password",
      [
        ...["contraseña: …", "contrasena es …", "**senha**: …", '"mot de passe" : "…"', "wachtwoord is …"],
        ...["пароль: …", "密码：…", "密碼是…", "パスワードは「…」", "비밀번호: …"],
      ],
      "abc123",
    ),
    ...[mixed, "abcdef", "123456"].flatMap((value) => same([], value)),
  ],
  "beside a word for it is told by its shape": [
    ...["pass", "pwd", "auth", "login"].map((word) => `${word} «password|Xk9!pQz7Rt»`),
    "cred «secret|Xk9!pQz7Rt»",
    "pass «password|Xk9!!pQz7Rt2bW» and/or not",
    `pass «password|${long.slice(0, 64)}»`,

    "pass /Xk9!pQz7Rt2bW",
    "pass Xk9!pQz7Rt2bW/",
    "beside Xk9!pQz7Rt2bW",
  ],
  "in a sentence is the one that the sentence means": [
    "Can you send me the password of ops?\n\nSure, it's «password|Amber-Willow-36»",
    "Tom: what's the pw for the box?\nana: «password|qtE6PyWBR»",
    "When asked for a password, enter «password|Amber4902!».",
    "My password («password|Amber-Willow-36») stopped working.",
    "Credentials for the demo: ops:«password|Amber-Willow-36»",
    "Default credentials are ops and «password|amber-willow-maple-stone» unless overridden.",
    "You can sign in with ops / «password|Amber4902!».",
    "Log in as ops with «password|Amber4902».",
    'I used user "ops" and password "«password|meadow»" there.',
    "The account still uses «password|Amber4902» as its password.",
    "She told me the password, it's «password|Amber55».",
    "The PIN is «pin|4719», PUK «pin|47190836».",
    `The token in the failing request was «token|${hexOf(40)}».`,
    `The API accepts «token|${hexOf(64)}» as token.`,
    `Key for the orders API: «api_key|${hexOf(64)}»`,
    `key (AES-256, hex): «secret|${hexOf(64)}»`,
    "The PIN of the test phone is «pin|4719».",
    `Can't scan the QR code? Setup key: «totp_seed|xjnl hy55 6pzl v3fa nf66 xh5g pin5 kcs6»`,

    "Can you send me the password of ops?\n\nSure, it's in the vault.",
    "When asked for a password, enter nothing.",
    "When asked for a password, use PBKDF2 or Argon2id.",
    "Default credentials are username and password.",
    "The password is stored in 1Password.",
    "The password is Base64-encoded.",
    "Move the password check into PasswordPolicyV2.",
    "Log in as admin with two-factor authentication.",
    `Remove the token from commit ${hexOf(40)} and from build 20240131.`,
    `The token of request ${hexOf(32)} expired.`,
    `Primary key of the orders service: ${hexOf(32)}`,
    "The PIN of the test phone has 4 digits.",
    "Pin 4 of the connector is ground.",
    "STRIPE_SECRET_KEY=sk_live_...",
  ],
  "in a table, an element or a list is told by what names it": [
    "<table>\n<tr><th>User</th><th>Password</th></tr>\n<tr><td>ops</td><td>«password|Amber4902»</td></tr>\n</table>",
    '<tr>\n  <th scope="row">Password</th>\n  <td>«password|Amber4902»</td>\n</tr>',
    "<thead>\n<tr>\n<th>User</th>\n<th>Password</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>ops</td>\n<td>«password|Amber4902»</td>\n</tr>\n</tbody>",
    '<property name="password"><value>«password|Amber4902»</value></property>',
    "passwords:\n  - ops: «password|WXvWz67sV!wW9X69l»\n  - ana: «password|s2VqNBfYJyOwVSRI07»",
    `config/credentials/production.key\n«rails_master_key|${hexOf(32)}»`,
    `echo "«rails_master_key|${hexOf(32)}»" > config/master.key`,
    "keytool -storepass «cli_password|meadow» -keystore a.jks",
    "<tr><td>PIN</td><td>«pin|726718»</td></tr>",
    "kubeadm join 10.0.0.1:6443 --token «kubernetes_token|rppbes.awrqprl4wcvlxif3»",

    "<tr><th>Field</th><th>Type</th></tr>\n<tr><td>password</td><td>string</td></tr>",
    '<field name="password"><value></value></field>',
    `The blob ${hexOf(32)} > config/other.key`,
  ],
};
