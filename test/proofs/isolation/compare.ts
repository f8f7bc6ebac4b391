import type { Answer } from "../../support/api.ts";

/** Headers that may differ between two equal answers: the request's id, the date, the rate headers. */
const changing = /^(x-request-id|date|ratelimit.*|x-ratelimit.*|retry-after)$/;
/** Cursors are bound to the request that they continue, so only their presence is compared. */
const cursors = /^x-(next|resume)-cursor$/;

/** The bytes of an answer, without the names that the request contained. */
export function bytesOf({ status, headers, body }: Answer, names: readonly string[]): string {
  const kept = Object.entries(headers)
    .filter(([header]) => !changing.test(header))
    .map(([header, value]) => [header, cursors.test(header) ? "a cursor" : value])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  const text = names.reduce((left, name) => left.replaceAll(name, "§"), derivedIds(body.toString()));
  return JSON.stringify([status, kept, text]);
}

/** The id of a Learning that could not be created is derived from the requested repository. */
const derivedIds = (text: string): string =>
  text.replaceAll(/("status":"failed","id":)"[0-9a-f-]{36}"/g, '$1"derived"');

/** Those of the strings that an answer contains, in its body or in a header, and that the caller did not send. */
export function leaksIn({ headers, body }: Answer, secrets: readonly string[], said: string): string[] {
  const text = `${body.toString()}\n${Object.values(headers).join("\n")}`.toLowerCase();
  return secrets.filter((secret) => text.includes(secret.toLowerCase()) && !said.includes(secret));
}
