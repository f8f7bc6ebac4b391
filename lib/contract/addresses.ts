import { holdsKey } from "./key-forms.ts";

/** User and password, as URL parsers find them: up to the last `@` before the path. */
const userInfo = /^(\s*(?:https?:[/\\]*|[a-z][a-z\d+.-]*:\/\/))[^/\\?#]*@/i;

/** Compared with the letters and digits of a parameter's name, in lower case. */
const credentialName =
  /token|secret|passw|pwd|apikey|accesskey|privatekey|signature|credential|authorization|^(?:auth|jwt|pat|session|sessionid|sig)$/;

/**
 * A URL of the platform without user, password and parameters that hold credentials. Everything else stays as it was
 * sent: some providers name a comment by a parameter.
 */
export function withoutCredentials(url: string): string {
  const [, address = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  return address.replace(userInfo, "$1") + publicPart(query) + publicPart(fragment);
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

function isCredential(parameter: string): boolean {
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
