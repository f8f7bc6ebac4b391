import { aboutWords } from "./assignment-names.ts";
import { isDottedWords, isMadeUp, isMixedWord } from "./features.ts";
import { isPredicate, isRefused } from "./refusals.ts";
import type { Name } from "./separators.ts";
import type { Value } from "./values.ts";

/** Sentences that can give only a password: there a plain word is a password too. */
export interface Saying {
  readonly saying: string;
  readonly name?: RegExp;
  /** Matches the text before the name, up to the name. */
  readonly before?: RegExp;
  /** Sticky: matches the text from the name to the value. */
  readonly behind: RegExp;
  /** The value ends with its quote, or its clause ends behind it. Otherwise any text may follow. */
  readonly ends: "quote" | "clause" | "line" | "anywhere";
}

const close = "[\"'`)*\\uE000-\\uE003]{0,3}";
const open = "[\"'`*\\uE000-\\uE003]{0,3}";
/** Up to seven words between the name and the verb: "of the shared mailbox". */
const words = "(?:,?[ \\t]{1,2}[\\p{L}\\d.@/'()_-]{1,40}){0,7}?";
const verb =
  "(?:is|was|ist|war|lautet|heißt|est|c'est|es|era|é|è|jest|brzmi|är|er)(?:[ \\t](?:now|still|currently|just|simply|jetzt|noch|nun|maintenant|ahora|agora|ora|teraz|nu))?";
const sticky = (source: string) => new RegExp(source, "uyi");

