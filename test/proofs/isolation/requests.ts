import { type KeyKind, keyKinds } from "../../../lib/contract/access.ts";
import { type OperationId, operationOf, operations } from "../../../lib/contract/operations.ts";
import { requestOf, type SentRequest, type Subject } from "../../../lib/contract/requests.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import { absent } from "../../support/subject.ts";
import { type Branch, type Holder, shared } from "./tenants.ts";

export type Kinds = readonly KeyKind[];

/** The kinds of key that an operation accepts. */
export const readersOf = (id: string): Kinds =>
  keyKinds.filter((kind) => operationOf(id).keys[kind] === "accepted");

export const idOf = ({ name }: Branch): string => name.provider_organization_id;
export const oneOf = <Element>(random: Random, elements: readonly [Element, ...Element[]]): Element =>
  elements[random.below(elements.length)] ?? elements[0];

/** Things of the caller. Texts are taken: a request that is accepted with them changes nothing. */
const subjectOf = (id: string, { branch }: Holder): Subject => ({
  ...absent,
  organization_id: branch.uuid,
  learning_id: branch.learningIds[0] ?? "",
  // A system role cannot be deleted.
  role_id: id === "deleteRole" ? "cr_admin" : (branch.roleIds[0] ?? ""),
  key_id: branch.keyIds[0] ?? "",
  repository_id: shared.repositoryId,
  user_id: "u2",
  email: shared.email,
  text: id.endsWith("Role") ? "Admin" : shared.learning,
});

type Asked = {
  readonly subject?: Partial<Subject>;
  readonly org_id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** The contract's request by this caller, which changes nothing if nothing foreign is reached. */
export function ask(id: OperationId, holder: Holder, asked: Asked = {}): SentRequest {
  const operation = operationOf(id);
  // A workspace token must name one of its own organizations where other keys need not.
  const isNamed = holder.kind === "workspace" && operation.organization === "required";
  return requestOf(
    operation,
    { ...subjectOf(id, holder), ...asked.subject },
    {
      kind: holder.kind,
      org_id: asked.org_id ?? (isNamed ? idOf(holder.branch) : undefined),
      ...(asked.query && { query: asked.query }),
      body: { ...("dry_run" in (operation.body?.shape ?? {}) && { dry_run: true }), ...asked.body },
    },
  );
}

const formats = ["json", "csv", "ndjson"] as const;
const variants: Partial<Record<OperationId, (random: Random) => Record<string, string>>> = {
  listReviewMetrics: (random) => ({ format: oneOf(random, formats) }),
  listLearnings: (random) => ({ format: oneOf(random, formats) }),
  // Leaves out data that grows meanwhile, such as refused keys, and actions that log several entries in no fixed order.
  listAuditLogs: (random) => ({ actions: "role.deleted", format: oneOf(random, formats) }),
  listSecurityFindings: (random) => ({ format: oneOf(random, ["json", "csv", "sarif"]) }),
};

/** A request for a list, in one of its formats. */
export const askList = (id: OperationId, holder: Holder, random: Random, query: Asked["query"] = {}) =>
  ask(id, holder, { query: { ...variants[id]?.(random), ...query } });

export const takes = (id: OperationId, parameter: string): boolean =>
  parameter in operationOf(id).query.shape;
/** Answers of listKeys show when each key was last used: no two answers are the same. */
export const steady = operations.map(({ id }) => id).filter((id) => id !== "listKeys");
/** Lists that a workspace token may narrow with `org_id`, and an instance key with `organization_ids`. */
export const optional = steady.filter(
  (id) =>
    operationOf(id).organization === "optional" &&
    operationOf(id).method === "GET" &&
    // Ids of webhooks are of one scope: test/functions/webhooks.test.ts shows that one scope does not see another's.
    !operationOf(id).path.includes("{webhook_id}"),
);
export const narrowed = steady.filter((id) => takes(id, "organization_ids"));
export const metrics = steady.filter((id) => operationOf(id).tag === "Metrics");
