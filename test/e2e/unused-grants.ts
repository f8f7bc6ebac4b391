import type { Deployment } from "./deployment.ts";
import { type Access, allows, roleStatements, type Statement } from "./policy.ts";

/** Lambda itself uses these: it writes the function's log and its traces. */
const ofLambda = /^(logs|xray):/;

/**
 * What roles allow and their functions never did. Statements that are bound to partitions are the chain's, the same
 * in every operation; an operation's own grant counts as used only for what the chain's would not have allowed.
 */
export function unusedGrants(
  { template, account, warden, functions }: Deployment,
  isMeant: (functionId: string) => boolean,
): string[] {
  return [...functions.keys()].filter(isMeant).flatMap((id) => {
    const statements = roleStatements(template, account, id);
    const asked = warden.asked.get(id) ?? [];
    return statements.flatMap((statement) =>
      statement.Action.filter((action) => !ofLambda.test(action))
        .filter((action) => !isUsed(action, statement, statements, asked))
        .map((action) => `${id} ${action} on ${statement.resources}`),
    );
  });
}

function isUsed(
  action: string,
  statement: Statement,
  all: readonly Statement[],
  asked: readonly Access[],
): boolean {
  const calls = asked.filter((access) => access.action === action);
  if (statement.Condition !== undefined) return calls.length > 0;
  const others = all.filter((other) => other !== statement);
  return calls.some((access) => allows(statement, access) && !others.some((other) => allows(other, access)));
}
