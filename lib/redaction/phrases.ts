import { isPredicate } from "./not-passwords.ts";
import { areDrawn, hasSentenceWord, isNamingWord, sentenceWords } from "./passphrases.ts";
import { isPlaceholder, listedWords } from "./placeholders.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { mergeSpans } from "./spans.ts";
import { pattern, setOf } from "./words.ts";

/**
 * Finds a passphrase by what it cannot be: where a line names one, words in a row that no sentence has. The place of the name does not matter: "use … as the
 * passphrase", "the vault opens with the phrase …", and the answer to a question.
 */
const names = ["phrase", "frase", "fraza", "фраза", "passw", "mot de passe", "kennw", "wachtwoord", "contrase", "senha", "hasł"];
const seedNames = ["seed", "mnemonic", "wallet", "recovery", "24 words", "12 words", "ledger"];
const promise = /passphrase|(?<!\p{L})(?:phrase|frase|fraza|фраза)(?!\p{L})|wachtwoordzin/iu;
/** A password has four words, or two in quotes; what promises a passphrase, three. */
const passwordName = /pass|kennw|wachtw|contrase|senha|hasł/i;
/** Words that offer what follows. */
const offers = setOf(`is was are be reads says with use uses used using type enter try choose pick take set answer give ist war lautet heißt mit nimm bitte
verwende nutze est était avec prends utilise utilisez mets es era con usa pon é com foi è sono digita jest użyj met gebruik neem kies`);
/** Other words of sentences. They end a run of words too. */
const bounds = sentenceWords.union(
  setOf(`passphrase phrase frase fraza wachtwoordzin the and for from that this those not had our his her their they them how why may might did does been being
here onto about after again please because until some any both few other another such same own very now ever once der die das den dem des ein eine
einen einem einer und oder aber sind waren wird werden ohne für von vom zum zur auf aus bei nach über unter nicht kein keine wir ihr sie ich als
benutze les une sont sans pour par sur dans pas que qui vous nous votre notre comme utiliser los las una uno unos son fue sin por para del como sus
pero más esta este usar utiliza siempre gli che per non come dei della dal nel alla usare dos uma umas não sem mas mais seu sua het een van voor
zonder niet maar dat deze dit zijn wordt naar nie dla się jako oraz czy ten tego`),
);
const run = /(?<![\w\u00c0-\u024f'’@./-])[A-Za-z\u00c0-\u024f]{2,16}(?: [A-Za-z\u00c0-\u024f]{2,16}){1,60}(?![\w\u00c0-\u024f@/-])/g;

const isUsedAs = /^ (?:as|als|comme|como|come|jako) /;
const isEnded = (behind: string) => /^(?:["'`“”»\uE000)]|[.,;!]?[ \t]*(?:\n|$)|[.,;!] | [-–—(])/.test(behind) || isUsedAs.test(behind);

function isPhrase(words: readonly string[], text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  const behind = text.slice(end, end + 12);
  const lead = /(\p{L}+)[ \t]$/u.exec(before)?.[1]?.toLowerCase() ?? "";
  const isOffered = offers.has(lead) || /["'`„“«\uE000(:=→>–—-][ \t]?$/.test(before);
  const isQuoted = /["'„“«\uE000]$/.test(before) && /^["'`”“»\uE000]/.test(behind);
  const isPlaced = /(?:^|\n)$/.test(before) || promise.test(lead) || isUsedAs.test(behind);
  // `titled "cannot connect"`, `item "Sandbox PSP"`: two words in quotes are a name, unless a sign or a verb gives them.
  const verb = /(\p{L}+)[ \t]["'„“«\uE000]$/u.exec(before)?.[1]?.toLowerCase() ?? "";
  const isGiven = /[:=→(][ \t]?["'„“«\uE000]$/.test(before) || offers.has(verb) || promise.test(verb) || passwordName.test(verb);
  if (!(isOffered || isPlaced) || words.length < (isQuoted && isGiven ? 2 : 3) || !(isEnded(behind) || (words.length > 3 && offers.has(lead)))) return false;
  const small = words.map((word) => word.toLowerCase());
  const isOneCase = words.every((word) => /^\p{Lu}/u.test(word)) || words.every((word) => /^\p{Ll}/u.test(word));
  if (
    !isOneCase ||
    new Set(small).size < 2 ||
    !areDrawn(small, words.length > 3 ? 1 : 0) ||
    hasSentenceWord(small.join(" ")) ||
    (isQuoted && isPlaceholder(small.join(" ")))
  )
    return false;
  // "sable" and "king" are no such words.
  if (small.some((word) => /.{3}(?:ing|able|ful|less|tion)$/.test(word))) return false;
  const lines = linesOf(text, start, end);
  return promise.test(lines) || ((isQuoted || words.length > 3) && isOffered && isEnded(behind) && passwordName.test(lines));
}

const lineReach = 200;
/** The line of a run and, above a line that answers, the question. */
function linesOf(text: string, start: number, end: number): string {
  const [line = "", above = ""] = text
    .slice(Math.max(0, start - 2 * lineReach), start)
    .split(/\n\s*/)
    .reverse();
  const isAnswer = /[?:][ \t]*$/.test(above) || /^[^:]{1,30}: $/.test(line);
  return `${isAnswer ? above : ""} ${line} ${text.slice(end, end + lineReach).split("\n", 1)}`;
}

/** A passphrase may be a sentence of its own: "the passphrase, which is copper kettle on the stove", "passphrase = Nebel steigt leise auf 1907". */
const told = pattern(
  "giu",
  String.raw`(?<!\p{L})(?:(?:pass-?phrase|frase (?:de (?:paso|acceso)|segreta|secreta)|phrase (?:de passe|secrète)|кодовая фраза)(?: [^\s:,.;=]{1,16}){0,5}?`,
  "(?:,? (?:which )?(?:is|was|ist|lautet|es|est|è|é|jest)| ?[:=→])|asks? for (?:the|a) pass(?:word|phrase)[;,:]? (?:then )?",
  String.raw`(?:type|enter|say)) ["'\x60]?`,
);
const clause = /[\p{L}\d][\p{L}\d'-]{0,14}(?: [\p{L}\d][\p{L}\d'-]{0,14}){3,7}(?=["'`]?(?:[.;!]?[ \t]*(?:\n|$)|[.;!] ))/uy;
/** Its first word is no word of a sentence, and at most one word speaks of credentials. */
function isOwnSentence(clauseText: string, isTyped: boolean): boolean {
  const words = clauseText.toLowerCase().split(" ");
  const drawn = words.filter((word) => /^\p{L}{3}/u.test(word) && !bounds.has(word) && !offers.has(word));
  return (
    drawn.length > 2 &&
    (isTyped || drawn[0] === words[0]) &&
    drawn.filter(isNamingWord).length <= (drawn.length > 3 ? 1 : 0) &&
    !words.some((word) => word.length > 4 && listedWords.has(word)) &&
    !drawn.some((word) => isPredicate(word, true))
  );
}
function toldIn(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: lead, index } of text.matchAll(told)) {
    const start = index + lead.length;
    clause.lastIndex = start;
    const found = clause.exec(text)?.[0];
    if (found && isOwnSentence(found, /(?:type|enter|say) .?$/.test(lead))) spans.push({ start, end: start + found.length, kind: "password" });
  }
  return spans;
}

/** Twelve words or more in a row, or numbered, of three to eight letters: a sentence has shorter ones between them. */
const seed = /(?<![\w-])[a-z]{3,8}(?:\s{1,4}(?:\d{1,2}[.):]? {0,2})?[a-z]{3,8}){11,23}(?![\w-])/g;
const seedsIn = (text: string): Span[] =>
  Array.from(text.matchAll(seed))
    .filter(([words]) => words.split(/[^a-z]+/).filter((word) => bounds.has(word) || offers.has(word) || hasSentenceWord(word)).length < 2)
    .map(({ 0: words, index }) => ({ start: index, end: index + words.length, kind: "seed_phrase" }));

export const phrases: Finder = {
  kinds: ["Password", "Seed phrase"].map(kindNamed),
  keywords: [...names, ...seedNames],
  find(text) {
    const spans: Span[] = [];
    for (const { 0: found, index } of text.matchAll(run)) {
      let start = index;
      let words: string[] = [];
      const close = (end: number) => {
        // A sentence begins with a capital: "Gebruik …".
        const lead = words[0] ?? "";
        if (/^\p{Lu}/u.test(lead) && /^\p{Ll}/u.test(words[1] ?? "")) {
          words.shift();
          start += lead.length + 1;
        }
        if (words.length > 1 && isPhrase(words, text, start, end)) spans.push({ start, end, kind: "password" });
        words = [];
      };
      let at = index;
      for (const word of found.split(" ")) {
        if (word.length < 3 || bounds.has(word.toLowerCase()) || offers.has(word.toLowerCase())) {
          close(at - 1);
          start = at + word.length + 1;
        } else words.push(word);
        at += word.length + 1;
      }
      close(at - 1);
    }
    return mergeSpans(mergeSpans(spans, toldIn(text)), seedsIn(text)).slice();
  },
};
