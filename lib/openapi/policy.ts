import { type KeyKind, keyKinds } from "../contract/access.ts";
import type { Operation } from "../contract/operation.ts";

/** Who may call an operation and how often: in words for people, and as fields of the document for programs. */

const acceptedKinds = ({ keys }: Operation): KeyKind[] =>
  keyKinds.filter((kind) => keys[kind] === "accepted");

export function describePolicy(operation: Operation): string {
  const { keys, needs, only, plan, rateLimit, organization, readableOnly } = operation;
  const selector = {
    optional: "may narrow to one organization with `org_id`",
    required: "must name one organization with `org_id`",
    refused: "must not send `org_id`",
    ignored: "need no `org_id`",
  };
  return [
    `Keys: ${acceptedKinds(operation).join(", ")}.`,
    keys.workspace === "accepted" ? `Workspace tokens ${selector[organization]}.` : "",
    readableOnly ? "User keys cover only the repositories that their member can read." : "",
    plan === "any" ? "Every plan." : "Enterprise plan.",
    needs ? `Needs ${needs === "admin" ? "the Admin role" : `\`${needs}\``}.` : "",
    only ? `A narrow key needs \`${only}\`.` : "A narrow key needs nothing for it.",
    `Limit: ${rateLimit.requestsMax} requests in ${rateLimit.windowSeconds} seconds.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** The fields that policy-changes.ts compares, so that a stricter policy counts as a change of the interface. */
export function policyFields(operation: Operation): object {
  const { keys, plan, rateLimit, organization } = operation;
  return {
    "x-key-kinds": acceptedKinds(operation),
    "x-needs": Object.fromEntries(acceptedKinds(operation).map((kind) => [kind, needsOf(operation, kind)])),
    "x-only": operation.only,
    "x-plan": plan,
    ...(operation.readOnly && { "x-read-only": true }),
    ...(keys.workspace === "accepted" && { "x-org-id": organization }),
    "x-rate-limit": {
      bucket: rateLimit.bucket,
      requests: rateLimit.requestsMax,
      seconds: rateLimit.windowSeconds,
      owner: rateLimit.owner,
    },
  };
}

/** States of the organization, then a permission or `admin`, which includes all permissions. */
const needsOf = ({ gates = [], needs, needsOfKind }: Operation, kind: KeyKind): string[] => [
  ...gates,
  ...[needs, needsOfKind?.[kind]].filter((need) => need !== null && need !== undefined),
];

/** A parameter that every kind of key may send has no such field. */
export function parameterPolicy({ keysOfParameter }: Operation, name: string): object {
  const kinds = keysOfParameter?.[name];
  return kinds ? { "x-key-kinds": kinds } : {};
}
