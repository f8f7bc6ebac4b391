import { assignments } from "./assignments.ts";
import { contextFinder } from "./find-in-context.ts";
import { shapeFinder, tokenFinder } from "./find-tokens.ts";
import { highEntropy } from "./high-entropy.ts";
import { privateKeys } from "./private-keys.ts";
import type { ContextRule, Finder, Kind, ShapeRule, Span, TokenRule } from "./rule.ts";
import { cloudContexts, cloudShapes, cloudTokens } from "./rules-cloud.ts";
import {
  generalTokens,
  headerAndUrlContexts,
  passwordShapedRule,
  statementContexts,
} from "./rules-context.ts";
import { developmentContexts, developmentTokens } from "./rules-development.ts";
import {
  artificialIntelligenceTokens,
  messageAndPaymentShapes,
  messageAndPaymentTokens,
  otherServiceShapes,
  otherServiceTokens,
  serviceContexts,
} from "./rules-services.ts";

const tokenRules: readonly TokenRule[] = [
  ...cloudTokens,
  ...developmentTokens,
  ...messageAndPaymentTokens,
  ...artificialIntelligenceTokens,
  ...otherServiceTokens,
  ...generalTokens,
];
const shapeRules: readonly ShapeRule[] = [...cloudShapes, ...messageAndPaymentShapes, ...otherServiceShapes];
const contextRules: readonly ContextRule[] = [
  ...cloudContexts,
  ...developmentContexts,
  ...serviceContexts,
  ...headerAndUrlContexts,
  ...statementContexts,
];

/** Every rule, for the tests that hold each of them to the same standard. */
export const rules: readonly (TokenRule | ShapeRule | ContextRule)[] = [
  ...tokenRules,
  ...shapeRules,
  ...contextRules,
];

/** In the order they search: what names a credential best comes first, what guesses comes last. */
const finders: readonly Finder[] = [
  ...privateKeys,
  tokenFinder(tokenRules),
  shapeFinder(shapeRules),
  ...contextRules.map(contextFinder),
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
  let redacted = text;
  for (const { find } of searches) {
    const spans = find(redacted);
    for (const { kind } of spans) kinds.add(kind);
    redacted = withMarkers(redacted, spans);
  }
  return redacted;
}

/** A marker can bring two things together that were apart: the next round finds what that makes. Two were always enough. */
const roundsMax = 4;

/** The text with every recognised credential replaced by `[REDACTED:<kind>]`, and the kinds that were found. */
export function redact(text: string): { text: string; kinds: string[] } {
  const lowerCase = text.toLowerCase();
  const searches = finders.filter(
    ({ keywords }) => keywords.length === 0 || keywords.some((keyword) => lowerCase.includes(keyword)),
  );
  const kinds = new Set<string>();
  let redacted = text;
  for (let round = 0; round < roundsMax; round++) {
    const before = redacted;
    redacted = redactOnce(before, searches, kinds);
    if (redacted === before) break;
  }
  return { text: redacted, kinds: [...kinds] };
}
