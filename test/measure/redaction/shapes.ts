import { rules } from "../../../lib/redaction/finders.ts";

/** Units that keep a search busy if they are repeated, and chains in which each replacement uncovers the next credential. */
const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const random = "aB3dE6gH9kLm2NpQ5rS8tUv1WxY4z";

/** A text of hostile shape, of any length. */
export interface Shape {
  readonly shape: string;
  readonly ofLength: (length: number) => string;
}
const repeated = (unit: string): Shape => ({
  shape: JSON.stringify(unit.slice(0, 40)),
  ofLength: (length) => filled(unit, length),
});
const opened = (opening: string, unit: string): Shape => ({
  shape: `${JSON.stringify(opening)} and then ${JSON.stringify(unit.slice(0, 40))}`,
  ofLength: (length) =>
    filled(opening.length < length ? unit : opening, length - opening.length).replace(/^/, opening),
});

const names = ["password", "token", "key", "the password is", "DB_PASSWORD"];
const bridges = [
  "=",
  ": ",
  '="',
  " is ",
  " (a): ",
  '\\":\\"',
  "=a.b.",
  "\n value: ",
  "=${",
  "=a1!B ",
  ": a1!B\n",
];
const loose = [
  "passphrase: ",
  "a1!B ",
  "a1!B\n",
  "a1!B@x ",
  "1a2b3c4d ",
  "x-y-z-1 ",
  "aB3$ token ",
  "login a1!B5x9 ",
  "Kq7!vTz92 pass ",
  "walrus_amber_2114 secret ",
  "p8TDlmnKsbNCIM is the key ",
  "admin:a1!B4@h ",
  "anna / a1b2c3! ",
  "(a1!B) ",
  "Aa1! Bb2? ",
  "PIN: 4711 ",
  ":5432:a:b:c1d2 ",
  "machine a login b password c1d2\n",
  'auth=("a", "b1c2d3") ',
  "password | user\na | b1!\n",
  "seed phrase walnut cinder ",
  "use walnut cinder velvet as the passphrase ",
  `password=${random.repeat(14)} `,
  `${random} `,
  `${random}/`,
  "[REDACTED:token]: ",
  "[REDACTED:password] and ",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nMIIEabcdEFGH0123456789",
  "&quot;password&quot;:&quot;",
  "contraseña es a1",
  "密码",
  "eyJa.eyJb.",
  "://a:b@",
  "?a=1&key=aB3",
  "authorization: bearer ",
  "connect(",
  'login("a", ',
  "\\",
  "&#61;",
  "<b>",
  '"a" + ',
  "é",
  "[",
];
/** Each begins with a context of its own, so that what follows is one chain. */
const chains: readonly (readonly [string, string])[] = [
  ["password: ", "a1!B "],
  ["passphrase: ", "a1!B "],
  ["the password is ", "Kq7-vTz92 and "],
  ["The passwords are ", "Kq7!vTz92, "],
  ["login anna / ", "b1!C2 / "],
  ["curl -u a:", "b1!C2:"],
  ["token=", "aB3$dE6 "],
  ["docker login -p ", `${random}${random}SHA256:`],
  ["authorization: ", ` basic ${random.repeat(6)}`],
  ['auth=("a', `", "${random.repeat(8)}`],
  ["a <password>", `<password>${random.repeat(15)} `],
  ["key=", `key=${random.repeat(10)}=`],
  ["old password ", "a1!B4x9 new "],
];
const beginnings = [
  ...new Set(
    [...new Map(rules.map((rule) => [rule.pattern, rule])).values()].flatMap((rule) =>
      ("prefixes" in rule ? rule.prefixes : rule.keywords).slice(0, 1),
    ),
  ),
];

export const shapes: readonly Shape[] = [
  ...loose.map(repeated),
  ...names.flatMap((name) => bridges.map((bridge) => repeated(name + bridge))),
  ...chains.flatMap(([opening, unit]) => [opened(opening, unit), repeated(opening + unit)]),
  ...beginnings.flatMap((beginning) => [repeated(`${beginning}aB3-x_9Zq.`), repeated(`${beginning} `)]),
];
