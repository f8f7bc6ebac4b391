import { hasBothCases, hasDigit, isHex, isPlainCase, isUuid, looksRandom } from "./appearance.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import { pattern } from "./words.ts";

/** Links that give access to every holder: resets, invitations, one-time and magic links, shared secrets. */
const linkPattern = /(?:https?|wss?):\/\/[^\s"'<>`\uE000-\uE010]{8,}/g;
/** Hosts that expect the key in the path. */
const keyHosts = pattern(
  "i",
  String.raw`^\w+:\/\/[^/]{0,80}\b(?:alchemy|infura|quiknode|ankr|chainstack|p2pify|getblock|blastapi|nodereal`,
  "|tenderly|loggly|logentries",
  String.raw`|exchangerate-api|darksky|wunderground|cronitor\.link|integromat|hook\.\w{1,12}\.make|ftqq|day\.app`,
  String.raw`|pabbly|http-intake|events\.pagerduty`,
  String.raw`|alert\.victorops|api\.squadcast|dl\.cloudsmith|mainnet|sepolia|goerli|rpc)\b`,
);
const opensDoors = pattern(
  "i",
  String.raw`(?<![A-Za-z])(?:reset|magic|invit|activat|verif|confirm|recover|one-?time|\botp\b|sign-?in|log-?in`,
  "|passwordless|password|token|secret",
  String.raw`|unlock|join|onboard|accept|webhook|hooks?\b|callback|sso|session|share|authkey|rlkey|resourcekey`,
  String.raw`|\bauth\b|unsubscribe|trigger|deploy|send\/`,
  String.raw`|private|ical|webcal|telemetry|rpc\/|(?:with|api)[_-]?\/?key\/)`,
);
/** The title of a document is part of its address, and may speak of passwords. */
const documents = pattern(
  "",
  String.raw`^https://[\w.-]{0,40}\b(?:figma\.com|notion\.(?:so|site)|loom\.com|miro\.com|(?:docs`,
  String.raw`|drive)\.google\.com|atlassian\.net)/`,
);
const versioned = pattern(
  "",
  "/(?:commit|blob|tree|raw|compare|archive|zipball|tarball|pull|issues)/",
  String.raw`|raw\.githubusercontent|gist\.github|\.(?:tgz|zip)#`,
);
const partPattern = /[\w.~%+-]{10,}/g;
/** Files, versions and words with hyphens are not tokens. */
const isTokenPart = (part: string) =>
  !isPlaceholder(part) &&
  ((isHex(part) && part.length >= 16 && hasDigit(part) && /[a-f]/i.test(part)) ||
    isUuid(part) ||
    (part.length >= 12 &&
      looksRandom(part) &&
      (hasDigit(part) ? !/\.\w{1,5}$/.test(part) : part.length >= 24)));

const urlToken = kindNamed("URL token");

function find(text: string): Span[] {
  const spans: Span[] = [];
  linkPattern.lastIndex = 0;
  for (let link = linkPattern.exec(text); link; link = linkPattern.exec(text)) {
    const pathAt = link[0].indexOf("/", link[0].indexOf("://") + 3);
    const path = pathAt === -1 ? "" : link[0].slice(pathAt).replace(/[.,;:)\]}]{1,9}$/, "");
    const isKeyHost = keyHosts.test(link[0]);
    const isDoor =
      isKeyHost ||
      opensDoors.test(path) ||
      /^https?:\/\/(?:hooks?|webhooks?|login|auth|invite)\./.test(link[0]);
    if (!isDoor || path.length > 2_048 || documents.test(link[0])) continue;
    const isStrongDoor = isKeyHost || /^https?:\/\/(?:web)?hooks?\./.test(link[0]) || strongPath.test(path);
    const isVersioned = !isKeyHost && versioned.test(link[0]);
    for (const part of path.matchAll(partPattern)) {
      // `client_id=…` identifies the caller; `private-…` is a label in front of the token.
      const before = path.slice(Math.max(0, part.index - 80), part.index);
      if (/(?:^|[?&_-])(?:\w*id|state|nonce|code_challenge|response_type|scope|v|version)=$/i.test(before))
        continue;
      const label = /^[a-z]{3,10}[-_](?=\S{10})/.exec(part[0])?.[0].length ?? 0;
      if (isUuid(part[0]) && !isStrongDoor) continue;
      // The version of a secret in a vault.
      if (/\/(?:secrets|keys|certificates)\/[\w-]+\/$/.test(before) && isHex(part[0])) continue;
      if (isVersioned && /^[0-9a-f]{7,64}$/.test(part[0])) continue;
      const isShort =
        /[?&](?:\w{0,12}key|code|token|secret|sig|t|k|otp|pin)=!?$|\/(?:api)?_?(?:key|token|secret)\/$/.test(
          before,
        ) &&
        ((hasDigit(part[0]) && /[A-Z]/.test(part[0])) || (hasBothCases(part[0]) && !isPlainCase(part[0])));
      if (!isShort && !isTokenPart(part[0]) && !(label > 0 && isTokenPart(part[0].slice(label)))) continue;
      const start = link.index + pathAt + part.index;
      spans.push({ start, end: start + part[0].length, kind: urlToken.kind });
    }
  }
  return spans;
}

const strongPath =
  /reset|magic|invit|activat|verif|confirm|recover|one-?time|passwordless|trigger|unsubscribe|webhook|hooks?\b/i;
export const links: Finder = { kinds: [urlToken], keywords: ["http", "wss:", "ws:"], find };
