import type { Operation } from "../../../lib/contract/operation.ts";
import { operations } from "../../../lib/contract/operations.ts";
import type { Documented } from "./document.ts";
import { type FuzzHome, type FuzzKind, kinds, members, repositories, repositoryName } from "./world.ts";

/** A request in parts, so that one part can be made invalid. */
export type Draft = {
  readonly operation: Documented;
  readonly kind: FuzzKind;
  readonly path: Readonly<Record<string, string>>;
  /** In order; a name may occur several times. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
};

export const targetOf = ({ operation, path, query }: Draft): string => {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const text = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return text === "" ? filled : `${filled}?${text}`;
};

/** Rules that the document states in words and not in schemas: comma-separated lists, and how many values they take. */
export const listsMax: Readonly<Record<string, number>> = {
  repository_ids: 10,
  user_ids: 10,
  organization_ids: 10,
  actions: 50,
  resource_types: 50,
  severity: 10,
};

/** Meaningful values of lists whose values are not repositories. */
export const listValues = (name: string, { names }: FuzzHome): readonly string[] => {
  const known = {
    severity: ["critical", "high", "medium", "low"],
    organization_ids: [names[0]],
    user_ids: members,
    actions: ["key.created", "role.deleted", "seats.assigned"],
    resource_types: ["api_key", "role", "seat"],
  };
  return Object.entries(known).find(([each]) => each === name)?.[1] ?? repositories;
};

/** Lists that accept only the documented values. */
export const closedLists: readonly string[] = ["severity", "actions", "resource_types"];

/** Parameters that only one kind of key may send. */
const kindsOfParameter: Readonly<Record<string, FuzzKind>> = {
  organization_ids: "instance",
  repository_name: "user",
};

export const isFor = (name: string, kind: FuzzKind): boolean => (kindsOfParameter[name] ?? kind) === kind;

/** The fields of a search that only one kind of key may send, or that name things: those exist, or are left out. */
export function searchBody(
  { organization_ids: _, repository_name: name, repository_id: id, ...body }: Record<string, unknown>,
  kind: FuzzKind,
): Record<string, unknown> {
  if (name !== undefined && isFor("repository_name", kind))
    return { ...body, repository_name: repositoryName };
  return id === undefined ? body : { ...body, repository_id: id };
}

export const policyOf = ({ id }: Documented): Operation => {
  const policy = operations.find((operation) => operation.id === id);
  if (!policy) throw new Error(`${id} is documented and does not exist.`);
  return policy;
};

export const kindsOf = (operation: Documented): readonly FuzzKind[] =>
  kinds.filter((kind) => policyOf(operation).keys[kind] === "accepted");
