import { aboutWords } from "./assignment-names.ts";
import { listedWords } from "./placeholders.ts";

/** Words of sentences about credentials, in addition to the words of placeholders and of names. */
const sentenceWords = new Set(
  "all also always another are before been below between both but can cannot come could does each either else every few first following for found good has have her his how into its just keep kept last later least less like long longer made make many more most must never not nothing now once only other otherwise our out over own please same should since stored such take than the them then there these they those through time times together too twice two under until use uses using very want was way well were what when where whether which while who whom why will within without would yet you your character characters chars digit digits letter letters symbol symbols special word words line lines minimum maximum exactly strong weak random secure security plain logged leaked shared rotate rotates choose chosen confirm provide provided given generated generate create created select click press blank wrong correct mixed upper lower uppercase lowercase mandatory deprecated legacy internal external person people team owner customer customers member members system systems production development machine device phone mobile browser network requests website site web accounts permission permissions description information details setting option options feature project repository review comment files folder document documents shorter twelve eight sixteen stay stays kept keeps works work needs need".split(
    " ",
  ),
);
const isSentenceWord = (word: string) =>
  sentenceWords.has(word) || listedWords.has(word) || aboutWords.has(word);

/** `walnut cinder velvet zephyr`: four words or more, none of them a word of a sentence or of code. */
export const isWordPassphrase = (value: string): boolean =>
  /^[a-z]{3,10}(?: [a-z]{3,10}){3,7}$/.test(value) && !value.split(" ").some(isSentenceWord);
