import { memoize } from "./memoize.ts";
import { isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Name } from "./separators.ts";
import type { Value } from "./values.ts";

/** "the password is …" and one plain word: a password, unless the word commonly describes passwords. */

const setOf = (spaced: string) => new Set(spaced.split(" "));

/** Words of five letters or more that describe a password, and that have none of the endings below. */
const predicates = setOf(
  "always never unset random secure insecure secret private correct incorrect right wrong valid invalid strong default plaintext cleartext plain clear bcrypt argon scrypt unicode ascii number object varchar digest username account phrase before after above below inside outside under until still already almost sometimes perhaps though because broken hidden stolen forgotten given taken chosen written spoken shown known again garbage nonsense overkill false enough better longer shorter stronger weaker stale fresh simple trivial nowhere everywhere somewhere elsewhere another neither either anyone nobody everybody somebody legacy opaque short empty blank falsch leider schwach sicher unsicher geheim pflicht klartext korrekt einfach bereits nirgends anders gleich immer nicht valide invalide stocke toujours jamais correcte incorrecte requise requis incorrecta correcta segura insegura debil fuerte corta larga siempre nunca igual incorreta correta fraca curta longa sempre muito corretta debole troppo podstawa wymagane puste",
);
/** The endings of adjectives, participles and adverbs. */
const predicateEnding =
  /(?:ed|ing|able|ible|ly|iv[aeo]|tif|ous|ful|less|ent|ant|ary|ory|ional|ical|ernal|imal|inal|ish|ic|lich|bar|ig|haft|end|iert|elt|oire|ique|ada|ida|ado|ido|oria|ata|uta|ato|uto|sed|ized|ised)$/;

/** `abgelaufen`, `gehasht`. */
const germanParticiple = /^(?:ge|ab|ver|zu|be|er|ent|an|auf|aus|ein|um|un|vor|weg|hinter)\w{3,}(?:en|t|n)$/;

/** `always`, `stored`, `abgelaufen`: a word that says something about a password. */
export const isPredicate = (value: string): boolean => {
  const word = value.toLowerCase();
  return germanParticiple.test(word) || predicates.has(word) || predicateEnding.test(word);
};

const isPlainWord: Accept = memoize(
  (value) => /^[A-Z]?[a-z]{5,19}$/.test(value) && !isPredicate(value) && !isStandIn(value),
);

const opened = `["'\`\\uE000-\\uE003]?`;
const behindName = `["'\`)*\\uE000-\\uE003]{0,3}`;
const word = `(${opened})([A-Za-z]{6,20})(?![\\w-])`;
const quotedWord = `["'\`\\uE000-\\uE003]([A-Za-z]{6,20})(?=["'\`\\uE000-\\uE003])`;
/** A punctuation mark or the end of the line must follow the word. */
const ended = `(?=${opened}(?:[.,;!)]{1,2}(?:\\s|$)|[ \\t]{0,4}(?:\\n|$)))`;

/**
 * The forms that announce the password as the next word: a verb, a quote, a colon after a name on its own
 * line, a sign of other scripts.
 */
const verb = new RegExp(
  `${behindName}[ \\t]{1,4}(?:(?:for|of|on|von|für|auf|de|du|del|di|do|da)(?: [\\w.@-]{2,40}){1,4}? )?(?:is|was|ist|lautet|heißt|war|est|es|é|è|brzmi)[ \\t]{1,4}(?:(?:now|still|currently|just|jetzt|noch|simply) )?(?:${quotedWord}|${word}${ended})`,
  "y",
);
const quotedBehind = new RegExp(
  `${behindName}[ \\t]{1,4}(?:to |in |auf |na |a |en )?(["'\`\\uE000-\\uE003])([A-Za-z]{6,20})(?=\\1)`,
  "y",
);
const colon = new RegExp(
  `${behindName}[ \\t]{0,4}:[ \\t*]{0,8}${word}(?=${opened}\\.?[ \\t]{0,8}(?:\\n|$))`,
  "y",
);
const sign = new RegExp(`[ \\t]{0,2}(?:是|为|為|は|는|은|:|-|to)[ \\t]{0,3}${word}(?![.(\\w])`, "y");

const isOtherScript = (name: string) => /[^\0-\u024f]$|has[lł]o$/i.test(name);

/** Selects the forms by the first character after the spaces, so that most names need only one lookup. */
function formsAt(text: string, at: number): readonly RegExp[] {
  let beyond = at;
  while (beyond < at + 4 && (text.charAt(beyond) === " " || text.charAt(beyond) === "\t")) beyond++;
  const next = text.charAt(beyond);
  if (next === ":") return [colon, sign];
  if ("iwlhebféèovad".includes(next)) return next !== "" && beyond > at ? [verb, quotedBehind] : [];
  if (next === "t" || next === "n") return beyond > at ? [quotedBehind, sign] : [];
  if (`"'\``.includes(next)) return beyond > at ? [quotedBehind] : [verb, colon];
  return ")*".includes(next) ? [verb, colon] : next === "-" || next >= "\u2e80" ? [sign] : [];
}

export function findPlainWordAfter({ text, name, end }: Name, isOwnLine: () => boolean): Value | undefined {
  for (const form of formsAt(text, end)) {
    if (form === sign && !isOtherScript(name)) continue;
    form.lastIndex = end;
    const match = form.exec(text);
    const found = match?.slice(1).findLast(Boolean) ?? "";
    if (!found || !isPlainWord(found) || (form === colon && !isOwnLine())) continue;
    const behind = form.lastIndex;
    return { text: found, start: behind - found.length, end: behind, isQuoted: true, isClosed: false };
  }
  return undefined;
}
