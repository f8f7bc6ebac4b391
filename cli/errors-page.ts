import { errorCodes, itemErrorCodes } from "../lib/contract/errors.ts";
import { markdownTable } from "./marked-parts.ts";

const link = (code: string): string => `[${code}](errors/${code}.md)`;

/** docs/errors.md: every code with its page. */
export const errorsPage = (): string =>
  [
    "# Error codes",
    'A program goes by the code, which is one of a closed list; the message is for people. Every error answer has a `Link` header, `rel="help"`, that leads to the page of its code.',
    "## Codes of answers",
    markdownTable(
      ["Code", "HTTP", "Meaning"],
      Object.entries(errorCodes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([code, { status, meaning }]) => [link(code), String(status), meaning]),
    ),
    "## Codes of single items",
    "In an answer of 200 that did a part of its work.",
    markdownTable(
      ["Code", "Meaning"],
      Object.entries(itemErrorCodes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([code, meaning]) => [link(code), String(meaning)]),
    ),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");
