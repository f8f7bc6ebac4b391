import { isPredicate } from "./not-passwords.ts";
import { isNamingWord, sentenceWords } from "./passphrases.ts";
import { listedWords } from "./placeholders.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { pattern, setOf } from "./words.ts";

/**
 * Finds a passphrase without quotes by the sentence that gives it: "the passphrase, which is copper kettle on the
 * stove".
 */
const told = pattern(
  "giu",
  String.raw`(?<!\p{L})(?:(?<phrase>(?:pass-?)?phrase|frase (?:de (?:paso|acceso)|segreta|secreta)`,
  "|phrase (?:de passe|secrète)",
  "|кодовая фраза|App-Passwort)|passwor[dt]|kennwort|mot de passe|contraseña|senha",
  String.raw`|wachtwoord)(?: [^\s:,.;=]{1,16}){0,5}?`,
  String.raw`(?:(?:,? (?:which )?(?:is|was|ist|lautet|es|est|è|é|jest)| ?[:=→]) ["'\x60]?| ["'\x60])`,
);
const clause =
  /[\p{L}\d][\p{L}\d'-]{0,14}(?: [\p{L}\d][\p{L}\d'-]{0,14}){1,7}(?=["'`]?(?:[.;!,]?[ \t]*(?:\n|$)|[.;!,] )|["'`])/uy;
/** Words that only tie the words of a sentence together. */
const ties = sentenceWords.union(
  setOf(`passphrase phrase frase the and for from with that this not our his her their they them its into onto about
after again until die das den dem der des ein eine einen und oder ist war mit von vom zum zur auf aus bei nach les une
des que qui est avec pour par sur dans los las una con por para del como bajo sin gli che per una uma com het een van
voor met`),
);
/**
 * Its first word is no word of a sentence, and at most one of the others speaks of credentials. A short one, and one
 * that a name of passwords gives, has nothing else.
 */
function isOwnSentence(clauseText: string, isPhrase: boolean, isQuoted: boolean): boolean {
  const words = clauseText.toLowerCase().split(" ");
  const drawn = words.filter((word) => /^\p{L}{3}/u.test(word) && !ties.has(word));
  const lengthMin = isPhrase ? (isQuoted ? 2 : 3) : 4;
  return (
    drawn.length >= lengthMin &&
    drawn[0] === words[0] &&
    ((isPhrase && words.length > lengthMin) || drawn.length === words.length) &&
    drawn.filter(isNamingWord).length <= (words.length > 3 ? 1 : 0) &&
    !words.some((word) => word.length > 4 && listedWords.has(word)) &&
    (drawn.length === words.length || !isPredicate(words[0] ?? "", true)) &&
    drawn.filter((word) => isPredicate(word, true)).length < 2
  );
}

/** Twelve words or more in a row, or numbered, of three to eight letters: a sentence has shorter ones between them. */
const seed = /(?<![\w-])[a-z]{3,8}(?:\s{1,4}(?:\d{1,2}[.):]? {0,2})?[a-z]{3,8}){11,23}(?![\w-])/g;
const seedsIn = (text: string): Span[] =>
  Array.from(text.matchAll(seed))
    .filter(([words]) => words.split(/[^a-z]+/).filter((word) => ties.has(word)).length < 2)
    .map(({ 0: words, index }) => ({ start: index, end: index + words.length, kind: "seed_phrase" }));

export const phrases: Finder = {
  kinds: ["Password", "Seed phrase"].map(kindNamed),
  keywords: [
    "mot de p",
    ...setOf("phrase frase фраза passw kennw contrase senha wachtw seed mnemonic wallet recovery words"),
  ],
  find(text) {
    const spans = seedsIn(text);
    for (const { 0: lead, index, groups } of text.matchAll(told)) {
      const start = index + lead.length;
      clause.lastIndex = start;
      const found = clause.exec(text)?.[0];
      if (found && isOwnSentence(found, groups?.phrase !== undefined, /["'`]$/.test(lead)))
        spans.push({ start, end: start + found.length, kind: "password" });
    }
    return spans.sort((a, b) => a.start - b.start);
  },
};
