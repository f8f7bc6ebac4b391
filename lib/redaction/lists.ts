import { hasDigit } from "./appearance.ts";
import { isMixedWord, isTokenLike } from "./features.ts";
import { isInPlace } from "./refusals.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { isAbout, isPasswordSaid } from "./said.ts";
import { bareValue } from "./values.ts";

/** "All the logins:", and below it a line for each system: `wiki: …`, `wiki (bob): …`, `wiki  bob / …`. */
const headingWords =
  "passw|kennwört|logins|accounts|test users|zugänge|zugangsdaten|credentials|creds|secrets|tokens|api keys|rotated|mots de passe|accès|identifiants|accesos|contraseñas|senhas|acessos|accessi|dostęp|hasła";
const heading = new RegExp(`(?:^|\\n)[^\\n]{0,80}?(?:${headingWords})[^\\n]{0,80}`, "gi");
const ofPasswords =
  /(?:passwords|mots de passe|passwörter|kennwörter|contraseñas|senhas|hasła|passw[a-z]*(?![a-z_]))[^\n]*:\s*$/i;
const ofTokens = /\b(?:secrets|tokens|api keys|rotated)\b[^\n]*:\s*$/i;
const line =
  /([ \t*•-]{0,6})(\p{L}[^\n:|=/]{1,40}?)(?:[ \t]{2,30}|([ \t]\/[ \t])|[ \t][-=]>[ \t]|[ \t]{1,8}=[ \t]{1,8}|[ \t]?(?:\((?:user )?([\w.@+-]{2,40})\))?:[ \t]{0,30})(?:([\w.@+-]{2,40})(?:[ \t]{2,30}|[ \t]\/[ \t]{1,8}))?["'`]?([^\s"'`]{4,80}|\uE010)["'`]?[ \t]{0,8}(?:\n|$)/uy;
const otherLabel =
  /^(?:owner|author|status|state|contact|team|note|see|source|stored|where|location|tool|manager)\b/i;
const rule = /[ \t]{0,20}[-=─]{0,80}[ \t]{0,20}\n/y;
const password = kindNamed("Password");

function find(text: string): Span[] {
  const spans: Span[] = [];
  heading.lastIndex = 0;
  for (let head = heading.exec(text); head; head = heading.exec(text)) {
    line.lastIndex = heading.lastIndex + 1;
    rule.lastIndex = line.lastIndex;
    if (rule.test(text)) line.lastIndex = rule.lastIndex;
    let first: string | undefined;
    for (let match = line.exec(text); match; match = line.exec(text)) {
      const [whole, indent = "", label = "", slash, bracketed, user = slash && label, secret = ""] = match;
      first ??= indent;
      if (indent !== first) break;
      const start = match.index + whole.lastIndexOf(secret);
      const value = bareValue(secret, start);
      const isWord = bracketed !== undefined || (user === undefined && ofPasswords.test(head[0]));
      const isPassword = isWord
        ? isPasswordSaid(value, "", true) && !otherLabel.test(label) && !label.split(" ").some(isAbout)
        : user === undefined
          ? (/passwords/i.test(head[0])
              ? isMixedWord(secret)
              : ofTokens.test(head[0]) && isTokenLike(secret)) && isInPlace(secret)
          : hasDigit(secret)
            ? isInPlace(secret)
            : isPasswordSaid(value, "", true);
      if (isPassword) spans.push({ start, end: value.end, kind: password.kind });
      heading.lastIndex = line.lastIndex - 1;
    }
  }
  return spans;
}

export const lists: Finder = { kinds: [password], keywords: headingWords.split("|"), reach: 800, find };
