import { aboutWords } from "./assignment-names.ts";
import { type Bridge, bridgesFrom } from "./bridges.ts";
import { isDottedWords, isMadeUp, isMixedWord } from "./features.ts";
import { isPredicate, isRefused } from "./refusals.ts";
import type { Name } from "./separators.ts";
import { bareValue, quotes, type Value } from "./values.ts";

/** Sentences that can give only a password: there a plain word is a password too. */
export interface Saying extends Bridge {
  readonly saying: string;
  readonly name?: RegExp;
  /** Matches the text before the name, up to the name. */
  readonly before?: RegExp;
  /** The same, for words: the text before the name ends in a space. */
  readonly words?: RegExp;
  /** Other words may come before the verb or the sign of the bridge: this text must be near. */
  readonly far?: string;
  /** Sticky: matches the bridge, which is the text from the name to the value. */
  readonly behind: RegExp;
  /** The value ends with its quote, its line, its clause, or before a preposition. Otherwise any text may follow. */
  readonly ends: "quote" | "clause" | "phrase" | "line" | "anywhere";
}

const close = "[\"'`)*\\uE000-\\uE003]{0,3}";
const open = "[\"'`*\\uE000-\\uE003]{0,3}";
/** Up to seven words between the name and the verb: "of the shared mailbox". */
const words = "(?:,?[ \\t]{1,2}[\\p{L}\\d.@/'`()_-]{1,40}){0,7}?";
const verb =
  "(?:is|was|it's|ist|war|lautet|heißt|est|c'est|es|era|sigue siendo|continua|é|è|jest|brzmi|är|er)(?:[ \\t](?:now|still|immer noch|toujours|encore|ancora|ainda|currently|just|simply|literally|actually|really|basically|apparently|again|only|jetzt|noch|nun|maintenant|ahora|agora|ora|teraz|nu))?";
const sticky = (source: string) => new RegExp(source, "uyi");

