import { areDrawn, hasSentenceWord } from "./passphrases.ts";
import { isPlaceholder } from "./placeholders.ts";
import { isPredicate } from "./refusals.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { mergeSpans } from "./spans.ts";
import { pattern, setOf } from "./words.ts";

/**
 * Finds a passphrase by what it cannot be: where a line names one, words in a row that no sentence has. The place of the name does not matter: "use … as the
 * passphrase", "the vault opens with the phrase …", and the answer to a question.
 */
const names = ["phrase", "frase", "fraza", "passw", "mot de passe", "kennw", "wachtwoord", "contrase", "senha", "hasł"];
const promise = /passphrase|(?<!\p{L})(?:phrase|frase|fraza)(?!\p{L})|wachtwoordzin/iu;
/** A password has four words, or two in quotes; what promises a passphrase, three. */
const passwordName = /pass|kennw|wachtw|contrase|senha|hasł/i;
/** Words that offer what follows. */
const offers = setOf(`is was are be reads says with use uses used using type enter try choose pick take set answer give ist war lautet heißt mit nimm bitte
verwende nutze est était avec prends utilise utilisez mets es era con usa pon é com foi è sono digita jest użyj met gebruik neem kies`);
/** Other words of sentences. They end a run of words too. */
const bounds = setOf(`passphrase phrase frase fraza wachtwoordzin
the and were for from without that this these those not but has have had you your our his her its their they them who how why what
which when where will would can could should must may might did does been being than then there here into onto over under about after before again
also only just please because until while some any each every all both few more most other another such same own
too very now ever never once der die das den dem des ein eine einen einem einer und oder aber sind waren wird werden ohne für von vom zum zur auf aus
bei nach über unter nicht kein keine wir ihr sie ich als benutze les une sont sans pour par sur dans pas que qui vous nous votre notre comme utiliser
los las una uno unos son fue sin por para del como sus pero más esta este usar utiliza siempre gli che per non come dei della dal nel alla usare dos
uma umas não sem mas mais seu sua het een van voor zonder niet maar dat deze dit zijn wordt naar nie dla się jako oraz czy ten tego`);
const run = /(?<![\w\u00c0-\u024f'’@./-])[A-Za-z\u00c0-\u024f]{2,16}(?: [A-Za-z\u00c0-\u024f]{2,16}){1,60}(?![\w\u00c0-\u024f@/-])/g;

const isUsedAs = /^ (?:as|als|comme|como|come|jako) /;
const isEnded = (behind: string) => /^(?:["'`“”»\uE000)]|[.,;!]?[ \t]*(?:\n|$)|[.,;!] | [-–—(])/.test(behind) || isUsedAs.test(behind);

function isPhrase(words: readonly string[], text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  const behind = text.slice(end, end + 12);
  const lead = /(\p{L}+)[ \t]$/u.exec(before)?.[1]?.toLowerCase() ?? "";
  const isOffered = offers.has(lead) || /["'`„“«\uE000(:=→>–—-][ \t]?$/.test(before);
  const isQuoted = /["'`„“«\uE000]$/.test(before) && /^["'`”“»\uE000]/.test(behind);
  const isPlaced = /(?:^|\n)$/.test(before) || promise.test(lead) || isUsedAs.test(behind);
  if (!(isOffered || isPlaced) || words.length < (isQuoted ? 2 : 3) || !(isEnded(behind) || (words.length > 3 && offers.has(lead)))) return false;
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
  if (small.some((word) => /(?:ing|able|ful|less|tion)$/.test(word))) return false;
  const lines = linesOf(text, start, end);
  return promise.test(lines) || ((isQuoted || words.length > 3) && isOffered && isEnded(behind) && passwordName.test(lines));
}

const lineReach = 200;
/** The line of a run and, above a line that answers, the question. */
function linesOf(text: string, start: number, end: number): string {
  const [line = "", above = ""] = text
    .slice(Math.max(0, start - 2 * lineReach), start)
    .split("\n")
    .reverse();
  const isAnswer = /[?:][ \t]*$/.test(above) || /^[^:]{1,30}: $/.test(line);
  return `${isAnswer ? above : ""} ${line} ${text.slice(end, end + lineReach).split("\n", 1)}`;
}

/** A passphrase may be a sentence of its own: "the passphrase, which is copper kettle on the stove". */
const told = pattern(
  "giu",
  String.raw`(?<!\p{L})(?:(?:pass-?phrase|frase (?:de (?:paso|acceso)|segreta|secreta)|phrase (?:de passe|secrète))(?: [^\s:,.;]{1,16}){0,5}?(?:,? (?:which `,
  String.raw`)?(?:is|was|ist|lautet|es|est|è|é|jest)|:)|asks? for (?:the|a) pass(?:word|phrase)[;,:]? (?:then )?(?:type|enter|say)) ["'\x60]?`,
);
const clause = /[a-z]{1,12}(?: [a-z]{1,12}){3,7}(?=["'`]?(?:[.;!]?[ \t]*(?:\n|$)|[.;!] ))/y;
function isOwnSentence(clauseText: string, isTyped: boolean): boolean {
  const words = clauseText.split(" ");
  const drawn = words.filter((word) => word.length > 2 && !bounds.has(word) && !offers.has(word));
  return (
    drawn.length > 2 &&
    (isTyped || drawn[0] === words[0]) &&
    areDrawn(drawn, 0) &&
    !hasSentenceWord(drawn.join(" ")) &&
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

export const phrases: Finder = {
  kinds: [kindNamed("Password")],
  keywords: names,
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
    return mergeSpans(spans, toldIn(text)).slice();
  },
};
