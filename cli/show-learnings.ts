import { indexLimits } from "../lib/contract/limits.ts";
import { OperatorError } from "../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "./command.ts";
import { listFormatOf, listOptions, showList } from "./listing.ts";
import type { Terminal } from "./terminal.ts";

export type PendingRow = {
  readonly id: string;
  readonly organization_id: string | undefined;
  readonly repository: string | null;
  readonly author: string;
  readonly deadline: string | null | undefined;
  readonly learning: string;
};

export const showPending = (input: CommandInput, terminal: Terminal, records: readonly PendingRow[]) =>
  showList(input, terminal, {
    records,
    document: { learnings: records },
    line: shortened,
    none: "There are no pending Learnings.",
  });

export type FoundRow = {
  readonly score: number;
  readonly id: string;
  readonly repository: string;
  readonly file: string | null;
  readonly learning: string;
};

export const showFound = (input: CommandInput, terminal: Terminal, records: readonly FoundRow[]) =>
  showList(input, terminal, {
    records,
    document: { learnings: records },
    line: shortened,
    none: "No Learning was found.",
  });

const resultsDefault = 5;
export const searchArgument = {
  name: "TEXT",
  required: true,
  help: "a question, or the text of a change",
} as const;
export const searchOptions: OptionDefinitions = {
  repository: { value: "ID", help: "only this repository, by provider id" },
  file: { value: "PATH", help: "the file that the question or the change is about" },
  results: { value: "N", help: `1 to ${indexLimits.resultsMax} (default ${resultsDefault})` },
  "min-score": { value: "PERCENT", help: "the lowest score to show: 0 to 100 (default: show all)" },
  ...listOptions,
};

/** What a person searches for. */
export function searchOf(input: CommandInput) {
  const percentMin = input.integer("min-score", { min: 0, max: 100 });
  listFormatOf(input);
  return {
    text: input.requiredArgument(searchArgument.name),
    repositoryId: input.text("repository"),
    file: input.text("file"),
    resultsMax: input.integer("results", { min: 1, max: indexLimits.resultsMax }) ?? resultsDefault,
    scoreMin: percentMin === undefined ? undefined : percentMin / 100,
  };
}

const shownCharactersMax = 80;

/** A table row is one line; --json shows the whole text. */
const shortened = <Record extends { readonly learning: string }>(record: Record): Record => {
  const line = record.learning.replaceAll(/\s+/g, " ");
  const learning = line.length > shownCharactersMax ? `${line.slice(0, shownCharactersMax - 1)}…` : line;
  return { ...record, learning };
};

export const decisionWords = {
  approve: {
    summary: "Approve a pending Learning now, before its deadline",
    decided: "approved",
    done: "The review index contains it within a minute.",
  },
  disapprove: {
    summary: "Disapprove a pending Learning",
    decided: "disapproved",
    done: "Reviews and exports do not contain it.",
  },
} as const;
export type DecisionName = keyof typeof decisionWords;

export const decisionArgument = {
  name: "LEARNING_ID",
  required: true,
  help: "the id that `learnings pending` shows",
} as const;

/** An id as a person types it. */
export const learningIdOf = (input: CommandInput): string =>
  input.requiredArgument(decisionArgument.name).toLowerCase();

export const notPending = (id: string) => new OperatorError(`There is no pending Learning ${id}.`);

export function showDecision(input: CommandInput, terminal: Terminal, id: string, name: DecisionName): void {
  const { decided, done } = decisionWords[name];
  if (input.flag("json")) terminal.out(JSON.stringify({ id, decision: decided }));
  else terminal.say(`Learning ${id} is ${decided}. ${done}`);
}