/** "user anna and the", "mit dem Benutzer anna,": the user of the pair. */
const userBefore =
  /(?:^|[\s(,:"'`*])(?:user(?:name)?|login|account|benutzer(?:name)?|nutzer|usuario|utilisateur|identifiant|kullanıcı(?: adı)?|utente|usuário|gebruiker|użytkownik|(?:log|sign)(?:ged)?[ -]?in (?:as|with)|as|als)[ \t:=*]{1,4}["'`*]{0,2}(?!(?:and|or|und|y|et|e|the|name)[ ,])[\w.@+\\-]{2,40}["'`*]{0,2}(?:[ \t]?[,;/]|[ \t](?:and|with|und|mit|y|con|et|avec|e|com|i))?[ \t](?:the[ \t]|a[ \t]|la[ \t]|le[ \t]|das[ \t]|dem[ \t]|il[ \t]|o[ \t])?$/i;

export const sayings: readonly Saying[] = [
  {
    saying: "a verb",
    behind: sticky(`${close}${words},?[ \\t]{1,3}${verb}[ \\t:]{1,3}${open}`),
    ends: "clause",
  },
  {
    saying: "a verb behind an abbreviation, and more text",
    name: /^(?:pw|pwd|psw|mdp)$/i,
    behind: sticky(`${close}[ \\t]{1,3}${verb}[ \\t]{1,3}${open}`),
    ends: "anywhere",
  },
  {
    saying: "Polish to",
    name: /has[lł]o$/i,
    behind: sticky(`${words}[ \\t]to[ \\t]${open}`),
    ends: "clause",
  },
  {
    saying: "Turkish olarak",
    name: /^(?:parola|şifre)/i,
    behind: /[ \t](?=[^\s,.]{4,40} olarak )/y,
    ends: "anywhere",
  },
  {
    saying: "quotes",
    behind: sticky(`${close}[ \\t]{1,4}(?:(?:to|in|auf|na|a|en)[ \\t])?["'\`\\uE000-\\uE003]`),
    ends: "quote",
  },
  {
    saying: "a verb and quotes",
    behind: sticky(`${close}${words},?[ \\t]{1,3}${verb}[ \\t:]{1,3}["'\`\\uE000-\\uE003]`),
    ends: "quote",
  },
  {
    saying: "a colon behind a label on its own line",
    before: /(?:^|\n)[^:={}();"'`<>$\n]{0,60}$/,
    behind: sticky(`${close}[ \\t]{0,4}:[ \\t*]{1,8}${open}`),
    ends: "line",
  },
  {
    saying: "a colon behind words of a sentence",
    before: /(?:^|\n)[^={}()"'`<>$\n]{0,60}$/,
    behind: sticky(`${close}(?=[ \\t])${words}[ \\t]?:[ \\t*]{1,8}${open}`),
    ends: "clause",
  },
  {
    saying: "a colon in brackets",
    before: /[^\w][ \t]?\($|[ ,(](?:mot de )$|[(,] $/,
    behind: sticky(`[ \\t]?:[ \\t]{1,4}${open}`),
    ends: "clause",
  },
  {
    saying: "a sign of another script",
    name: /[^\0-\u024f]$|has[lł]o$/i,
    behind: sticky(`[ \\t]{0,2}(?:是|为|為|は|는|은|:|-)[ \\t]{0,3}${open}`),
    ends: "anywhere",
  },
  {
    saying: "a user before",
    before: userBefore,
    behind: sticky(`${close}(?:[ \\t]?[:=])?[ \\t]{1,4}(?:is[ \\t])?${open}`),
    ends: "clause",
  },
  { saying: "an abbreviation", name: /^(?:pw|psw|mdp)$/i, behind: sticky(`[ \\t]${open}`), ends: "clause" },
  {
    saying: "a password for a short time",
    before: /\b(?:temp(?:orary)?|initial|one-time|throwaway)[ \t]$/i,
    behind: sticky(`[ \\t]${open}`),
    ends: "clause",
  },
  {
    saying: "changed to",
    before: /\b(?:set|reset|changed|rotated|updated|switched|geändert|cambi\w{1,3}|changé)\b[^.\n]{0,40}$/i,
    behind: sticky(`${words}[ \\t](?:to|auf|en|à|a)[ \\t]${open}`),
    ends: "clause",
  },
  {
    saying: "an answer on the next line",
    before: /\b(?:what|which|whats|wie|welches|was|quel|cuál|qual)\b[^\n]{0,60}$/i,
    behind:
      /[^\n?]{0,40}\?[ \t]{0,4}\n[ \t>]{0,8}(?:\[?\d{1,2}:\d\d\]? )?(?:[\w.@-]{1,24}: |<[\w.@-]{1,24}> |[-*] )?/y,
    ends: "line",
  },
  { saying: "an answer on the line", behind: /\?[ \t]{1,4}A:[ \t]/y, ends: "line" },
];

/** "use bluebird as the database password" */
const saidBefore =
  /\b(?:uses?|type|enter|try|with|using|set|choose|pick)[ \t]{1,2}["'`]?((?!(?:it|its|this|that|them|the|your|same|one)\b)[\p{L}\d][^\s"'`,;:()<>{}=$/\\]{3,39})["'`]?[ \t]{1,2}as[ \t](?:(?:the|its|your|a|my|our|new|default)[ \t]){0,2}(?:[\w.-]{2,20}[ \t]){0,2}$/iu;

/** "… is the database password", "… 作为密码": the value itself must look like a password. */
const madeBefore =
  /(?:^|[\s"'`])([!-~]{6,60}?)["'`,]{0,2}(?:[ \t]{1,2}(?:in line \d{1,6} )?(?:is|was|ist|est|es|é|è)[ \t](?:the|our|my|das|le|la|el|o|il)[ \t](?:[\w.-]{2,20}[ \t]){0,3}|[ \t]{0,2}(?:作为|作為|を|として))$/;

const wordPattern = /[\p{L}\d][^\s"'`,;<>(){}=|\\\uE000-\uE010]{2,60}/uy;
const clauseEnd =
  /["'`*)\]\uE000-\uE003]{0,3}(?:[.,;:!?)\]]{1,3}(?:\s|$)|[ \t]{0,8}(?:\n|$)|[ \t]{1,4}[-(#|/])/y;
const lineEnd = /["'`*\uE000-\uE003]{0,3}\.?[ \t]{0,8}(?:\n|$|#)/y;
const quotePattern = /["'`\uE000-\uE003]/;

const joints =
  /^(?:is|was|for|of|on|to|at|in|from|von|vom|für|auf|am|im|zum|zur|de|du|des|del|della|di|do|da|van|voor|dla|na|w)$/;
/** "password policy is", not "password of the policy is": the words before a preposition belong to the name. */
function isOfAnother(bridge: string): boolean {
  const words = bridge.toLowerCase().match(/\p{L}+/gu) ?? [];
  const joint = words.findIndex((word) => joints.test(word));
  return (joint === -1 ? words : words.slice(0, joint)).some(isAbout);
}

const isAbout = (word: string) => aboutWords.has(word) || aboutWords.has(word.replace(/s$/, ""));

/** Whether a word can be a password where a sentence gives one. */
function isPasswordSaid(value: Value, quote: string): boolean {
  const isQuoted = quote !== "";
  const word = value.text.toLowerCase();
  return (
    value.text.length >= 4 &&
    /[\p{L}]{3}/u.test(value.text) &&
    !/^[A-Z]{2,5}$|^\p{L}{1,3}$|^https?:/u.test(value.text) &&
    (isQuoted || !isPredicate(word)) &&
    !isAbout(word) &&
    !(
      isQuoted &&
      (quote === "`" ? /^[a-z]+(?:_[a-z]|[A-Z][a-z])/ : /^[a-z]+(?:_[a-z]+){2,}$/).test(value.text)
    ) &&
    !isRefused({ ...value, isQuoted: isQuoted || isDottedWords(value.text) })
  );
}

const at = (pattern: RegExp, text: string, from: number): boolean => {
  pattern.lastIndex = from;
  return pattern.test(text);
};

/** The word that begins at `start`, without the punctuation behind it. */
function wordAt(text: string, start: number): Value | undefined {
  if (!at(wordPattern, text, start)) return undefined;
  const word = text.slice(start, wordPattern.lastIndex).replace(/[^\p{L}\d!]+$/u, "");
  return { text: word, start, end: start + word.length, isQuoted: false, isClosed: false };
}

const beforeReach = 100;

/** Returns the password that a sentence gives behind its name, or before it: "use … as password". */
export function findSaid({ text, name, start, end }: Name): Value | undefined {
  const before = text.slice(Math.max(0, start - beforeReach), start);
  // "pass a `region`": the verb, not the name.
  const isVerb = /^pass$/i.test(name) && !userBefore.test(before);
  for (const { name: named, before: led, behind, ends } of sayings) {
    if (
      (named ? !named.test(name) : isVerb && ends !== "line") ||
      !at(behind, text, end) ||
      (led && !led.test(before))
    )
      continue;
    const valueStart = behind.lastIndex;
    const bridge = text.slice(end, valueStart);
    if (isOfAnother(bridge)) continue;
    const value = wordAt(text, valueStart);
    if (!value) continue;
    const quote = text.charAt(valueStart - 1);
    const isQuoted = quotePattern.test(quote) && text.charAt(value.end) === quote;
    const isEnded =
      ends === "anywhere" ||
      (ends === "quote" ? isQuoted : at(ends === "line" ? lineEnd : clauseEnd, text, value.end));
    if (isEnded && isPasswordSaid(value, isQuoted ? quote : "")) return value;
  }
  const plain = saidBefore.exec(before)?.[1];
  const made = plain ? undefined : madeBefore.exec(before)?.[1];
  const word = plain ?? made;
  if (!word || (made && !isMadeUp(made) && !isMixedWord(made))) return undefined;
  const wordStart = start - before.length + before.lastIndexOf(word);
  const value = {
    text: word,
    start: wordStart,
    end: wordStart + word.length,
    isQuoted: false,
    isClosed: false,
  };
  return isPasswordSaid(value, "") ? value : undefined;
}
