import { isConstant, isSetter } from "./assignment-names.ts";
import type { Link } from "./evidence.ts";
import { memoize } from "./memoize.ts";
import { quotes as q } from "./values.ts";
import { pattern } from "./words.ts";

/** A name and its position in the text. */
export interface Name {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The text that leads from a name to its value. */
export interface Separator {
  /** The characters that the text can begin with, so that most names need only one lookup. */
  readonly first: string;
  readonly link: Link | undefined;
  readonly pattern: RegExp;
  readonly serves?: (name: Name) => boolean;
  /** The value is a block of text. */
  readonly isBlock?: boolean;
}

/** In these patterns `¶` is a quote and `·` is a space or a tab. */
const sticky = (source: string) =>
  new RegExp(source.replaceAll("¶", `[${q}]`).replaceAll("·", "[ \\t]"), "y");

const before = ({ text, start }: Name, length: number) => text.slice(Math.max(0, start - length), start);
const isFlag = ({ name }: Name) => name.startsWith("-");
const isElement = (name: Name) =>
  "<:".includes(name.text.charAt(name.start - 1) || " ") &&
  // `mongodb://<username>:<password>@host`: a placeholder.
  /(?:^|[^:/@=])<(?:[\w.-]{1,20}:)?$/.test(before(name, 23));
const declaredName = pattern(
  "i",
  String.raw`_key$|^LicenseKey$|^X-[A-Z][\w-]+$|bindpw$|rootpw$|[a-z]-password(?:-value)?$`,
  String.raw`|^(?!\S*\benv\.)[a-z][\w-]*(?:\.[\w-]+)+$`,
);
const isDeclaredName = memoize(
  (name) => declaredName.test(name) || /^(?:requirepass|masterauth|rootpw)$/.test(name),
);
const declares = pattern(
  "",
  String.raw`(?:ENV|ARG|set|setx|add|define|-g?x|SetEnv|env|fastcgi_param|config|\bconst|\bdefine`,
  String.raw`|authToken|requirepass|masterauth)[ \t]$`,
);
/** `ENV TOKEN …`, `set -x TOKEN …`, `#define TOKEN …`, `config set dbPassword …`, `api_key …`, `bindpw …`. */
const isDeclared = (name: Name) =>
  // `~/.ssh/deploy_key` is a file.
  (isDeclaredName(name.name) && name.text.charAt(name.start - 1) !== "/") ||
  (" \t".includes(name.text.charAt(name.start - 1) || "x") && declares.test(before(name, 16)));
export const isLineStart = (name: Name): boolean =>
  /(?:^|\n)[ \t>|+*-]{0,8}(?:export[ \t]+|set[ \t]+|SET[ \t]+|ENV[ \t]+|ARG[ \t]+|- |\$env:)?["']?$/.test(
    before(name, 24),
  );

/** `${TOKEN:-…}`: a variable with a default value. */
const isExpanded = ({ text, start }: Name) => text.startsWith("${", start - 2);

const over = (
  link: Link | undefined,
  first: string,
  pattern: RegExp,
  more?: Pick<Separator, "serves" | "isBlock">,
): Separator => ({
  link,
  first,
  pattern,
  ...more,
});

/** In the order in which they are tried. */
// biome-ignore format: one row a line
export const separators: readonly Separator[] = [
  // password: >- and the value in the next line
  over(undefined, `${q} \t:=`, sticky(`¶?(?::·+[>|][+-]?·*\\r?\\n·+|·*[:=]·*<<[-~]?¶?\\w{1,12}¶?\\r?\\n·*)`), {
    isBlock: true }),
  // passwords = ["…", "…"], password: { value: "…" }
  over("literal", `${q}]) \t:=`,
    sticky(
      `[${q}\\])]{0,3}·{0,40}(?::=|=>|[:=])\\s{0,40}(?:new·{1,8}[\\w.<>]{1,40}(?:\\[\\])?·{0,40})?(?:\\[` +
      `|(?:array)?\\(|(?:''|"")\\.join\\(\\[|(?:` +
      `(?:map)?\\[\\w{0,12}\\]\\w{1,30})?\\{)\\s{0,40}(?:¶?(?:value|default|plain\\w{0,12}|current|primary|data` +
      `|secret|password|token|key)¶?·{0,40}` +
      `(?::|=>?)·{0,40})?(?=¶)`)),
  // string Password { get; set; } = "…", std::string key{"…"}, pw = isProd ? "…" : "…"
  over("literal", " \t{=",
    sticky(`·{0,8}(?:\\{·{0,8}(?=¶)|\\{ ?get;[^{}\\n]{0,40}\\}·{0,8}=·{0,8}(?=¶)` +
    `|=·{0,8}[^${q}\\n?]{1,40}\\?·{0,8}(?=¶))`)),
  over("pair", ":-=", /:?[-=]|:(?=[^\s}])/y, { serves: isExpanded }),
  // Equals signs and colons, after a closing quote or bracket, with or without a type (`key: string = `), and
  // before a prefix that gives the kind of a string (`N'…'`).
  over(undefined, `\\${q}[])* \t:=-<?|}~→.%+`,
    sticky(
      `(?:\\[\\d{0,4}\\])?[\\\\${q}\\])}*%]{0,6}·{0,99}(?:\\.{4,60}:?|(?<=·)\\.{1,3}·` +
      `|(?<=\\w):·{0,2}[\\w&[][\\w&'<>[\\].?]{0,30}(?:·?[;|]·?[\\w&'<>[\\]]{1,20}){0,2}·{0,4}=(?=·{0,4}[*&]?` +
      `\\w{0,2}["'])` +
      `|(?::·{0,2}|As·{1,99})?(?:&?(?:'static )?str|[Ss]tring|Text` +
      `|[Nn]?(?:varchar|VARCHAR)2?\\(\\w{1,5}\\)|NSString·{0,99}\\*?)·{0,99}:?=|:=` +
      `|\\?:|(?:\\?\\??|\\|\\|?|\\+|~|(?<=·)\\.)=|={1,3}>` +
      `|(?:->|<-|~>|→)·|=(?![=~>])|==(?=\\S{0,40}\\d)(?=[^\\s=${q}(]{12,99}\\s)|::·` +
      `|:(?![:=/]))·{0,8}(?:\\*{1,2}(?!\\*)·{0,8})?` +
      `(?:__·{1,4}|string\\(\\d{1,4}\\) )?(?:(?:&|!!)\\w{1,40}·{1,99})?` +
      `(?:(?:[*&]?[A-Za-z@$]{1,2}|raw)(?=["'])|\\$\\((?:(?:echo|printf)·{1,4}(?:-\\w{1,2}·{1,4})?(?=["'][^$])` +
      `|cat·{0,4}<<-?·?["']?\\w{1,12}["']?\\n·{0,8}))?`)),
  // process.env.TOKEN ?? "…", or a literal that the name is compared with
  over("compared", `${q})] \t=!?|.,`,
    sticky(`(?:(?<=(?:cmp|compare\\w{0,12}|equals?)\\([\\w.>-]{1,40}),|[${q})\\]]{0,3}·*(?:\\?\\?|\\|\\||or` +
    `|[=!]==?)|\\.equals\\w{0,12}\\()·*(?=¶)`)),
  // setPassword("…"), then any other: password("…")
  over("literal", "(", sticky(`\\(·*(?:[\\w.]{1,40}\\()?(?=¶)`), { serves: ({ name }) => isSetter(name) }),
  over("call", "(", sticky(`\\(·*(?=¶)`)),
  // <password type="x">…</password>, <entry key="password">…</entry>, <key>password</key><string>…</string>
  over("element", "> \t\n", /(?:\s[^<>]{0,200})?>\s*(?:<[\w:.-]{1,24}>\s*)?/y, { serves: isElement }),
  over("element", q,
    sticky(`¶(?:\\s[^<>]{0,200})?>\\s*(?:<(?:\\w{1,20}:)?(?:value|val|string|text` +
    `|default)\\w{0,8}(?:\\s[^<>]{0,80})?>\\s*)?`)),
  over("element", "<", /<\/[\w:.-]{1,24}>\s*<[\w:.-]{1,24}(?:\s[^<>]{0,80})?>\s*/y),
  // <add key="ApiKey" value="…" />
  over("literal", `${q} \t\n`,
    sticky(`¶?(?:\\s+[\\w:.-]{1,24}=¶[^${q}<>]{0,60}¶){0,4}\\s+(?:[\\w-]{1,20}[:-])?(?:value|content)\\s*=\\s*(?=¶)`)),
  // { "name": "DB_PASSWORD", "type": "secret", "value": "…" }
  over("literal", q,
    sticky(
      `¶,(?:\\s{0,40}¶?\\w{1,24}¶?\\s{0,4}[:=]\\s{0,4}(?:¶[^${q}\\n]{0,60}¶` +
      `|[\\w.]{1,20}),){0,3}\\s{0,40}¶?(?:[Vv]alue|ParameterValue` +
      `|[Dd]efault\\w{0,6}|secret|content|data|plain\\w{0,6})¶?\\s{0,4}(?::|=>?)\\s{0,4}(?=¶)`)),
  // - name: DB_PASSWORD, and in the next line value: …
  over("literal", `${q} \t\r\n`,
    sticky(`¶?(?:·{0,8}\\r?\\n[ \\t-]{0,24}\\w{1,24}:·{1,4}[^\\n]{0,60}){0,3}?(?:·{0,8}\\r?\\n){1,2}[ \\t-]{0,24}(?` +
    `:value|default):·{1,8}`)),
  // variable "db_password" { default = "…" }
  over("literal", q, sticky(`¶·*(?:\\{[^{}]{0,200}?\\bdefault·*=·*|envDefault:(?=¶)|;s:\\d{1,4}:(?=¶))`)),
  // define("DB_PASSWORD", "…"), fill_in "Password", with: "…"
  // In a list of strings the name is one of them.
  over("pair", q, sticky(`¶(?:\\]¶)?(?:·*,\\s{0,12}(?:[a-z]{1,12}[:=]·{0,2})?|\\n·{0,4}\\d{1,3}\\)·)(?=¶)`),
    { serves: (name) => !/^.,\s{0,12}["'][^"'\n]{1,60}["']\s*:/.test(name.text.slice(name.end, name.end + 90)) &&
      !/["'`],\s{0,20}["'`]$/.test(before(name, 32))
    || /^.,\s{0,12}["'][\w+/=-]{20,}["']/.test(name.text.slice(name.end, name.end + 50)) }),
  // Password: and the value alone in the next line
  over("line", `${q}*)] \t:=`, sticky(`[*${q}\\])]{0,3}(?:·(?:is|was|ist|lautet|est|es|to|for|of|on|für|pour|para|zu)` +
    `(?:·[^\\n:=]{0,40})?)?·{0,4}[:=][*${q}]{0,3}·{0,8}(?:\\r?\\n[ \\t>]{0,8}){1,2}(?:\`{3}\\w{0,12}\\r?\\n)?` +
    `(?![\\w.-]+[:=]|\`{3})(?=\\S{3,128}[^\\s:({[,;]·{0,8}(?:\\r?\\n|$))`)),
  // which password did you use?, and in the next line bob: …
  over("line", " \t?", sticky(`[^\\n?]{0,60}\\?·{0,4}\\r?\\n[ \\t>*]{0,6}(?:[^\\n:>]{1,24}[:>]\\*{0,2}·)?` +
    `(?=\\S{4,128}·{0,8}(?:\\r?\\n|$))`)),
  // getByLabel("Password").fill("…"), env::var("DB_PASSWORD").unwrap_or("…"), expect(password).toBe("…")
  over("pair", `${q})](`,
    sticky(`(?:\\(\\))?[${q}\\])]{1,5}(?:\\.(?!type\\(|should|has|includes` +
    `|contains)\\w{1,24}(?:\\(\\))?){1,2}\\((?:\\|_?\\|)?·{0,2}(?=¶)`)),
  // --password …
  over("option", " \t", /[ \t]+(?!-)/y, { serves: isFlag }),
  over("option", " \t", /[ \t]+(?:--(?:value|body|data|string|secret|plaintext)[ \t]+)?(?!-)/y, { serves: isDeclared }),
  // | password | … |, or a line of two fields: password,…
  // `{{ .Values.password | b64enc }}`: a filter of a template.
  over("cell", `* \t|${q}`, sticky(`[*_${q}]{0,3}·*\\|{1,2}[ \\t*_]*`), { serves: (name) =>
    !/\{\{[^{}]*$|\$\{?$/.test(before(name, 80)) }),
];

const firsts = new Set(separators.flatMap(({ first }) => [...first]));
const byFirst = new Map(
  Array.from(firsts, (first) => [first, separators.filter((separator) => separator.first.includes(first))]),
);
/** The separators that can begin with the text after a name. */
export const separatorsAt = (text: string, at: number): readonly Separator[] =>
  byFirst.get(text.charAt(at)) ?? [];

const labelBefore = /(?:^|[^\w.$])[A-Z][A-Za-z]* $/;
const isBareAssignment = /^[=:](?=\S)(?![=>~:])/;
/**
 * The name is text, not code, so its value is text too: `Root Password: …`, `пароль: …`, `db.password: …`, or
 * `password=…` as in a log line, where no comma or bracket is before the name or after the value.
 */
export function isTextName(name: Name, valueEnd: number): boolean {
  if (name.name.includes(" ") || /[^\0-\x7f]/.test(name.name)) return true;
  if (labelBefore.test(before(name, 24)) || isExpanded(name)) return true;
  if (name.name.includes(".") && /^: \S/.test(name.text.slice(name.end, name.end + 3))) return true;
  return (
    isBareAssignment.test(name.text.slice(name.end, name.end + 3)) &&
    /(?:^|[\s`"';&?])$/.test(before(name, 1)) &&
    !/[,(]\s*$/.test(before(name, 8)) &&
    /^["'`]?(?:;? |\s|$)/.test(name.text.slice(valueEnd, valueEnd + 2))
  );
}

/** `DB_PASSWORD=`, or `spring.datasource.password=` at the start of a line: only a value can follow. */
export const isEnvironment = ({ text, name, start, end }: Name): boolean =>
  !text.startsWith("${", start - 2) &&
  (isConstant(name) ||
    (name.includes(".") &&
      /^[a-z][\w-]*(?:\.[\w-]+)+$/i.test(name) &&
      (start === 0 || text.charAt(start - 1) === "\n") &&
      /^=\S/.test(text.slice(end, end + 2)))) &&
  /^["']?[ \t]{0,99}[:=]/.test(text.slice(end, end + 10));
