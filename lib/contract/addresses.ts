import { holdsKey } from "./key-forms.ts";

/**
 * User and password, as URL parsers find them: up to the last `@` before the path. URL parsers ignore control
 * characters before the scheme.
 */
const userInfo = /^([\s\p{Cc}]*(?:(?:https?|ftp|wss?):[/\\]*|[a-z][a-z\d+.-]*:\/\/))[^/\\?#]*@/iu;

/** Compared with the letters and digits of a parameter's name, in lower case. */
const credentialName =
  /token|secret|passw|pwd|apikey|accesskey|privatekey|signature|credential|authorization|^(?:auth|jwt|pat|session|sessionid|sig)$/;

/**
 * A URL of the platform without user, password and parameters that hold credentials. Everything else stays as it was
 * sent: some providers name a comment by a parameter.
 */
export function withoutCredentials(url: string): string {
  const [, address = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  return withoutUserInfo(address) + publicPart(query) + publicPart(fragment);
}

/** URL parsers ignore tabs and line breaks, wherever they are. */
const withoutBreaks = (text: string): string => text.replaceAll(/[\t\n\r]/g, "");

function withoutUserInfo(address: string): string {
  const read = withoutBreaks(address);
  const bare = read.replace(userInfo, "$1");
  return bare === read ? address : bare;
}

/** A clone URL: no part of its query or fragment is needed to find the repository. */
export const repositoryAddress = (url: string): string => withoutCredentials(url.replace(/[?#].*$/s, ""));

/** A query or a fragment, with its mark, without the parameters that hold credentials. */
function publicPart(part: string): string {
  const all = part.slice(1).split("&");
  const kept = all.filter((parameter) => !isCredential(parameter));
  if (kept.length === all.length) return part;
  return kept.length === 0 ? "" : part.charAt(0) + kept.join("&");
}

function isCredential(sent: string): boolean {
  const parameter = withoutBreaks(sent);
  const equals = parameter.indexOf("=");
  if (equals === -1) return holdsKey(parameter);
  const name = decoded(parameter.slice(0, equals))
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, "");
  return credentialName.test(name) || holdsKey(decoded(parameter.slice(equals + 1)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
