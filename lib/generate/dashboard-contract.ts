import { type KeyKind, keyKinds } from "../contract/access.ts";
import type { Operation } from "../contract/operation.ts";

/** For the dashboard's worker: limits, and who may call what. Without schemas, so that no browser loads them. */
export const dashboardContract = (operations: readonly Operation[]): string => {
  const lines = operations.map((operation) => `  ${operation.id}: ${JSON.stringify(policyOf(operation))},`);
  return `// Made by npm install from lib/contract/operations.
import type { OperationName } from "../../lib/client/client.ts";
import type { OperationPolicy } from "./policy.ts";

export const policies: Readonly<Record<OperationName, OperationPolicy>> = {
${lines.join("\n")}
};
`;
};

function policyOf(operation: Operation) {
  const { rateLimit, keys, needs, needsOfKind, keysOfParameter, needsOfParameter } = operation;
  const { bucket, requestsMax, windowSeconds } = rateLimit;
  const accepted = (kind: KeyKind) => keys[kind] === "accepted";
  const names = new Set([...Object.keys(keysOfParameter ?? {}), ...Object.keys(needsOfParameter ?? {})]);
  return {
    limit: { bucket, requestsMax, windowSeconds },
    kinds: keyKinds.filter(accepted),
    plan: operation.plan,
    needsMetrics: operation.gates?.includes("metrics") ?? false,
    actsOnHome: operation.instanceScope === "home",
    needs,
    needsOfKind: needsOfKind ?? {},
    only: operation.only,
    parameters: Object.fromEntries(
      [...names].map((name) => [name, { kinds: keysOfParameter?.[name], needs: needsOfParameter?.[name] }]),
    ),
  };
}
