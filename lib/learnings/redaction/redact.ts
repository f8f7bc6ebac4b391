import { assignments } from "./assignments.ts";
import { calls, rows } from "./calls.ts";
import { contextFinder } from "./find-in-context.ts";
import { shapeFinder, tokenFinder } from "./find-tokens.ts";
import { highEntropy } from "./high-entropy.ts";
import { keywordSearch } from "./keywords.ts";
import { links } from "./links.ts";
import { privateKeys, publicBlocks } from "./private-keys.ts";
import type { ContextRule, Finder, Kind, ShapeRule, Span, TokenRule } from "./rule.ts";
import { commandContexts } from "./rules-commands.ts";
import {
  generalTokens,
  headerAndUrlContexts,
  passwordShapedRule,
  statementContexts,
} from "./rules-context.ts";
import { formContexts, formShapes, formTokens } from "./rules-vendors.ts";
import { withFound } from "./spans.ts";
import { structured } from "./structured.ts";
import { tables } from "./tables.ts";
import { namedVendors, vendorTokens } from "./vendors.ts";
import { marker, viewOf } from "./view.ts";

const tokenRules: readonly TokenRule[] = [...formTokens, ...vendorTokens, ...generalTokens];
const contextRules: readonly ContextRule[] = [
  ...formContexts,
  ...headerAndUrlContexts,
  ...commandContexts,
  ...statementContexts,
];

/** Every rule, for the tests that hold each of them to the same standard. */
export const rules: readonly (TokenRule | ShapeRule | ContextRule)[] = [
  ...tokenRules,
  ...formShapes,
  ...contextRules,
];

/** In the order they search: what names a credential best comes first, what guesses comes last. */
const finders: readonly Finder[] = [
  ...privateKeys,
  tokenFinder(tokenRules),
  shapeFinder(formShapes),
  namedVendors,
  ...contextRules.map(contextFinder),
  rows,
  calls,
  tables,
  ...structured,
  links,
  assignments,
  highEntropy,
  contextFinder(passwordShapedRule),
];

/** Every kind a marker can name, once each, for the documentation. */
export const publishedKinds: readonly Kind[] = [
  ...new Map(finders.flatMap(({ kinds }) => kinds).map(({ kind, name }) => [kind, { kind, name }])).values(),
];

function withMarkers(text: string, spans: readonly Span[]): string {
  let marked = "";
  let from = 0;
  for (const { start, end, kind } of spans) {
    marked += `${text.slice(from, start)}[REDACTED:${kind}]`;
    from = end;
  }
  return marked + text.slice(from);
}

function redactOnce(text: string, searches: readonly Finder[], kinds: Set<string>): string {
  const view = viewOf(text);
  const holds = keywordSearch(view.text);
  const blocks = view.text.includes("-----BEGIN") ? publicBlocks(view.text) : [];
  const isPublic = ({ start, end }: Span) => blocks.some((block) => block.start < end && start < block.end);
  let spans: readonly Span[] = [];
  for (const { keywords, find } of searches) {
    if (keywords.length > 0 && !holds(keywords)) continue;
    const found = find(view.text).filter(
      (span) => !view.text.slice(span.start, span.end).includes(marker) && !isPublic(span),
    );
    spans = withFound(view.text, spans, found);
  }
  for (const { kind } of spans) kinds.add(kind);
  return withMarkers(
    text,
    spans.map((span) => ({ ...view.original(span.start, span.end), kind: span.kind })),
  );
}

/** A marker can bring two things together that were apart: the next round finds what that makes. */
const roundsMax = 6;
/** In a long text the next rounds look only at what lies so near to a marker. */
const longLength = 16_384;
const nearLength = 400;

/** The stretches of whole lines round the markers, in order. */
function nearMarkers(text: string): Array<{ start: number; end: number }> {
  const stretches: Array<{ start: number; end: number }> = [];
  for (const { index } of text.matchAll(/\[REDACTED:/g)) {
    const last = stretches.at(-1);
    if (last && index + nearLength < last.end) continue;
    const from = Math.max(0, index - 2 * nearLength);
    const start = from + text.slice(from, Math.max(0, index - nearLength)).lastIndexOf("\n") + 1;
    const behind = text.slice(index + nearLength, index + 2 * nearLength);
    const end = Math.min(index + nearLength + (behind.indexOf("\n") + 1 || behind.length), text.length);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else stretches.push({ start, end });
  }
  return stretches;
}

function redactAgain(text: string, searches: readonly Finder[], kinds: Set<string>): string {
  if (text.length <= longLength) return redactOnce(text, searches, kinds);
  let redacted = "";
  let from = 0;
  for (const { start, end } of nearMarkers(text)) {
    redacted += text.slice(from, start) + redactOnce(text.slice(start, end), searches, kinds);
    from = end;
  }
  return redacted + text.slice(from);
}

type Redacted = { text: string; kinds: string[] };

function redactBy(text: string, searches: readonly Finder[]): Redacted {
  const kinds = new Set<string>();
  let redacted = redactOnce(text, searches, kinds);
  let before = text;
  for (let round = 1; round < roundsMax && redacted !== before; round++) {
    before = redacted;
    redacted = redactAgain(before, searches, kinds);
  }
  return { text: redacted, kinds: [...kinds] };
}

/** The text with every recognised credential replaced by `[REDACTED:<kind>]`, and the kinds that were found. */
export const redact = (text: string): Redacted => redactBy(text, finders);

/** A file's path is not judged by its look: the filter by path has to find what was sent. */
const pathFinders = finders.filter((finder) => finder !== highEntropy);
export const redactPath = (path: string): Redacted => redactBy(path, pathFinders);
