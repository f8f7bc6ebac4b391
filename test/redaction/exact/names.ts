const random = "aB3dE6gH9kLm2NpQ";
const word = "correcthorse";

/** A name in front of a value that bears out every claim, and the kind the name makes of it. */
const claims = (kind: string, names: string) =>
  names.split(" ").map((name) => `${name}: "«${kind}|${random}»"`);
const claimsNothing = (names: string) => names.split(" ").map((name) => `${name}: "${random}"`);

export const names: Record<string, readonly string[]> = {
  "a name gets its kind from its last word": [
    ...claims("password", "password passwd passwort passcode kennwort pwd pass pw bindpw psk pepper"),
    ...claims("password", "userPassword DB_PASS mypassword passphrase userPassphrase keyphrase"),
    ...claims("secret", "secret clientSecret appsecret secretKey secret_key secretkey"),
    ...claims("token", "token accessToken mytoken"),
    ...claims(
      "secret",
      "key sid cred creds credential credentials auth pat session sessionid phpsessid jsessionid sessid",
    ),
    ...claims("secret", "my_key mykey"),
  ],
  "a name gets its kind from the word before key": [
    ...claims(
      "api_key",
      "api_key accessKey private-key encryption_key signing_key master_key hmac_key license_key account_key subscription_key app_key auth_key storage_key service_key admin_key deploy_key client_key consumer_key webhook_key apikey",
    ),
    ...claimsNothing(
      "public_key cache_key primary_key partition_key sort_key foreign_key idempotency_key restore_key object_key query_key translation_key hash_key dedupe_key content_key digest_key lookup_key asset_key file_key row_key item_key index_key group_key state_key map_key socket_key publickey",
    ),
    `secret_key: "«secret|${word}»"`,
    `cache key: "${random}"`,
    `api key: "«api_key|${random}»"`,
    `a key: "«secret|${random}»"`,
    `key: "${"0123456789abcdef".repeat(2)}"`,
    'my_key: "«secret|{hex:32}»"',
    'my_key: "{hex:31}"',
    'api_key: "«api_key|{hex:32}»"',
    'the_api_key: "«api_key|{hex:32}»"',
  ],
  "a name may be of another language": [
    ...claims("password", "Zugangscode Geheimcode Entsperrcode 암호 비번 暗号 pwds"),
    ...claims("secret", "Geheimschlüssel 秘密鍵 비밀키 secret_access_key"),
    ...claims("api_key", "인증키 密钥"),
    `| user | секретный ключ |\n|---|---|\n| bob | «secret|${random}» |`,
    `Secret Access Key = «secret|${random}»`,
  ],
  "a name may end in an environment, a number or another qualifier": [
    ...claims(
      "password",
      "password_prod passwordProduction password_staging password_stage password_dev password_development password_ci password_live password_old password_new password_private password_base password_value password_default password_plain password_plaintext password_equals password_confirm password_confirmation password_1 password2 password_new_prod password.prod.2",
    ),
    ...claims("api_key", "api_key_base api_key_2_prod"),
    ...claimsNothing("password_hash token_url secret_name key_id password_length prod_password_hash"),
  ],
  "a name is ignored if it only resembles the name of a credential": claimsNothing(
    "bypass compass encompass surpass trespass keyboard author pattern  session_count side",
  ),
  "a name accepts any word as its value if it is in capitals, or alone on its line": [
    `DB_PASSWORD=«password|${word}»`,
    `DB.PASSWORD-2=«password|${word}»`,
    ...["db_password", "xDB_PASSWORD", "DB_PASSWORDs_PASS", "_PASSWORD"].map(
      (name) => `${name}=«password|${word}»`,
    ),
    `login(user=me, db_password=${word})`,
  ],
  "a name accepts any text as its value if it is a setter": [
    ...["setPassword", "withPassword", "usePassword", "putPassword", "addPassword", "set_password"].map(
      (name) => `${name}("«password|${word}»")`,
    ),
    ...["client.setPassword", "client_setPassword", "client.with_password"].map(
      (name) => `${name}("«password|${word}»")`,
    ),
    ...["password", "resetPassword", "setpassword", "getPassword", "clientsetPassword"].map(
      (name) => `${name}("${word}")`,
    ),
  ],
  "a name is ignored if it has more than eighty characters": [
    `${"a".repeat(71)}_password="«password|${word}»"`,
    `${"a".repeat(72)}_password="${word}"`,
  ],
};
