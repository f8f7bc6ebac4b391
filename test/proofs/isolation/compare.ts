import type { Answer } from "../../support/api.ts";

/** What may differ between two answers that must be equal: the request's id, the date, the rate headers. */
const changing = /^(x-request-id|date|ratelimit.*|x-ratelimit.*|retry-after)$/;
/** Cursors are bound to the request that they continue, so they are only there or not. */
const cursors = /^x-(next|resume)-cursor$/;

/** The bytes of an answer, with the names that were asked for taken out. */
export function bytesOf({ status, headers, body }: Answer, names: readonly string[]): string {
  const kept = Object.entries(headers)
    .filter(([header]) => !changing.test(header))
    .map(([header, value]) => [header, cursors.test(header) ? "a cursor" : value])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  const text = names.reduce((left, name) => left.replaceAll(name, "§"), derivedIds(body.toString()));
  return JSON.stringify([status, kept, text]);
}

/** The id of a Learning that could not be made follows from the repository that was asked for. */
const derivedIds = (text: string): string =>
  text.replaceAll(/("status":"failed","id":)"[0-9a-f-]{36}"/g, '$1"derived"');

/** What of these strings an answer holds, in its body or in a header, and not by the caller's own word. */
export function leaksIn({ headers, body }: Answer, secrets: readonly string[], said: string): string[] {
  const text = `${body.toString()}\n${Object.values(headers).join("\n")}`.toLowerCase();
  return secrets.filter((secret) => text.includes(secret.toLowerCase()) && !said.includes(secret));
}
