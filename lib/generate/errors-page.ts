import { errorCodes, itemErrorCodes } from "../contract/errors.ts";
import { markdownTable } from "./marked-parts.ts";

const link = (code: string): string => `[${code}](errors/${code}.md)`;

/** docs/use/errors.md: every error code with its explanation. */
export const errorsPage = (): string =>
  [
    "# Error codes",
    "[Errors and limits](limits.md) says when to send a request again, and how programs treat codes.",
    "## Codes of responses",
    markdownTable(
      ["Code", "HTTP", "Meaning"],
      Object.entries(errorCodes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([code, { status, meaning }]) => [link(code), String(status), meaning]),
    ),
    "## Codes of single items",
    "A response of 200 to a batch has these codes for the items that failed.",
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