/** "user anna and the", "mit dem Benutzer anna,": the user of the pair. */
const userBefore =
  /(?:^|[\s(,:"'`*])(?:user(?:name)?|login|account|benutzer(?:name)?|nutzer|usuario|utilisateur|identifiant|kullanıcı(?: adı)?|utente|usuário|gebruiker|użytkownik|(?:log|sign)(?:ged)?[ -]?in (?:as|with)|as|als)[ \t:=*]{1,4}["'`*]{0,2}(?!(?:and|or|und|oder|y|o|et|ou|e|lub|ve|the|name)[ ,])[\w.@+\\-]{2,40}["'`*]{0,2}(?:[ \t]?[,;/]|[ \t](?:and|with|und|mit|y|con|et|avec|e|com|i))?[ \t](?:(?:the|a|la|le|das|dem|il|o)[ \t])?(?:mot de )?$/i;
/** "with anna and the", "con ana y": the same, where only a preposition says that this is the user. */
const accompaniedBefore =
  /\b(?:with|as|using|mit|als|con|avec|com)[ \t](?!\w*(?:user|mail|name|login|host|benutzer|usuario|utili|konto|conta|your|this|that|the|its|both|new|old|own|valid|every)[\w-]*[ ,])(?:cn=)?[\w.@+-]{2,40}[ \t](?:and|und|y|et|e)[ \t](?:(?:the|la|le|das|dem|il|o|a)[ \t])?(?:mot de )?$/i;

// biome-ignore format: one row a line
export const sayings: readonly Saying[] = [
  { saying: "a verb", first: " \t,", far: "", behind: sticky(`${close}${words},?[ \\t]{1,3}${verb}[ \\t:]{1,3}${open}`), ends: "phrase" },
  { saying: "a verb behind an abbreviation", first: " \t", name: /^(?:pw|pwd|psw|mdp)$/i, behind: sticky(`${close}[ \\t]{1,3}${verb}[ \\t]{1,3}${open}`), ends: "anywhere" },
  { saying: "Polish to", first: " \t,", far: " to ", name: /has[lł]o$/i, behind: sticky(`${words}[ \\t]to[ \\t]${open}`), ends: "clause" },
  { saying: "Turkish olarak, German auf", first: " \t", name: /^(?:parola|şifre)|(?:pass|kenn)wort$/i, behind: /[ \t](?=[^\s,.]{4,40} olarak )|(?:[ \t](?:wurde|ist|war))?[ \t]auf[ \t](?=[^\s,.]{4,40} (?:gesetzt|geändert))/y, ends: "anywhere" },
  { saying: "quotes", first: " \t", beyond: `${quotes}tianehsTIANEHS`, behind: sticky(`${close}[ \\t]{1,4}(?:(?:to|auf|na|a|en|hâlâ|hala|still|noch)[ \\t])?["'\`\\uE000-\\uE003]`), ends: "quote" },
  { saying: "a colon behind a label on its own line", first: " \t:", beyond: ":", name: /(?:pass|[^s])$/i, before: /(?:^|\n)[ \t>]{0,4}(?:[^:={}();"'`<>$\n]|'(?=s )){0,60}$/, behind: sticky(`${close}[ \\t]{0,4}:[ \\t*]{1,8}${open}`), ends: "line" },
  { saying: "a colon behind words of a sentence", first: " \t", far: ":", before: /(?:^|\n)[^={}()"'`<>$\n]{0,60}$/, behind: sticky(`${close}(?=[ \\t])${words}[ \\t]?:[ \\t*]{1,8}${open}`), ends: "clause" },
  { saying: "a colon in brackets", first: " \t:", beyond: ":", before: /[^\w][ \t]?\($|[ ,(](?:mot de )$|[(,] $/, behind: sticky(`[ \\t]?:[ \\t]{1,4}${open}`), ends: "clause" },
  { saying: "in brackets behind a user or a host", first: " \t", before: /(?:@[\w.-]+|\d\.\d+|["'`]),? \($|\(["'`]?[\w.@-]{2,40}["'`]?, $/, behind: sticky(`[ \\t]${open}`), ends: "clause" },
  { saying: "in brackets behind the name", first: " \t", behind: /[ \t](?:protected[ \t])?\(["'`]?(?!OAuth)(?=(?:[A-Z][a-z]{1,20}[A-Z\d]|[a-z]{5,40}\d)[^\s()]{0,40}\)|[A-Z][a-z]{4,20}["'`]?\) (?:of|for|de[lr]?|dell'|von|für|do|da)\b)/y, ends: "anywhere" },
  { saying: "the last of several fields", first: " \t", before: /[^\n]{2}(?:,| \/) $/, behind: sticky(`[ \\t]${open}`), ends: "clause" },
  { saying: "a Turkish owner", first: " \t", name: /(?:şifresi|parolası)$/i, behind: sticky(`[ \\t](?:ise[ \\t])?${open}`), ends: "clause" },
  { saying: "a sign of another script", first: " \t是为為は는은:-", name: /[^\0-\u024f]$|has[lł]o$/i, behind: sticky(`[ \\t]{0,2}(?:是|为|為|は|는|은|:|-)[ \\t]{0,3}${open}`), ends: "anywhere" },
  { saying: "a user before", first: " \t:=", words: userBefore, behind: sticky(`${close}(?:[ \\t]?[:=])?[ \\t]{1,4}(?:is[ \\t])?${open}`), ends: "phrase" },
  { saying: "a user behind a preposition", first: " \t", words: accompaniedBefore, behind: sticky(`${close}[ \\t]${open}`), ends: "phrase" },
  { saying: "a user on the line before", first: " \t", before: /(?:^|\n)[ \t]{0,20}(?:user(?:name)?|login|account)[ \t]{1,20}\S{1,40}[ \t]{0,8}\n[ \t]{0,20}$/i, behind: sticky(`[ \\t]{1,20}${open}`), ends: "line" },
  { saying: "a German noun", first: " \t", name: /^(?:passwort|kennwort)$/i, behind: /[ \t]["'`*]{0,2}(?=\p{Lu}[\p{Ll}\d]{3})/uy, ends: "phrase" },
  { saying: "a German noun, and its use before", first: " \t", name: /^(?:passwort|kennwort)$/i, words: /\bmit[ \t](?:dem[ \t])?$/i, behind: /[ \t]["'`*]{0,2}(?=\p{Lu}[\p{Ll}\d]{3})/uy, ends: "anywhere" },
  { saying: "an abbreviation", first: " \t", name: /^(?:pw|psw|mdp)$/i, behind: sticky(`[ \\t]${open}`), ends: "clause" },
  { saying: "a password for a short time", first: " \t", words: /\b(?:temp(?:orary)?|initial|one-time|throwaway)[ \t]$/i, behind: sticky(`[ \\t]${open}`), ends: "clause" },
  { saying: "changed to", first: " \t,", far: "", before: /\b(?:set|reset|changed?|rotated|updated|switched|geändert|cambi\w{1,3}|changé)\b[^.\n]{0,40}$/i, behind: sticky(`${words}[ \\t](?:to|from|auf|en|à|a)[ \\t]${open}`), ends: "phrase" },
  { saying: "changed to, behind the name", first: " \t", far: "", behind: sticky(`${words}[ \\t](?:set|reset|changed|rotated|updated|geändert|gesetzt|gereset|gewijzigd|cambiada)[ \\t](?:to|auf|from|von|naar|a)[ \\t]${open}`), ends: "phrase" },
  { saying: "in brackets, as it is now", first: " \t", far: " (", behind: sticky(`${close}${words}[ \\t]\\((?:currently|now|still|today|aktuell|derzeit|noch|actuellement|actualmente|attualmente|atualmente|obecnie)[ \\t:]{1,2}${open}`), ends: "clause" },
  { saying: "its use or its owner before", first: " \t", words: /\b(?:use[sd]?|using|with|enter|type|try|mit|met|con|avec|have|has|share|root|admin|sudo|db|database|wi-?fi|vpn|master)[ \t](?:(?:the|a|shared|same|old|new|default|dem|das|la|el|le|het)[ \t]){0,2}(?:mot de )?$/i, behind: sticky(`${close}[ \\t]${open}`), ends: "phrase" },
  { saying: "a column behind its name", first: " \t", before: /(?:^|\n)[ \t]{0,8}$/, behind: sticky(`(?:[ \\t]{3,40}|\\t)${open}`), ends: "line" },
  { saying: "an equals sign behind an owner", first: " \t", beyond: "=", before: /(?:^|[\n,;.] ?)[ \t>*-]{0,4}(?!(?:const|let|var|val|string|str|auto|final|my|local|export|set|private|public|static|char|def)\b)[a-z-]{2,20} (?:[\w-]{1,20} ){0,3}$/i, behind: sticky(`[ \\t]=[ \\t]${open}`), ends: "clause" },
  { saying: "an equals sign behind a sentence", first: " \t", far: " = ", behind: sticky(`${close}(?:[ \\t][\\p{L}\\d'/-]{1,24}){1,6}[ \\t]=[ \\t]${open}`), ends: "clause" },
  { saying: "an answer on the next line", first: " \t?", far: "\n", before: /\b(?:what|which|whats|wie|welches|was|quel|cuál|qual)\b[^\n]{0,60}$|: (?:[\w-]{1,20} ){0,3}$/i, behind: /[^\n?]{0,40}(?:\?[ \t]{0,4}\n[ \t>]{0,8}(?:\[?\d{1,2}:\d\d\]? )?(?:[\w.@-]{1,24}(?:[ \t]{1,3}\d{1,2}:\d\d[ \t]{1,3}|: )|<[\w.@-]{1,24}> |[-*] )?(?:[Ii]t'?s )?|\n(?:\[\d\d:\d\d\] )?[A-Za-z]{2,16}(?:: (?:it'?s )?|[ \t]{1,3}\d{1,2}:\d\d[ \t]{1,3}))/y, ends: "line" },
  { saying: "an answer on the line", first: "?", behind: /\?[ \t]{1,4}A:[ \t]/y, ends: "line" },
];

/** The largest distance of a verb or a sign from the name. */
const leadReach = 320;
/** A verb or a sign that can lead to a value. */
export const lead = new RegExp(`[:=?]|[ \\t](?:${verb}|to|auf|from|von|naar|en|à|a)[ \\t:]|\\(`, "gi");
/** Every text that `words` matches, and every text of a password before its name, contains one of these. */
export const leadBefore =
  /\b(?:user|login|account|benutz|nutz|utilis|identif|kullan|utente|usu|gebr|u\u017cytk|(?:as|als|with|mit|met|con|avec|com|using|uses?|used|enter|type|try|have|has|share|root|admin|sudo|db|database|wi-?fi|vpn|master|temp(?:orary)?|initial|one-time|throwaway|in|the|our|my|its|das|le|la|el|o|il)(?=[ \t]))|作为|作為|を|として/gi;

/** What is near a name and leads to its value. */
export interface Leads {
  /** Where the next verb or sign begins. */
  readonly behind: number;
  /** Whether a word of `leadBefore` is near. */
  readonly isBefore: boolean;
}

/** "use bluebird as the database password" */
const saidBefore =
  /\b(?:use[sd]?|type|enter|try|with|using|set|choose|pick|still|and|und)[ \t]{1,2}["'`]?((?!(?:it|its|this|that|them|the|your|same|one)\b)[\p{L}\d][^\s"'`,;:()<>{}=$/\\]{3,39})["'`]?[ \t]{1,2}as[ \t](?:(?:the|its|your|a|my|our|new|default)[ \t]){0,2}(?:[\w.-]{2,20}[ \t]){0,2}$/iu;

/** "… is the database password", "… 作为密码": the value itself must look like a password. */
const madeBefore =
  /(?:^|[\s"'`])([!-~]{6,60}?)["'`,]{0,2}(?:[ \t]{1,2}(?:in line \d{1,6} )?(?:is|was|as|ist|est|es|é|è)[ \t](?:the|our|my|its|das|le|la|el|o|il)[ \t](?:[\w.-]{2,20}[ \t]){0,3}|[ \t]{0,2}(?:作为|作為|を|として))$/;

const wordPattern = /[\p{L}\d][^\s"'`,;<>(){}=|\\\uE000-\uE010]{2,60}/uy;
const clauseEnd =
  /[ \t]?["'`*)\]\uE000-\uE003]{0,3}(?:[.,;:!?)\]]{1,3}(?:\s|$)|[ \t]{0,8}(?:\n|$)|[ \t]{1,4}(?:(?!--)[-(#|/]|(?:and|but|so|because|if|when|until|since|und|aber|weil|wenn|et|mais|si|y|pero|e|ma|se|en|als)[ \t]))/y;
const phraseEnd =
  /["'`*\uE000-\uE003]{0,2}[ \t](?:(?:to|on|for|at|in|from|op|und|auf|für|bei|pour|sur|dans|para|em|en|per|nel|su|na)[ \t]|(?:yesterday|today|this|now|again|heute|gestern|hier|ayer|ieri)\b)/y;
const lineEnd = /["'`*\uE000-\uE003]{0,3}\.?[ \t]{0,8}(?:\n|$|#)/y;
const quotePattern = /["'`\uE000-\uE003]/;

const joints =
  /^(?:is|was|for|of|on|to|at|in|from|von|vom|für|auf|am|im|zum|zur|de|du|des|del|della|di|do|da|van|voor|dla|na|w)$/;
const changedTo = /(?:set|reset|changed|rotated|updated) to /;
/** "password policy is", not "password of the policy is": the words before a preposition belong to the name. */
function isOfAnother(bridge: string): boolean {
  const words =
    bridge
      .toLowerCase()
      .replace(changedTo, "")
      .match(/\p{L}+/gu) ?? [];
  if (words.some((word) => /^(?:tabla|tabela|cach[eé]|índice|partici|mapa|registro)/.test(word))) return true;
  const joint = words.findIndex((word) => joints.test(word));
  return (joint === -1 ? words : words.slice(0, joint)).some(isAbout);
}

export const isAbout = (word: string) => aboutWords.has(word) || aboutWords.has(word.replace(/s$/, ""));

/** "with password protection": nouns that make one with the name. */
const isNounBehindName =
  /^(?:grant|flow|box|protect|access|support|attacks?|database|step|guess|property|sync|plugin|backend|requirements?|autofill|breach|leaks?|alone|dictionary|people|users?|letters?|tests?)$|^[a-z]+(?:tion|sion|ity|ment|ness|ance|ence|ship|ism)$/;

/** Whether a word can be a password where a sentence gives one. */
export function isPasswordSaid(value: Value, quote: string, isBehindColon = false): boolean {
  const isQuoted = quote !== "";
  const word = value.text.toLowerCase();
  return (
    /^(?=.{4}).*\p{L}{3}/u.test(value.text) &&
    !/[\u3040-\u30ff\u4e00-\u9fff]{2}/.test(value.text) &&
    !/^[A-Z]{2,5}$|^\p{L}{1,3}$|^https?:/u.test(value.text) &&
    (isQuoted || /[a-z][A-Z]/.test(value.text) || !isPredicate(word, isBehindColon)) &&
    !isAbout(word) &&
    (isQuoted || !isNounBehindName.test(value.text)) &&
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
  if (text.charCodeAt(start) >= 0x2e80 || !at(wordPattern, text, start)) return undefined;
  return bareValue(text.slice(start, wordPattern.lastIndex).replace(/[^\p{L}\d!]+$/u, ""), start);
}

const beforeReach = 100;
const ownerBefore = /\b(?:ssh|root|admin|db|wi-?fi|vpn|login|ftp|smtp)[ \t]$/i;

const startingAt = bridgesFrom(sayings);
const closers = "\"'`)*\uE000\uE001\uE002\uE003";
/** The sayings whose bridge can begin behind a name. */
function sayingsAt(text: string, end: number): readonly Saying[] {
  let from = end;
  while (from < end + 3 && closers.includes(text.charAt(from) || " ")) from++;
  return startingAt(text, from);
}

/** Returns the password that a sentence gives behind its name, or before it: "use … as password". */
export function findSaid({ text, name, start, end }: Name, leads: Leads): Value | undefined {
  const before = text.slice(Math.max(0, start - beforeReach), start);
  // "pass a `region`", "sudo passwd anna": the verb or the command, not the name.
  const isVerb =
    /^pass(?:wd)?$/i.test(name) &&
    !userBefore.test(before) &&
    !(name.length === 4 && ownerBefore.test(before));
  const isBehindWord = leads.isBefore && /[ \t]$/.test(before);
  const near = leads.behind - end > leadReach ? undefined : text.slice(end, end + leadReach);
  // `Argument "password" to "connect"`: a message of a compiler.
  if (/\b(?:argument|parameter|property) ["'`]$/i.test(before)) return undefined;
  for (const { name: named, before: led, words, behind, ends, far } of sayingsAt(text, end)) {
    if (
      (far !== undefined && !near?.includes(far)) ||
      (words && !isBehindWord) ||
      (named ? !named.test(name) : isVerb && ends !== "line") ||
      !at(behind, text, end) ||
      (led && !led.test(before)) ||
      (words && !words.test(before))
    )
      continue;
    const valueStart = behind.lastIndex;
    const bridge = text.slice(end, valueStart);
    if (isOfAnother(bridge) || /, (?:the|our|its) \w+ (?:is|was)/.test(bridge)) continue;
    const value = wordAt(text, valueStart);
    if (!value) continue;
    const quote = text.charAt(valueStart - 1);
    // The closing quote of « … » has a space before it.
    const next = text.slice(value.end, value.end + 2).trimStart();
    const isQuoted = quotePattern.test(quote) && next.startsWith(quote);
    const isEnded =
      ends === "anywhere" ||
      (isQuoted && ends !== "line") ||
      (ends === "phrase" && at(phraseEnd, text, value.end)) ||
      (ends === "quote" ? isQuoted : at(ends === "line" ? lineEnd : clauseEnd, text, value.end));
    if (
      isEnded &&
      isPasswordSaid(
        value,
        isQuoted ? quote : "",
        /[:(]/.test(bridge) || (!/\p{L}/u.test(bridge) && at(lineEnd, text, value.end)),
      )
    )
      return value;
  }
  if (!leads.isBefore) return undefined;
  const plain = before.includes(" as ") ? saidBefore.exec(before)?.[1] : undefined;
  const made = plain ? undefined : madeBefore.exec(before)?.[1];
  const word = plain ?? made;
  if (!word || (made && !isMadeUp(made) && !isMixedWord(made))) return undefined;
  const value = bareValue(word, start - before.length + before.lastIndexOf(word));
  return isPasswordSaid(value, "") ? value : undefined;
}
