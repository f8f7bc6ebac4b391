import { isInPlace } from "./refusals.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { valueAt } from "./values.ts";

/** `kind: Secret` of Kubernetes: every member of its data is a credential. */
const secretData =
  /\bkind:[ \t]{1,4}["']?Secret["']?[ \t]{0,4}\n(?:[^\n]{0,120}\n){0,20}?([ \t]{0,20})(?:data|stringData):[ \t]{0,8}\n/g;
const memberLine = /([ \t]*)["']?([\w.-]{1,60})["']?:[ \t]{1,8}(?=\S)/y;
const membersMax = 20;

/** A member that holds a user, a place, a duration or other settings, not the credential. */
const otherMember =
  /(?:^|[_.-])(?:user|username|name|login|mail|host|url|uri|path|file|id|arn|type|kind|region|port|version|provider|source|store|engine|driver|algorithm|alg|method|policy|length|min|max|age|ttl|days|expir\w*|rotat\w*|created\w*|updated\w*|description|role|scope|env|enabled|required|format|encoding|field|label|hint|ref|from|external|namespace|mount|vault|pattern|regex|\$ref|title)$/i;

export const isOtherMember = (member: string): boolean =>
  otherMember.test(member.replace(/([a-z])([A-Z])/g, "$1_$2"));

const secret = kindNamed("Secret");

function find(text: string): Span[] {
  const spans: Span[] = [];
  for (const data of text.matchAll(secretData)) {
    let at = data.index + data[0].length;
    for (let members = 0; members < membersMax; members++) {
      memberLine.lastIndex = at;
      const [, indent = "", member = ""] = memberLine.exec(text) ?? [];
      if (member === "" || indent.length <= (data[1] ?? "").length) break;
      const value = valueAt(text, memberLine.lastIndex, false, 4_096);
      if (value && !isOtherMember(member) && isInPlace(value.text))
        spans.push({ start: value.start, end: value.end, kind: secret.kind });
      at = text.indexOf("\n", memberLine.lastIndex) + 1;
      if (at === 0) break;
    }
  }
  return spans;
}

export const secretObjects: Finder = { kinds: [secret], keywords: ["kind:"], reach: 2_000, find };
