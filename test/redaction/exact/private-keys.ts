const begin = "-----BEGIN RSA PRIVATE KEY-----";
const end = "-----END RSA PRIVATE KEY-----";
const line = "{base64:64}";

export const privateKeys: Record<string, readonly string[]> = {
  "a private key is not found between the paths of a listing": [
    "deploy/values:9:-----BEGIN RSA PRIVATE KEY-----\ndeploy/values:10:...\ndeploy/values:11:-----END RSA PRIVATE KEY-----",
  ],
  "a private key needs at least twelve characters": [
    `${begin}\n{alnum:11} and so on`,
    `${begin}\n{alnum:11}`,
    `«private_key|${begin}\n{alnum:12}\n${end}» x`,
    `a: {alnum:9},${end}`,
    `a:\n\n{alnum:10}\n${end}`,
  ],
  "a private key ends with the last of its lines": [
    `«private_key|${begin}\n${line}»\nshort words follow`,
    `«private_key|${begin}\n${line}»\n{alnum:15} follows`,
    `«private_key|${begin}\n${line}\n{alnum:16}» follows here`,
    `«private_key|${begin}\n${line}»\\n{alnum:15} follows`,
    `«private_key|${begin}\n${line}\nshort»\n\nA sentence.`,
    `«private_key|${begin}\n${line}\nshort»    \n\nA sentence.`,
    `«private_key|${begin}\n${line}\nshort»`,
    `«private_key|${begin}\n${line}\nshort»  `,
    `«private_key|${begin}\n${line}\nshort»"; A sentence.`,
    `«private_key|${begin}\n${line}\nshort»'; A sentence.`,
    `«private_key|${begin}\n${line}\nshort»\`; A sentence.`,
    `«private_key|${begin}\n${line}\nshort»\\ A sentence.`,
    `«private_key|${begin}\n${line}\nshort»\r\n\r\nA sentence.`,
    `«private_key|${begin}\n${line}\nab==»`,
    `«private_key|${begin}\n${line}\n=abcd»`,
    `«private_key|${begin}\n${line}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----»`,
    `«private_key|${begin}\n${line}\n------END RSA PRIVATE KEY-----»`,
    `«private_key|${begin}\n${line}»\n-------END RSA PRIVATE KEY`,
    `«private_key|${begin}\n${line}»\n----END RSA PRIVATE KEY`,
    `«private_key|${begin}\n${line}\n${end}»\n-----END CERTIFICATE-----`,
  ],
  "a private key includes the headers inside it": [
    `«private_key|${begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX:32}\n\n${line}\n${end}»`,
    `«private_key|-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${line}\n-----END PGP PRIVATE KEY BLOCK-----»`,
    `«private_key|${begin}\\nProc-Type: 4,ENCRYPTED\\n\\n${line}»\\nand then`,
  ],
  "a private key continues across punctuation, escapes and line numbers between its lines": [
    ...[
      '"',
      "'",
      "`",
      ">",
      "+",
      "|",
      ",",
      ".",
      "*",
      "#",
      ";",
      "\\n",
      "\\r",
      "\\t",
      "\\",
      "\t",
      "- ",
      "-",
    ].map((between) => `«private_key|${begin}\n${between}${line}\n${between}${line}\n${end}» x`),
    ...["1|", "12 |", "123456 | ", "12   |", "12:", "12: "].map(
      (number) => `«private_key|${begin}\n${number}${line}\n${number}${line}» and so on`,
    ),
    `«private_key|${begin}\n${line}»\n1234567: x`,
    `«private_key|${begin}\n${line}»\n12=${"{digits:16}"} x`,
    `${begin}\n!\n${end}`,
  ],
  "a private key is found in comments, tags, listings and code": [
    ...["// ", "-- ", "REM ", ";; ", "dnl ", '.\\" '].map(
      (comment) =>
        `${comment}«private_key|${begin}\n${comment}${line}\n${comment}${line}\n${comment}${end}» x`,
    ),
    ...["<br>", "</p><p>", "</span><span>", "&#10;", "<br/>\n"].map(
      (tag) => `«private_key|${begin}${tag}${line}${tag}${line}${tag}${end}» x`,
    ),
    ...["// ", 'sb.AppendLine("', "12: ", "a1b2c3d4 (Jane Doe 2025-01-02 10:00:00 +0100 12) "].map(
      (before) => `${before}«private_key|${begin}\n${before}${line}\n${before}${line}»\n\nA sentence.`,
    ),
    `sb.AppendLine("«private_key|${begin}");\nsb.AppendLine("${line}");\nsb.AppendLine("${end}»");`,
    `key = "«private_key|${begin}" & vbLf & _\n  "${line}" & vbLf & _\n  "${end}»"`,
  ],
  "a private key directly after another is redacted by itself": [
    `«private_key|${begin}\n${line}\n${end}»\n«private_key|${begin}\n${line}\n${end}» x`,
  ],
  "a private key does not take the text after its END line with it": [
    `«private_key|${begin}\nMIIEpAIBAAKCAQEA{alnum:48}\n${end}»\n\nRotate it, please.\n\n«private_key|${begin}\n${line}\n${end}» x`,
  ],
  "a private key is found in a form or a URL, where other signs replace spaces and line breaks": [
    ...[
      ["%20", "%0A"],
      ["+", "%0D%0A"],
      ["%20", "\\n"],
      ["_", "\n"],
    ].map(([blank = "", lineEnd = ""]) => {
      const label = `RSA${blank}PRIVATE${blank}KEY-----`;
      const body = `${lineEnd}{alnum:64}${lineEnd}{alnum:20}%3D${lineEnd}`;
      return `x?pem=«private_key|-----BEGIN${blank}${label}${body}-----END${blank}${label}»&user=ci`;
    }),
    "«private_key|%2D%2D%2D%2D%2DBEGIN%20PRIVATE%20KEY%2D%2D%2D%2D%2D%0A{alnum:64}%0A{alnum:20}%0A%2D%2D%2D%2D%2DEND%20PRIVATE%20KEY%2D%2D%2D%2D%2D» x",
  ],
  "a private key is found between lines without dashes": [
    `«private_key|BEGIN RSA PRIVATE KEY\n${line}\nab12\nEND RSA PRIVATE KEY» x`,
    "Never commit a file with BEGIN RSA PRIVATE KEY in it.",
  ],
  "a private key is found from its first line on if the BEGIN line is missing": [
    `A word\n\n«private_key|{alnum:40}\n${line}\n=\n${end}» x`,
    `A word\n\n{lower:39}\n«private_key|${line}\n${end}» x`,
    ...['"', "'", "`", ">", "|", ",", "\\", "\r"].map(
      (between) => `A word:«private_key|${line}${between}\n${line}${between}\n${end}» x`,
    ),
    `A word: «private_key|{base64:40}/+==\n${end}» x`,
    `«private_key|${line}\n${end}»\n«private_key|${line}\n${end}» x`,
    `{lower:64}\n-----END CERTIFICATE-----\n«private_key|${line}\n${end}» x`,
    `${end} x`,
  ],
  "a private key is redacted from the first to the last line of a PuTTY file": [
    "a «private_key|PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n{base64:60}\nPrivate-MAC: {hex:40}» b",
    "a «private_key|PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nabc\nPrivate-MAC:{HEX:40}» b",
    "a «private_key|PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nabc\nPrivate-MAC: \t  {HEX:40}» b",
  ],
  "a private key is not found in a block that holds a public key, a signature or a message": [
    `-----BEGIN SSH2 PUBLIC KEY-----\nAAAAB3NzaC1yc2EA{base64:48}\n${line}\n-----END SSH2 PUBLIC KEY-----`,
    `---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3NzaC1yc2EA{base64:48}\n${line}\n---- END SSH2 PUBLIC KEY ----`,
    `-----BEGIN SSH SIGNATURE-----\nU1NIU0lH{base64:56}\n${line}\n-----END SSH SIGNATURE-----`,
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF{base64:58}\n${line}\n-----END PGP PUBLIC KEY BLOCK-----`,
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nxsDNBF{base64:58}\n${line}\n-----END PGP PUBLIC KEY BLOCK-----`,
    `-----BEGIN CERTIFICATE-----\nMIIB7jCCAaCgAwIBAgIQQb{base64:42}\n${line}\n${line}`,
    `-----BEGIN PGP MESSAGE-----\n\nhQEMA{base64:59}\n${line}\n-----END PGP MESSAGE-----`,
  ],
  "a private key is not found if a text only mentions parts of a PuTTY file": [
    "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nabc",
    "x PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nabc",
    "It begins with PuTTY-User-Key-File-2 and ends with Private-MAC: then.",
    "It begins with PuTTY-User-Key-File-2 and ends with Private-MAC: then. Private-Lines: 1",
    "Private-Lines: 1\nIt begins with PuTTY-User-Key-File-2 and ends with Private-MAC: then.",
    "PuTTY-User-Key-File-2: has Private-Lines: in it.\n\nPrivate-MAC: 01",
    "Private-Lines: 1\nabc\nPrivate-MAC: 01",
  ],
};
