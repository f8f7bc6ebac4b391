import type { Random } from "../../../lib/runtime/random.ts";
import type { Branch, Holder } from "./tenants.ts";

export type Request = { readonly method: string; readonly target: string; readonly body?: object };

export type Kinds = ReadonlyArray<Holder["kind"]>;

export const everyKind = ["organization", "user", "workspace", "instance"] as const;
export const notWorkspace = ["organization", "user", "instance"] as const;
export const withLegacy = (kinds: Kinds): Kinds => [...kinds, "legacy"];
export const window = "start_date=2026-11-01&end_date=2026-11-30";

export const get = (path: string, query: Record<string, string | undefined> = {}): Request => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return { method: "GET", target: text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}` };
};

export const write = (method: string, target: string, body: object): Request => ({ method, target, body });

export const idOf = ({ name }: Branch): string => name.provider_organization_id;
/** A workspace token must name one of its own organizations where other keys need not. */
export const own = ({ kind, branch }: Holder): { org_id?: string } =>
  kind === "workspace" ? { org_id: idOf(branch) } : {};
export const oneOf = <Element>(random: Random, elements: readonly [Element, ...Element[]]): Element =>
  elements[random.below(elements.length)] ?? elements[0];

const formats = ["json", "csv", "ndjson"] as const;
export const lists = {
  listReviewCommentMetrics: () => `/v1/metrics/review-comments?${window}`,
  listReviewMetrics: (random: Random) => `/v1/metrics/reviews?${window}&format=${oneOf(random, formats)}`,
  listMcpMetrics: () => `/v1/metrics/mcp?${window}`,
  listLearnings: (random: Random) => `/v1/learnings?format=${oneOf(random, formats)}`,
  // Leaves out data that grows meanwhile, such as refused keys, and actions that log several entries in no fixed order.
  listAuditLogs: (random: Random) => `/v1/audit-logs?actions=role.deleted&format=${oneOf(random, formats)}`,
  listUsers: () => "/v1/users",
  listOrganizations: () => "/v1/organizations",
  listSecurityFindings: (random: Random) =>
    `/v1/security/scans/code?format=${oneOf(random, ["json", "csv", "sarif"])}`,
} as const;
export type List = keyof typeof lists;

export const metrics = ["listReviewCommentMetrics", "listReviewMetrics", "listMcpMetrics"] as const;
const legacyReads: ReadonlySet<string> = new Set([...metrics, "listLearnings"]);

/** The kinds of key that may read a list. */
export function readersOf(operation: string): Kinds {
  if (operation === "listSecurityFindings") return notWorkspace;
  return legacyReads.has(operation) ? withLegacy(everyKind) : everyKind;
}

/** Lists that a workspace token may narrow with `org_id`, and an instance key with `organization_ids`. */
export const optional = [...metrics, "listLearnings", "listUsers", "listAuditLogs"] as const;
export const narrowed = [
  ...metrics,
  "listLearnings",
  "listAuditLogs",
  "listOrganizations",
  "listSecurityFindings",
] as const;
