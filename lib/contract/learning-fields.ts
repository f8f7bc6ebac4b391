import * as z from "zod";
import { learningLimits } from "./limits.ts";
import { badText, codePoints, wellFormed } from "./parameters.ts";

/** The texts of a Learning, in requests and in events. */

const redactionMark = /\[REDACTED:[a-z0-9_]{1,64}\]/g;

/** Text of 1 to `charactersMax` characters. Redaction marks do not count: exported text can be sent again. */
export const markedText = (charactersMax: number, marksMax: number) => {
  const hasLength = (value: string): boolean => {
    const characters = codePoints(value.replace(redactionMark, ""));
    return value !== "" && characters <= charactersMax && codePoints(value) - characters <= marksMax;
  };
  return z
    .string({ error: "must be a string" })
    .refine(wellFormed, { error: badText, abort: true })
    .transform((value) => value.trim())
    .refine(hasLength, { error: `must have 1 to ${charactersMax} characters; redaction marks do not count` })
    .meta(markedShape(charactersMax, marksMax));
};

const markedShape = (charactersMax: number, marksMax: number) =>
  ({
    type: "string",
    minLength: 1,
    maxLength: charactersMax + marksMax,
    limits: `At most ${charactersMax} characters; redaction marks do not count.`,
  }) as const;

function addressShape(charactersMax: number, marksMax: number) {
  return { ...markedShape(charactersMax, marksMax), format: "uri" } as const;
}

const { marksCharactersMax, fieldMarksCharactersMax } = learningLimits;
const textLengths = [learningLimits.textCharactersMax, marksCharactersMax] as const;
const fileLengths = [learningLimits.fileCharactersMax, fieldMarksCharactersMax] as const;
const sourceUrlLengths = [learningLimits.sourceUrlCharactersMax, fieldMarksCharactersMax] as const;

export const learningText = markedText(...textLengths);
export const learningFile = markedText(...fileLengths);

/** A redaction mark may replace any part of the URL, also a host. */
const isWebAddress = (value: string): boolean => {
  const address = value.replace(redactionMark, "redacted");
  return /^https?:\/\/\S+$/i.test(address) && URL.canParse(address);
};
export const markedAddress = (charactersMax: number, marksMax: number) =>
  markedText(charactersMax, marksMax)
    .refine(isWebAddress, { error: "must be an http or https URL" })
    .meta(addressShape(charactersMax, marksMax));
export const learningSourceUrl = markedAddress(...sourceUrlLengths);
