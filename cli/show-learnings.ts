import type { CommandInput } from "./command.ts";
import { OperatorError } from "./errors.ts";
import { showList } from "./listing.ts";
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

const shownCharactersMax = 80;

/** A table row is one line; --json shows the whole text. */
export const shortened = <Record extends { readonly learning: string }>(record: Record): Record => {
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
