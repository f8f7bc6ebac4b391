import { chainGrants } from "../../../lib/contract/grants.ts";
import { partOf } from "../infra/support.ts";
import type { Deployment } from "./deployment.ts";
import { type Access, allows, roleStatements, type Statement } from "./policy.ts";

/** Lambda itself uses these: it writes the function's log and its traces. */
const ofLambda = /^(logs|xray):/;

export type Granted = { readonly id: string; readonly path?: string };

/** Actions that roles allow and their functions never used. An operation's role begins with the chain's statements. */
export const unusedGrants = (
  { template, account, iamProxy }: Deployment,
  functions: readonly Granted[],
): string[] =>
  functions.flatMap(({ id, path }) => {
    const functionId = partOf(id, "Function");
    const statements = roleStatements(template, account, functionId);
    const asked = iamProxy.asked.get(functionId) ?? [];
    // The first statement of a role is about its log.
    const shared = path === undefined ? 0 : chainGrants.length + 1;
    const allowing = statements.filter(({ Effect }) => Effect === "Allow");
    return allowing.flatMap((statement, index) =>
      statement.Action.filter((action) => !ofLambda.test(action))
        .filter((action) => !isUsed(action, statement, allowing.slice(0, index), index < shared, asked))
        .map((action) => `${id} ${action} on ${statement.resources} ${enclosingOperation(statement) ?? ""}`),
    );
  });

/** The kind of transaction that a statement is for. */
const enclosingOperation = ({ Condition }: Statement): string | undefined =>
  /"dynamodb:EnclosingOperation":\["(\w+)"\]/.exec(JSON.stringify(Condition ?? {}))?.[1];

/**
 * The chain's statements are the same in every role; an operation's own statement counts only for calls that the
 * chain's do not allow.
 */
function isUsed(
  action: string,
  statement: Statement,
  before: readonly Statement[],
  isShared: boolean,
  asked: readonly Access[],
): boolean {
  const calls = asked.filter((access) => access.action === action);
  if (isShared) return calls.length > 0;
  // Actions inside transactions are granted a second time, for interpretations of IAM that the first grant does not
  // cover.
  const inside = enclosingOperation(statement);
  if (inside !== undefined)
    return calls.some((access) => access.enclosing?.operation === inside && allows(statement, access));
  return calls.some((access) => {
    // A chain grant for single calls is not valid inside a transaction; the first statement is about the log.
    const others = before.filter((_, index) => !(access.enclosing && chainGrants[index - 1]?.alone));
    return allows(statement, access) && !others.some((other) => allows(other, access));
  });
}
