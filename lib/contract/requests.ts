import type { KeyKind } from "./access.ts";
import type { ListedOperation, OperationId } from "./operations.ts";

/** The things of one organization that a request names. Path parameters have the names of the contract. */
export type Subject = {
  readonly organization_id: string;
  readonly learning_id: string;
  readonly role_id: string;
  readonly key_id: string;
  readonly webhook_id: string;
  readonly repository_id: string;
  readonly user_id: string;
  readonly email: string;
  /** The text of a Learning, or the name of a role. */
  readonly text: string;
  readonly start_date: string;
  readonly end_date: string;
  /** An idempotency key, where an operation needs one. */
  readonly once: string;
  /** Where a webhook sends its rings. */
  readonly receiver_url: string;
};

type Sent = {
  query?(subject: Subject): Readonly<Record<string, string>>;
  body?(subject: Subject, kind: KeyKind): object;
};

const window = { query: ({ start_date, end_date }: Subject) => ({ start_date, end_date }) };

/**
 * The only list of valid requests, one for every operation: `verify` sends them to a deployed service, and the tests send
 * them under faults, load, other tenants' names and every kind of key. Paths come from the contract.
 */
const requests: Readonly<Record<OperationId, Sent>> = {
  listReviewCommentMetrics: window,
  listReviewMetrics: window,
  listMcpMetrics: window,
  listLearnings: {},
  searchLearnings: { body: ({ text }) => ({ query: text }) },
  createLearnings: { body: ({ repository_id, text }) => ({ data: [{ repository_id, learning: text }] }) },
  getLearning: {},
  updateLearning: { body: ({ text }) => ({ learning: text }) },
  deleteLearning: {},
  decideLearning: { body: () => ({ decision: "approve" }) },
  listOrganizations: {},
  listRepositories: {},
  listUsers: {},
  assignSeats: {
    body: ({ user_id, email }, kind) => ({
      action: "assign",
      ...(kind === "workspace" ? { emails: [email] } : { user_ids: [user_id] }),
    }),
  },
  getSeatAssignment: {},
  setSeatAssignment: { body: () => ({ mode: "automatic" }) },
  changeRoles: { body: ({ user_id }) => ({ role: "cr_admin", user_ids: [user_id] }) },
  listTeams: {},
  listRoles: {},
  listPermissions: {},
  getRole: {},
  createRole: { body: ({ text }) => ({ name: text }) },
  updateRole: { body: ({ text }) => ({ name: text }) },
  deleteRole: {},
  giveRole: { body: ({ user_id }) => ({ user_ids: [user_id] }) },
  listAuditLogs: {},
  listSecurityFindings: {},
  listKeys: {},
  createKey: { body: ({ text }) => ({ name: text, only: ["metrics:read"] }) },
  rotateKey: { body: ({ once }) => ({ idempotency_key: once }) },
  deleteKey: {},
  createWebhook: { body: ({ receiver_url }) => ({ url: receiver_url, types: ["metrics.reviews"] }) },
  listWebhooks: {},
  getWebhook: {},
  updateWebhook: { body: ({ text }) => ({ description: text }) },
  deleteWebhook: {},
  rotateWebhook: { body: () => ({}) },
  testWebhook: { body: () => ({}) },
  listWebhookDeliveries: {},
  whoami: {},
};

export type SentRequest = { readonly method: string; readonly target: string; readonly body?: object };

type Options = {
  /** The kind of the key: some bodies depend on it. */
  readonly kind?: KeyKind;
  /** Sent where the operation reads it: in the body if it has one, else in the query. */
  readonly org_id?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  /** Fields in place of those of the list. */
  readonly body?: object;
};

/** The query and the body of the operation's request about these things. */
export function partsOf({ id }: ListedOperation, subject: Subject, options: Options = {}) {
  const { kind = "organization", org_id } = options;
  const { query, body } = requests[id];
  const selected = org_id === undefined ? {} : { org_id };
  return {
    query: { ...query?.(subject), ...(!body && selected), ...options.query },
    ...(body && { body: { ...body(subject, kind), ...selected, ...options.body } }),
  };
}

export function requestOf(operation: ListedOperation, subject: Subject, options?: Options): SentRequest {
  const { query, ...sent } = partsOf(operation, subject, options);
  const search = new URLSearchParams(query);
  const path = pathOf(operation, subject);
  return { method: operation.method, target: search.size > 0 ? `${path}?${search}` : path, ...sent };
}

/** The operation's path; a parameter without a value stays as it is. */
export const pathOf = (
  { path }: ListedOperation,
  things: Readonly<Record<string, string | undefined>>,
): string => path.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => things[name] ?? parameter);

export const parametersOf = ({ path }: ListedOperation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** The narrowest kind of key of an admin that may send it. */
export const usualKind = ({ gates }: ListedOperation): "organization" | "instance" =>
  gates?.includes("self_hosted") ? "instance" : "organization";
