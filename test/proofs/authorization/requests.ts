import { operationOf } from "../../../lib/contract/operations.ts";
import {
  requestOf as listedRequestOf,
  parametersOf,
  type SentRequest,
  type Subject,
} from "../../../lib/contract/requests.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { Answer } from "../../support/api.ts";
import { absent } from "../../support/subject.ts";
import type { Selection, Selector } from "./selectors.ts";
import type { Kind, Row } from "./table.ts";
import { type MarkedOrganization, marksIn, siblingsMode, type Tenant } from "./world.ts";

type Ask = {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly tenant: Tenant;
  /** Organizations whose people and repositories the request names: the answer shows where the request acted. */
  readonly candidates: readonly MarkedOrganization[];
};

/** Differences from the contract's list of requests: so that the answer shows where a request acted, and nothing changes. */
type Special = {
  readonly subject?: (ask: Ask) => Partial<Subject>;
  readonly query?: (ask: Ask) => Readonly<Record<string, string>>;
  readonly body?: (ask: Ask) => object;
  /** The answer to an accepted call if it is not 200: a deterministic one that changes nothing. */
  readonly through?: readonly [status: number, code: string | null];
  /** The organizations that an answer shows, if not every mark in it. */
  readonly shows?: (answer: Answer, ask: Ask) => readonly string[];
};

/** Deletion is idempotent, so the request names a resource that must survive. */
const isOutOfReach = (kind: Kind, selector: Selector): boolean =>
  selector.startsWith("path ") && !(kind === "instance" && selector === "path other in tenant");
const isAll = ({ selection }: Ask) => selection.orgId?.toUpperCase() === "ALL";
const marked = (candidates: readonly MarkedOrganization[]) => candidates.map(({ mark }) => `m-${mark}`);

const specials: Readonly<Record<string, Special>> = {
  "searchLearnings of a name": {
    body: ({ tenant }) => ({ repository_name: `group/${tenant.home.mark}` }),
  },
  "listLearnings of a name": {
    query: ({ tenant }) => ({ repository_name: `group/${tenant.home.mark}` }),
  },
  // Nothing waits for approval, so every accepted request gets an empty list.
  "listLearnings of pending": { query: () => ({ state: "pending" }) },
  createLearnings: {
    body: ({ candidates }) => ({
      data: candidates.map(({ mark }) => ({ repository_id: `repo-${mark}`, learning: "One of all" })),
    }),
    shows: ({ json }, { candidates }) => createdIn(json, candidates),
  },
  deleteLearning: {
    subject: ({ kind, selection: { selector, pathText } }) =>
      pathText || isOutOfReach(kind, selector) ? {} : { learning_id: systemRandom.uuid() },
    through: [204, null],
  },
  assignSeats: {
    body: ({ kind, candidates }) => ({
      action: "unassign",
      ...(kind === "workspace"
        ? { emails: candidates.map(({ mark }) => `m-${mark}@${mark}.test`) }
        : { user_ids: marked(candidates) }),
    }),
    shows: ({ json }) => succeededIn(json),
  },
  getSeatAssignment: {
    // Only the home organization has another mode.
    shows: ({ json }, { tenant }) =>
      JSON.stringify(json) === `{"mode":"${siblingsMode}"}` ? [] : [tenant.home.mark],
  },
  // Every organization gives the same answer: the stored mode shows which one the request acted on.
  setSeatAssignment: { body: () => ({ mode: siblingsMode }) },
  changeRoles: {
    // With ALL, "nobody" is a member nowhere: the failures list every organization that was tried.
    body: (ask) => ({ role: "cr_member", user_ids: isAll(ask) ? ["nobody"] : marked(ask.candidates) }),
    shows: ({ json, body }, ask) => (isAll(ask) ? marksIn(body.toString()) : succeededIn(json)),
  },
  // In the role's own organization its name is taken; elsewhere the name is free and the role does not exist.
  createRole: {
    body: ({ selection: { pathText, pathOrganization } }) => ({
      duplicate_from: pathText ?? pathOrganization?.roleId,
    }),
    through: [409, "ROLE_NAME_TAKEN"],
  },
  deleteRole: { through: [409, "ROLE_IN_USE"] },
  giveRole: {
    body: ({ candidates }) => ({ user_ids: marked(candidates), dry_run: true }),
    shows: ({ json }) => succeededIn(json),
  },
  listAuditLogs: { query: () => ({ actions: "role.created" }) },
  // Within what every key of the matrix has that may make one.
  createKey: { body: () => ({ only: ["keys:write"] }), through: [201, null] },
  rotateKey: { through: [404, "KEY_NOT_FOUND"] },
  deleteKey: { through: [404, "KEY_NOT_FOUND"] },
  // A private address, which is checked after everything else.
  createWebhook: { body: () => ({ url: "https://10.0.0.1" }), through: [400, "INVALID_REQUEST"] },
  ...Object.fromEntries(
    [
      "getWebhook",
      "updateWebhook",
      "deleteWebhook",
      "rotateWebhook",
      "testWebhook",
      "listWebhookDeliveries",
    ].map((id) => [id, { through: [404, "WEBHOOK_NOT_FOUND"] as const }]),
  ),
};

