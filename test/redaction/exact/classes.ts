/** The classes that a closed set showed, by name. Each example stayed, or changed, before its class was a mechanism. */
export const classes: Readonly<Record<string, readonly string[]>> = {
  "a value that looks like a password needs only a word about access within a few lines": [
    "Two accounts of the portal: approver1 … «password|cobalt61760#», approver2 … «password|Quartz-7813»",
    '"insertId":"0va3y05r2246mu","message":"secret db-pass is disabled"',
    "tokens follow passwordPolicy: lifetime PT15M, kex curve25519-sha256, sort key ORDER#2024-05-01",
    "User 88121 is not authorised for resource doc-17, the login test fails on iPhone14Pro.",
    "We authenticate with Keycloak24 and Firefox128.",
  ],
  "digits stand in the place of letters, and small letters that no word has are a password": [
    "The license server's account is protected by the password «password|0rch4rd!» only.",
    "everybody knows the admin password, it's «password|b4dg3r»",
    "password hashes: sha256sum and md5sum of utf8mb4 text, checked by e2e tests with log4j",
  ],
  "cases and digits change as in no identifier, also around a dot or an equals sign": [
    "USER=etl PASS=«password|KKNFPT9nf.gXbwM5» (as the tool prints it)",
    '"Main": "Server=sql1;User Id=core;Password=«password|i6qiRCWW.j0»;Encrypt=true"',
    "password = req.pwHash, secret := &corev1.SecretKeySelector{}, token = s3.GetObjectV2, auth = utf8.RuneLen",
    "Usage: htpasswd [-cimB25dpsDv] [-C cost] passwordfile",
  ],
  "an answer has a speaker with a date, two words or a sign before the name": [
    "A> ping\nB> pong\nA> sudo asks for a password on buildbox3\nB> NOPASSWD got lost, will fix",
    "The root password is overdue. The passphrase is split, je wachtwoord is gewijzigd.",
  ],
  "a plain word right behind the name goes where the words before it give it": [
    "Log in with petra and the password «password|Marmelade» to see it.",
    "preview apps are behind basic auth, user shop, password «password|bluebird».",
    "db: { user: app, password: «password|bluebird», host: localhost }",
    "Se entra con el usuario ventas y la clave «password|bluebird».",
    "3-D Secure demands the password «password|monkey» of our live account.",
    "First pass: parse. Second pass: resolve symbols. Sign in with password protection.",
    "the field holds the password that the user has just typed. Severity: high.",
  ],
  "a value that looks like nothing else needs only a word about users near it": [
    "Root on the appliance is «password|Noodle#2254» from the factory.",
    "Jira macro account — jira.bot — «password|OjAUo90ag?M2Us» — used by the changelog action.",
    "Basic auth of the preview is preview:«password|velvet496Dragon*» (do not publish it)",
    "tok, err := s.tokens.Issue(r.Context(), user, 15*time.Minute)",
    "Accepted publickey for deploy from 10.0.0.4 port 51022 ssh2: ED25519 SHA256:BSoWtQLT1LlaY2686tkHiUQ6rouJ4kr2iebqzFn+r48",
    "Cognito: userPoolId eu-west-1_82TDozjq3, clientId 90xetenmcs90rsp4w82duyu5ip. App client has no secret.",
  ],
  "a value is alone on its line below words about it, whoever speaks and however the line begins": [
    "10:41 < jd> pls send sudo pass for box 9\n10:44 < ops2> «password|Lantern766!»",
    "[#ops] lina: db creds?\n[#ops] marc: user reporting\n[#ops] marc: «password|tHOP2N6j6H5zcz»",
    "— Tu as le mot de passe root ?\n— Oui : «password|CactusPepper69»\n— Merci",
    "Password for the [elastic] user successfully reset.\nNew value: «password|1lIyG_tDbBEUYN-W7tKK»",
    "U02ABCD: `sudo` asks for a password on the runner??\nU07XYZZ: yeah it's «password|Y3uUvl6-1UU», same as last year",
    "password:\n  required",
  ],
  "a token goes on in the next line": [
    "The token got wrapped in the mail:\n  API token: «token|emZ5F8GDow3heTLn8qpjWIXWNiHwTC5H3ZNl87»\n  «token|G1YE6C2oAwghfgaiqYkWh2guUO»",
    "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  0b8eb2279cdd74412e6197fc01c4e84f31bcce4ea970bc0740ba7bff81858a6c396aaf610330afb3",
  ],
  "a number opens what the sentence or the question speaks of": [
    "When the HSM asks for the crypto-officer PIN, type «pin|97300274». Two-person rule applies.",
    "alarm panel: master code «pin|495809», duress code «pin|965342»",
    "The PIN has 6 digits and locks for 86400 seconds after 5 tries, error code 40001.",
  ],
  "a value without a digit has a sign between letters of both cases": [
    "The staging admin still logs in with «password|XvISH*VWCuG-tjP», so anyone who left can get in.",
    "The admin logs in with **OAuth** or with USER*ROLE in the matrix.",
  ],
  "drawn words may be long or short, or of another alphabet with Latin letters": [
    "Kim: vpn psk?\nJoost: «password|hagelslag-op-brood»",
    "The login uses end-to-end-encryption on the sign-up-page.",
  ],
  "a seed phrase is known by its words": [
    "Recovery phrase (24 words), kept by finance:\n1-24: «seed_phrase|deliver cattle empower lawsuit exotic breeze dawn carpet deliver enrich sibling dolphin»",
    "The recovery of the wallet service takes about ten minutes because every shard must replay its log first.",
  ],
  "a verb in another tense leads to a password": [
    "The shared demo tenant's password hasn't changed since 2019, it's \"«password|gondola»\".",
    "The password policy hasn't changed since 2019, it's strict.",
  ],
  "a vault, a command, an object or an option behind the word for a password stays": [
    'Mot de passe : voir le coffre-fort 1Password "Plateforme".',
    "The on-call engineer gets database passwords through `boundary connect`, valid for one hour.",
    'MountVolume.SetUp failed for volume "certs" : secret "tls-cert" not found',
    "Usage: htpasswd [-cimB25dpsDv] [-C cost] passwordfile username",
    "Hasło: zobacz sejf „UAT”",
    "08:05 secret scanner raises alert e2c58c36-4535-4c31-a58e-1efc598857ab",
    'Sentry event 334eb18507940e3063e98827642f1b8c shows "token expired" with 4,120 occurrences.',
    "`secretsmanager:rds!cluster-eba70940-97fa-4867-9308-fcceb3ab28d5` is the name of its managed secret",
    "Password management system: interactive, enforces quality.",
  ],
  "two words that run together go where no code is": [
    '{"password":"«password|duneMirror»"}',
    "https://ci.example.com/job/build?token=«url_token|HarborOctopus»&cause=push",
    "const jwtSecret = process.env.JWT_SECRET || '«secret|Dragonquartz!»';",
    '{"password":"Required!"}',
    "const form = { password: userInput, token: nextToken };",
  ],
  "words with a joint and two digits are a password, names are not": [
    "* seller – `seller@example.com` / `«password|velvet_indigo49»`",
    "password: table_name12(x)",
  ],
  "a PIN or a code of digits goes behind its name": [
    "pin for the HSM partition is «pin|65762054», do not lock it",
    "Die PIN der Karte lautet «pin|5728».",
    '{"pin":"«pin|570925»"}',
    "pkcs11-tool --login --pin «pin|115949» -O",
    "GPIO pin 18 is the reset line, pin 1.2.3 of the image, PIN: 1234",
    "exit code 137, error code: 40012345, zip code 90210",
  ],
  "a speaker may be bold, quoted, or have letters beyond ASCII": [
    "> **Lena**: what was the pw for the admin again?\n> **Tomás**: «password|plasma_shadow_shadow»\n> **Lena**: thx",
  ],
  "a name of another language may have a verb that no list has": ["Slaptažodis: «password|Stone+hammer90»"],
  "a paragraph or a heading can announce pairs": [
    "passwords:\n  ops: «password|WXvWz67sV!wW9X69l»\nother: eu-west-1",
  ],
  "a word of another language that describes a password stays": [
    "Lorsque le mot de passe est erroné, renvoyez le même message.",
    "Hasło jest nieprawidłowe.",
    "Het wachtwoord is onjuist.",
  ],
  "a short form of the verb, an aside or a smile does not hide a password": [
    "her password's «password|cobblestone», as always",
    "My password is «password|ilovekittens» lol, I will change it",
    "The password's length is checked, my password is rejected lol",
  ],
  "a person says in any language what a password was changed to": [
    "J'ai remis le mdp à «password|tartiflette» hier soir",
    "Zmieniłem wczoraj hasło na «password|zielonykot», daj znać",
    "Mudei a senha para «password|pipocadoce» ontem",
    "Ho cambiato la password in produzione. Zmieniłem hasło na nowe. J'ai mis le mot de passe à jour.",
  ],
  "two words with a joint are a password where a sentence gives one": [
    "the shared secret between both services is «secret|walrus-tuxedo» (yes, really)",
    "The secret is server-side, the token is read-only. Sign in as a guest with read-only access.",
    "For passwords use argon2id. When asked for a password just press enter.",
  ],
  "words beside a note on how to type them are a password": [
    "password: at least 8 characters, one uppercase letter, no spaces",
    "passphrase: four random words, with the spaces",
  ],
  "a comment ends a password as a line does": [
    "<!-- login for the demo: demo / password: «password|butterfly» -->",
    "<!-- password: required -->",
  ],
  "a label and its password may be quoted as a whole, or be a symbol": [
    ":password: «password|rubyslippers»\n:adapter: postgresql",
    't("Password: invalid"), label: "Password: optional"',
  ],
  "letters without a digit that look random go from a string": [
    String.raw`String json = "{\"user\":\"x\",\"password\":\"«password|zpLnEzOGISdM»\"}";`,
    "%7B%22password%22%3A%22«password|oDtaUAtK2Iag»%22%7D",
    '{"password":"PostgreSQL"}',
  ],
  "fields with commas and maps with a comment hold passwords": [
    "This line leaks: user=billing, password=«password|TulipField»",
    'users = {"alice": "«password|wonderland5821»"}  # user -> password',
    "connect(user=billing, password=TulipField)",
    'users = {"alice": "viewer2"}  # user -> role',
  ],
  "a whole block with a public label stays, whatever its bytes are": [
    "-----BEGIN PUBLIC KEY-----\nDN+zPKm/NH3rS+cl5/FZHfee8YDLIhQuiDrNqcmSbwvkT5BqYYq22/2EHsyXH+Lz\nf6AL83YFjymJ1+TJvrS5pAZr15VoZBjRuESQuk3hdVCbxDrvQ3GIgeDPeCl2WyLZ\n-----END PUBLIC KEY-----",
  ],
  "an id, a reference and a constant in the place of a password stay": [
    "password mismatch for user db093aea-9ef7-497c-a017-8bb1f14da6ad",
    "password: enc:see-vault",
    "contraseña: TU_CONTRASEÑA",
  ],
  "an odd word goes where people speak of access, wherever it stands": [
    "If the VPN asks for a shared secret, type «password|Pepper_9246».",
    "sudo on the runner wants «password|y8FxvClhQ8tVn»",
    "When Jenkins prompts you, enter ci-admin followed by «password|Anchor_6334».",
    "Grafana: https://grafana.example.com, admin:«password|Velvet_4606»",
    "Der Router verlangt ein Kennwort, gib «password|Distel_8812» ein.",
  ],
  "a name of a thing, of code or of a place stays where people speak of access": [
    "Rotate the secret named billing-api-2024, the login test fails on iPhone14Pro.",
    "The unlock code path calls releaseLock2 in worker_pool3; auth needs Settings_Page2.",
    "Stripe price ids like price_1TKXgxlJbbIodApwTuIxZ1rt are not secret. Auth0 connection con_mtR8SoYZ74ZCfXrs",
    "both flows share useLogin2FA; authorize(User.Role2 & ~Role.Admin1); login%20failed",
  ],
  "a verb of any language leads from one password to the next": [
    "L'ancien mot de passe était «password|Pebble_3864», le nouveau est «password|q94auyzsklif9ee».",
    "Das alte Passwort war «password|Kiesel_4471», seit gestern gilt «password|Ahorn_9925».",
    "L'ancien mot de passe était trop court, le nouveau est conforme.",
  ],
  "a PIN has any owner, and answers a question": [
    "De pincode van het alarm is «pin|5182».",
    "What's the alarm threshold?\n8352 requests per minute",
  ],
  "a sentence about the letters of a password stays": [
    "the password is capital letters only in the legacy system",
  ],
  "the answer to a secret question may have two words": [
    "the answer to the secret question is stored hashed",
  ],
  "words that name nothing and a number go where a sentence speaks of a password": [
    "For the demo account just type «password|bananaSplit77» twice, it asks for confirmation.",
    "We authenticate with Keycloak24 now; try Firefox128 if the sign in popup is blocked.",
    "Please log in as tester01 and check the invoices page. The admin UI runs behind nginx1.25.",
    "password column changed from varchar_64 to varchar_255",
  ],
  "joined words go right behind a word for a password, and before one": [
    'Use "correct horse battery staple" style passphrases, see xkcd 936.',
  ],
  "a password is alone on its line below words about it": [
    "Password\n--------\n«password|Glen!burn8»",
    "kim: can you dm me the root pw\nlee: ok\nlee: «password|Vik!5512»\nkim: thx",
    "Grafana login\nadmin\n«password|Slip!way3»",
    "Credentials\n  see 1Password vault Staging2",
  ],
  "a code of a lock has joints or a sign": [
    "The combination to the server-room safe is «pin|38-12-77».",
    "Il codice di sblocco è «pin|66203».",
  ],
  "a password behind dots, in a call in a setter, encoded, behind a domain": [
    "Username....kim\nPassword....«password|Tenrec!881»",
    'user.setPassword(encoder.encode("«password|bluebird»"));',
  ],
  "a key of an object behind the name of a format stays": [
    '"password": { "type": "string", "format": "password", "writeOnly": true }',
  ],
  "an encrypted value of dotenvx stays": [
    'DATABASE_PASSWORD="encrypted:BTGjGtC+TiUeWI0o+6uF2G3Bi1KY3PIOujVmX+zP9irjE01g22RLBDjeic9nOJQ3iy7nF//sTsgjVDAjkHM"',
  ],
  "the id of a message, and a path behind a host, stay": [
    "message-id <JyCMzijqFsdGC5IIiSLhEBUrW3LSer7G@mail.corp.example> bounced",
    "figma.com/file/l7MGexqEDpQj4Jrru7I7Iv/Checkout node-id=12-388",
    "Google sheet 1wMd3sjgvpsBxRXHTxeLvGqhGUS47N44k8SzhPUOPoAZ has the mapping",
  ],
  "an answer in a chat": [
    "bob: pin for the meeting room tablet?\nsue: «pin|2580»",
    "la pw del wifi guest? «password|ixo2R*!O1Lqj8IgM5mAN»",
    "Does it check the password? Use isValidPassword2 of Auth0.",
  ],
  "an argument of a login call may be a weak password": [
    "new PDO($dsn, 'bob', '«password|hunter2Xy9»')",
    'DriverManager.getConnection(url, "bob", "«password|p@ssw0rd123»");',
    "await page.fill('input[name=\"password\"]', '«password|qW7zK2mP»')",
    "hmac.new(b'«password|Sommer2024!»', message, sha256); bcrypt.hashSync('«password|Sommer2024!»', 10)",
    's.login("alerts@acme.example", "«password|vucq vynt pesu hrce»")',
    "Grafana: admin / «password|p@ssw0rd123», then connect as root/«password|Tr0ub4dor&3»",
    'sign(payload, "Ed25519"); connect(region, "eu-west-1"); ldap_bind("db.local", "node01"); auth("bob", "cert2.pem")',
  ],
  "an argument of a call is code": ["login_as(create(:user, password: SecureRandom.hex))"],
  "a word that describes a password is none, also in quotes": [
    'client.post("/signup", json={"email": "a@b.example", "password": "short"})',
  ],
  "the next name of an object is no value": [
    '"password": "パスワード", "passwordAgain": "パスワード（確認）", "token": "トークン"',
  ],
  "an option has a value of its own": [
    "aws ecr get-login-password --region eu-west-1 | docker login --username AWS --password-stdin 1.example",
  ],
  "the value of a switch is a level": [
    "rules:\n  no-hardcoded-password: warn",
    "allow_empty_password: maybe",
  ],
  "a short word, a joint and a year name a version": [
    "All logins failed: the cache kept the key with kid=sig-2024 after rotation to sig-2025.",
  ],
  "no name has a sign between its letters": [
    "the password of the `reporting` role was leaked in this PR («password|rep0rt!ng#Ro»). Rotated.",
  ],
  "a pair may have a password of words and one digit": [
    "Anmeldung am Nexus geht mit deploy/«password|Zwiebel.Turm.9» solange LDAP kaputt ist.",
  ],
  "a backup code may be one number": ["Apple test ID, 2FA backup code «recovery_code|201383»"],
  "an aside may follow the name of a seed": [
    "Ledger seed (testnet only, but still): «seed_phrase|ripple cannon stable orbit lunar fetch ozone velvet timber clutch narrow puzzle»",
  ],
  "a rule about the length of a password stays": ["Password: At least 8 characters!"],
  "a form of a vendor is stronger than a public prefix": [
    "ClickUp «service_api_key|pk_35354692_248M7USVJ22RFJDFPMSAZNZLGQW6IFM5» (a personal token)",
  ],
  "a private key may be a list of bytes": [
    `private sizes: [${Array.from({ length: 64 }, () => 8).join(",")}]`,
  ],
  "base64 of an environment file with a password is a secret": [
    "base64 of the prod .env, decode with -d: «high_entropy_value|REJfUEFTU1dPUkQ9TGFya3NwdXJfOQpBUElfVE9LRU49cThadDJMbVcweFYK»",
  ],
  "the id of an access key goes with its name": [
    "provider = Wasabi\naccess_key_id = «api_key|8C444ESNGCS9L0TXZLVW»",
  ],
  "code does not go on right behind a bracket": [
    "Server=tcp:sql1;Database=dw;Uid=dw_load;Pwd=«password|Cistern{Well}4»;Encrypt=yes;",
  ],
  "to pass is a verb, and what is passed is code": [
    "You can pass a custom `fetch` function using the `options.request.fetch` option, see below.",
    "Adding possibility to pass custom comparator to `Heap` & `FibonacciHeap`.",
    "Pass `-Dpamconfdir=no` to meson to avoid installing this file.",
    "Run post-render work after it, and pass the result to the next function.",
    "The DB pass is «password|Gr33nhouse-Gas» still.",
  ],
  "names of code are no guess, in quotes or as a pair": [
    "new CustomResource(this, 'Resource1', { serviceToken: myProvider.serviceToken });",
    "const socks5Proxy = new Socks5ProxyAgent('socks5://username:password@localhost:1080')",
    "Choice-based authentication: passwordless sign-in / passkey sign-in",
    "It is the username and password separated\nby a colon",
  ],
  "a key for an app of codes comes in groups of four": [
    "2FA setup key: «totp_seed|om6s him8 nrat 391y ifbg befi z9rs hjcd»",
  ],
  "a column, an element or a variable may name a PIN": [
    "| device | ip | PIN |\n|:--|:--|--:|\n| door A | 10.0.1.4 | «pin|55102» |\n| door B | 10.0.1.5 | «pin|91837» |",
    "<user><name>anna</name><pin>«pin|4471»</pin></user>",
    "LED_PIN = 13, pin: 2024, otp: 123456, pin count 5512",
  ],
  "a column of keys beside a column of services holds keys": [
    "| Service | Key |\n| --- | --- |\n| Geocoder | `«secret|{hex:32}»` |",
    "| Key | Value |\n| --- | --- |\n| digest | {hex:32} |",
  ],
  "the name of a setting may stand behind its value": [
    "UPDATE settings SET value='{hex:32}' WHERE name='cache_version';",
  ],
  "a key may be random text with signs and spaces": [
    "define('AUTH_KEY', '«api_key||nWMfpucJVD%1B0Ll16e+flHgpYE0yOVfDxoEzefZ $,3PjV+LX!Tl»');",
    "define('AUTH_KEY', 'Put your unique phrase here, at least 32 characters (A-Z, 0-9, signs)!');",
  ],
  "any type may stand between a name and its string": [
    'let aes_key: [u8; 16] = *b"«api_key|9fK2vQ7xLm4TzR1b»";',
    'password: Final[str] = "«password|bluebird»"',
    'Password: <input name="bluebird">',
  ],
  "a link holds a key if its whole fragment is random": [
    "https://vault.example.com/#/send/«url_token|tfmupTrw1GOvCihmKPl00m»/«url_token|iV_CGhSNW4FZFruwALxiJl»",
    "https://app.example.com/#/projects/8dKq2VhZpW5rTnXy7LmBc4Gs9",
  ],
  "a PIN follows its name or its place, answers a question, or stands before its name": [
    "When the HSM asks for the crypto-officer PIN, type «pin|97300274». Two people must be there.",
    "金庫の暗証番号は«pin|429688»です。",
    "The PIN is valid for 3600 seconds, error code 40012, the lock waits 5000 ms.",
  ],
  "codes of a list have one form, with or without digits": [
    "Discord backup codes (unused): «recovery_code|abcd-efgh, ijkl-mnop, qrst-uvwx»",
    "One-time codes left\n  [x] used\n  [ ] «recovery_code|ksbueqdz-idewlwz6\n  [ ] zfn40dxn-ogvqr16b»",
    "Backup codes are single-use and read-only.",
  ],
  "the words of a seed phrase may be numbered, quoted or listed": [
    'mnemonic = ["«seed_phrase|ladder", "orbit", "tomato", "velvet", "cabin", "thrive", "museum", "pistol", "quantum", "ribbon", "salad", "echo»"]',
  ],
  "a key may be a list of bytes in hex": [
    "static const uint8_t sbox[16] = { 0xaa, 0x6c, 0x4c, 0x23, 0xec, 0x6a, 0xe9, 0x76, 0xae, 0x61, 0x4d, 0x35, 0x19, 0x44, 0x26, 0x27 };",
  ],
  "the strings of a list that is joined are one": [
    'url = "postgres://app:" + \\\n      "«url_password|yjFsliXfd9»" + "@db/app"',
    "const names = ['anna', 'ben'].join(', ')",
  ],
  "a form, a heredoc, a plan, a list of users and a mail server hold passwords": [
    'Content-Disposition: form-data; name="password"\n\n«password|Insect!7477CED»\n------X--',
    "db_password = <<EOT\n«password|Xgk9=NURQdGo5q2jEh»\nEOT",
    "C: AUTH LOGIN\nS: 334 UGFzc3dvcmQ6\nC: «password|OHMwTkp3RUEhMTYz»",
    "$pass .= '«password|P08pR6V»';",
    '  ["pass"]=> string(12) "«password|RbU6hnyKriKy»"',
  ],
  "the owner of a password stands behind it in Romance languages": [
    "senha_do_keystore=«password|Tundra179jungle»",
    "CLE_API=«token|{hex:40}»",
  ],
  "an image, a file, a function and an entry of a store are no credentials": [
    "kubectl set image deploy/auth auth=acme/auth:43537b1",
    "upload finished: key=events/2026/03/01/89744649-51f2-4e63-9acf-4e71fa198092.gz",
    "a.password=function(e){return e.length>11}",
    'lpass show --password "Shared-Infra/NAS"',
    "const passRate = passed / total;",
    "NIST vector: key 000102030405060708090a0b0c0d0e0f",
  ],
  "a token with a known prefix may be shorter than its vendor makes it, a name with the prefix stays": [
    "see «github_token|ghp_{alnum:31}» in the log",
    "the nsec of the bot: «nostr_key|nsec1{alnum:58}»",
    "unkey_verification_middleware_handler and retool_workflow_step_runner are modules",
  ],
  "random words with a dot between them are a password, not a path of code": [
    '"Main": "Server=sql1;Database=Core;User Id=core;Password=«password|i6qiRCWW.j0»;Encrypt=true"',
    "System\tKonto\tPasswort\tStand\nJenkins\tdeploy\t«password|SFBB2k7cYxbd.WE»\t03/2025",
    "login attempt user=mkowalski password=«password|Parrot.Mango_25» ip=10.4.2.19",
    "password = req.APIKey; token: aws.S3.GetKey, secret = cfg.OAuth2ID.Value",
  ],
  "strings that code puts together are one, whatever puts them together": [
    'String k = "«stripe_key|sk_live_gonPN0D9".concat("UkQbAsZs0iBMSzo7»");',
    'std::string admin_password = std::string("«password|zbZTha") + "z7tH1hkK»";',
    'pwd.append("«secret|IcRpDIC").append("7IJfTTM»");',
    "'X-Auth-Token' = '«token|0ceH8HdO2xux0puF' `\n    + '9Vyx9K3eaWGaQgqx»'",
    "set TOKEN=«gitlab_token|glpat-bKeXtD7eeM^\nONLXX8baHQ»\ngit push",
    'SECRET+="«secret|sNLdI8vUS7UYH2Yp»"',
    't("password") + ": " + value; list.append("a"); list.append("b")',
  ],
  "a row whose first cell names a credential has a value in each further cell": [
    "Hostname;fw-02\nBenutzer;netops\nPasswort;«password|dCj6CPHC_WIoi6t»",
    "db.user          app          app          app_p\ndb.password      «password|CmT2_OY3IT»   «password|8K6-0qyMXp»   in Vault",
    "REPOSITORY   TAG     IMAGE ID       CREATED\napi          1.4.2   80f220ebdad3   2 days ago\ntoken-svc    0.9.0   037da1f81212   3 weeks ago",
  ],
  "a column of users and passwords holds pairs": [
    "Vendor\tPortal\tLogin\tPwd\t2FA\nOVH\tovh.com\tab12345-ovh\t«password|DN-pickle-4631»\tyes",
  ],
  "characters, bytes and serialized strings hold passwords": [
    'ks.load(in, "«password|KC-saddle-9832»".toCharArray());',
    'for (char c : "abcdef".toCharArray()) {}',
    'a:2:{s:4:"user";s:3:"svc";s:8:"password";s:12:"«password|y2SLglFiLOC7»";}',
    'user = "uploader:«password|dOieqwN0fcXGWUdNf1»"',
    'auth.token = "«token|goblin-badger-lemon-5288»"',
  ],
  "the colours of a terminal and the signs of a wiki are no part of a value": [
    "\\u001b[32mAdmin password:\\u001b[0m \\u001b[1m«password|rvps0lvdjrNm4Gb3»\\u001b[0m",
    "'''Root password:''' <nowiki>«password|dpIYos6Yv$AlZc»</nowiki>",
    "*Passwort:* «password|{{q15l-eKCetkk}}», password: {{db_password}}, password: {{password2}}",
  ],
  "codes to recover an account, in Romance languages": [
    "códigos de recuperação da conta AWS: «recovery_code|hgxyvt51wc / sgzen5pmok / e56qt6y8ge»",
    "store the recovery codes in 1Password.",
  ],
  "a command that reads a secret, a key of the keyboard, a fingerprint and a note to replace it stay": [
    "PASSWORD=`pass show work/ldap`",
    'the shortcut key for "reveal password" is Alt+R',
    "Der Fingerabdruck des Host-Schlüssels lautet\n   SHA256:A+DXxgz1Z8Pab8zWGfgSKMvqcIObpkhoowGKmyeLpL7",
    'mot_de_passe = "à_remplacer"',
    "mail.smtp.password=@smtp.password@",
    'RFC 4226 test secret "12345678901234567890" is used for the vectors',
    "DB_PASS <- getenv   (set this before you start)",
    "The upload id returned by the call (tg_EkJXlYYhFknJM1lawdPtRabwMjAyNDCidvb21r09VAk7K8wdiZeq6xhNenCnQ) has to be kept",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEASEaT3oAwJjGbrKMfR6Bs\nDI1Uzv15UzG0JWNHxfS895ENkZBXhrQwkK9TqQ2hkdYEa2idBPTtKQ5ax3SxIvOj\n[... cut ...]",
  ],
  "code gives a password back, compares it or holds it in a map of users": [
    'if (strcmp(pass, "«password|kestrel99»") == 0)',
    "printf 'a' 'b'; users = { label: 'Sign in', role: 'admin' }",
  ],
  "a list of logins may have dots, numbers or the signs of a wiki between its columns": [
    "Account.......: bob\nPassword......: «password|kestrel99»",
    "! Host !! User !! Password\n|-\n| db1 || bob || «password|kestrel99»",
    'redis> HGETALL cfg\n3) "secret"\n4) "«secret|fcdf75d044b982ca664f556b79d27b1dca6ce0cc»"',
    "Table of contents of the login guide\nChapter 1 .......... 12\ntests/login.py .......... [100%]",
  ],
  "a seed of one-time passwords has groups of four small letters": [
    "can't scan the QR? enter this key manually: «totp_seed|xqrf czlc kcfu bqsv hxlq vjlk ysjs draw»",
  ],
  "a value goes by its look and by the words near it": [
    "请使用 «password|Xk9mQ2ppLw7a» 作为密码",
    '把 "«password|Xk9mQ2ppLw7a»" 设为密码',
    "«password|Xk9mQ2ppLw7a» をパスワードとして使う",
    "auth «password|Xk9!pQz7Rt»",
    "login «password|Xk9!pQz7Rt»",
    "«password|a2gwZfImqeLWr7» ist das Passwort für den Adminbereich.",
    "Im Testsystem ist das Kennwort des Dienstkontos «password|Merlin1978@» hinterlegt.",
    "Can you send me the password of ops?\n\nSure, it's «password|Amber-Willow-36»",
    "My password («password|Amber-Willow-36») stopped working.",
    "ana 10:02\ncan I get the pw?\ntom 10:03\nsure: «password|p8TDlmnKsbNCIM»",
    "That «password|aHUqhukp32RXRpzu» in line 12 is the database password.",
    "passwords:\n  ops: «password|WXvWz67sV!wW9X69l»\nother: eu-west-1",
    "«password|Xk9!pQz7Rt2bW» pass",
  ],
  "what a found value leaves around it, and what is only near a name": [
    "secret: process.env.SECRET (043d1b)",
    "jdbc:sqlserver://sql01:1433;databaseName=crm;user=app;password=«password|P@ssw0rdKq7»;encrypt=true",
    "mongodb://app:«url_password|Kq7vTz92»@a,b/app?replicaSet=rs0",
    "STRIPE_SECRET_KEY=sk_live_...",
    "our vault password («password|WALRUS_211»)",
    'connect("«password|WALRUS_211»")',
  ],
  "values that a standard publishes stay, and nothing else on their line": [
    "NIST AES-128 vector: key 2b7e151628aed2a6abf7158809cf4f3c, plaintext 6bc1bee22e409f96e93d7e117393172a",
    'RFC 6749 example response: "access_token":"2YotnFZFEjr1zCsicMWpAA"',
    "SPRING_DATASOURCE_PASSWORD=«password|Xk29!mPqLw7» # see the example of RFC 7617",
  ],
  "hashes of passwords, sentences about passphrases, numbers and calls stay": [
    "bcrypt hashes start with $2b$12$ and the salt",
    "A passphrase should be readable, long and memorable.",
    "passphrase: ask the release manager on call",
    "#0 /var/www/a.php(7): Foo->__construct('abc', 12, Array)",
    "รหัสผ่านต้องมีอย่างน้อย 8 ตัวอักษร",
    "session({ secret: 'your secret here' }), session({ secret: 'keyboard cat' })",
    '{"password": "new password"}',
    "Please check the pin header on the board, pin 4071 does not exist.",
    "the code for the error is 40213",
    "For the passphrase we recommend diceware word lists in several languages.",
    "Passphrase entropy estimates assume independent uniform draws from fixed dictionaries.",
    "Paraphrase detection models compare sentence embeddings using cosine similarity scores.",
    "The read / write split and user/password authentication of OAuth2Client",
    "asks for the password; type it twice and press the button",
    "The passphrase is stored in the team vault. The passphrase is longer than the old one was.",
    "$ cat tokens.txt\nREADME.md",
  ],
};
