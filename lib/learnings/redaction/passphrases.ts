import { aboutWords } from "./assignment-names.ts";
import { listedWords } from "./placeholders.ts";

/** Words of sentences about credentials, in addition to the words of placeholders. */
const sentenceWords = new Set(
  "all also always are before been both but can cannot could does each every has have how into its just keep last least like long made make many more most must never nothing now once only other out over same should stored such take than them then there these they time too two under until use using very was were what when where which while who why will without would you your character characters digits letters symbols special minimum maximum days strong weak random secure security plain logged rotate choose provide given generated create select wrong correct".split(
    " ",
  ),
);

/** `walnut cinder velvet zephyr`: four words or more, no word of a sentence, and at most one word of code. */
export function isWordPassphrase(value: string): boolean {
  if (!/^[a-z]{3,10}(?: [a-z]{3,10}){3,7}$/.test(value)) return false;
  const words = value.split(" ");
  return (
    !words.some((word) => sentenceWords.has(word) || listedWords.has(word)) &&
    words.filter((word) => aboutWords.has(word)).length <= 1
  );
}
