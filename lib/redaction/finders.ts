import { assignments } from "./assignments.ts";
import { contextFinder } from "./find-in-context.ts";
import { tokenFinder } from "./find-tokens.ts";
import { highEntropy } from "./high-entropy.ts";
import { links } from "./links.ts";
import { mentions } from "./mentions.ts";
import { privateKeys } from "./private-keys.ts";
import type { ContextRule, Finder, TokenRule } from "./rule.ts";
import { commandContexts } from "./rules-commands.ts";
import { generalTokens, headerAndUrlContexts, statementContexts } from "./rules-context.ts";
import { formContexts, formTokens } from "./rules-vendors.ts";
import { tables } from "./tables.ts";
import { vendorTokens } from "./vendors.ts";

const tokenRules: readonly TokenRule[] = [...formTokens, ...vendorTokens, ...generalTokens];
const contextRules: readonly ContextRule[] = [
  ...formContexts,
  ...headerAndUrlContexts,
  ...commandContexts,
  ...statementContexts,
];

/** All rules, for the tests that check every rule in the same way. */
export const rules: readonly (TokenRule | ContextRule)[] = [...tokenRules, ...contextRules];

/** They guess from the words around a value. They do not see what other finders have found. */
export const guesses: readonly Finder[] = [highEntropy, mentions];

/** In the order of the search: the most specific finders come first, the finders that guess come last. */
export const finders: readonly Finder[] = [
  ...privateKeys,
  tokenFinder(tokenRules),
  ...contextRules.map(contextFinder),
  tables,
  links,
  assignments,
  ...guesses,
];