const specialOf = ({ operation }: Row): Special => specials[operation] ?? {};

/** Texts that the organization has already: the request changes nothing. */
function subjectOf({ id }: Row, { selection: { pathText, pathOrganization } }: Ask): Subject {
  const mark = pathOrganization?.mark ?? "nobody";
  return {
    ...absent,
    organization_id: pathText ?? pathOrganization?.uuid ?? "",
    learning_id: pathText ?? pathOrganization?.learningId ?? "",
    role_id: pathText ?? pathOrganization?.roleId ?? "",
    text: id.endsWith("Role") ? `Role of ${mark}` : `Guidance of ${mark}`,
  };
}

export function requestOf(row: Row, ask: Ask): SentRequest {
  const special = specialOf(row);
  const { orgId, isMisplaced, organizationIds } = ask.selection;
  const inBody = "organization_ids" in (operationOf(row.id).body?.shape ?? {});
  return listedRequestOf(
    operationOf(row.id),
    { ...subjectOf(row, ask), ...special.subject?.(ask) },
    {
      kind: ask.kind,
      ...(!isMisplaced && { org_id: orgId }),
      query: {
        ...special.query?.(ask),
        ...(isMisplaced && orgId !== undefined && { org_id: orgId }),
        ...(organizationIds !== undefined && !inBody && { organization_ids: organizationIds }),
      },
      body: {
        ...special.body?.(ask),
        ...(organizationIds !== undefined && inBody && { organization_ids: organizationIds.split(",") }),
      },
    },
  );
}

export const hasBody = (row: Row): boolean => operationOf(row.id).body !== undefined;
export const throughOf = (row: Row): readonly [number, string | null] =>
  specialOf(row).through ?? [200, null];
/** The kind of thing that the request names: in its path, or the role that a new one copies. */
export const thingOf = ({ id }: Row): string | undefined =>
  id === "createRole" ? "role_id" : parametersOf(operationOf(id))[0];

/** The marks of the organizations that an answer shows. */
export function shownBy(row: Row, answer: Answer, ask: Ask): readonly string[] | null {
  if (!row.showsOrganizations) return null;
  return specialOf(row).shows?.(answer, ask) ?? marksIn(answer.body.toString());
}

const succeededIn = (json: unknown): string[] => {
  const succeeded = typeof json === "object" && json !== null ? Reflect.get(json, "succeeded") : undefined;
  return marksIn(JSON.stringify(succeeded ?? []));
};

function createdIn(json: unknown, candidates: readonly MarkedOrganization[]): string[] {
  const results: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "results") : [];
  if (!Array.isArray(results)) return [];
  const isStored = (result: unknown) => !JSON.stringify(result).includes('"failed"');
  return candidates.filter((_, index) => isStored(results[index])).map(({ mark }) => mark);
}
