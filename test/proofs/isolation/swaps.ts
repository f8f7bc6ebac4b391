import { isReadOnly } from "../../../lib/contract/operation.ts";
import { type OperationId, operationOf } from "../../../lib/contract/operations.ts";
import { parametersOf, type SentRequest } from "../../../lib/contract/requests.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import { ask, askList, idOf, type Kinds, oneOf, optional, readersOf, steady, takes } from "./requests.ts";
import { type Holder, type Own, shared } from "./tenants.ts";

/** A thing of a tenant that a request can name. */
export type Named = Own & {
  readonly uuid: string;
  readonly learningId: string;
  readonly roleId: string;
  readonly keyId: string;
};
export type NamedThing = keyof Named;

const organizationNames = ["orgId", "qualifiedOrgId", "uuid"] as const;

/** A request in which one name is swapped: for another tenant's, or for one that does not exist. */
export type Swap = {
  readonly operation: OperationId;
  /** Each request takes one of these. */
  readonly names: readonly NamedThing[];
  readonly kinds: Kinds;
  /** For operations that take several names at once: one of the caller's own, placed before them. */
  readonly mine?: (holder: Holder) => string;
  /** The last ones of several names are only for lists. */
  ask(name: string, holder: Holder, random: Random, more: readonly string[]): SentRequest;
};

const without = (kinds: Kinds, ...left: Kinds): Kinds => kinds.filter((kind) => !left.includes(kind));

const listSwap = (
  operation: OperationId,
  parameter: string,
  names: readonly NamedThing[],
  kinds: Kinds,
): Swap => ({
  operation,
  names,
  kinds,
  ...(mineOf[parameter] && { mine: mineOf[parameter] }),
  ask: (name, holder, random, more) => {
    if (parameter === "org_id") return askNamed(operation, holder, random, name);
    if (inBody(operation, parameter))
      return ask(operation, holder, {
        body: { [parameter]: parameter.endsWith("_ids") ? [name, ...more] : name },
      });
    return askList(operation, holder, random, { [parameter]: [name, ...more].join(",") });
  },
});

const askNamed = (operation: OperationId, holder: Holder, random: Random, org_id: string): SentRequest =>
  operationOf(operation).body
    ? ask(operation, holder, { org_id })
    : askList(operation, holder, random, { org_id });

/** For parameters that take lists: names in the caller's own tenant. */
const mineOf: Readonly<Record<string, (holder: Holder) => string>> = {
  organization_ids: ({ branch }) => idOf(branch),
  repository_ids: () => shared.repositoryId,
  user_ids: (holder) => holder.own.userId,
};

/** Parameters and fields of the body that name things, at every operation that reads by them. */
const parameters: Readonly<Record<string, NamedThing>> = {
  organization_ids: "orgId",
  repository_ids: "repositoryId",
  repository_id: "repositoryId",
  repo_id: "repositoryId",
  user_ids: "userId",
  search: "word",
  file: "file",
  repository_name: "repositoryName",
};

/** Bodies that only read; those that write have their own swaps. The file of a search is text that changes scores. */
const inBody = (operation: OperationId, parameter: string): boolean =>
  isReadOnly(operationOf(operation)) &&
  parameter !== "file" &&
  parameter in (operationOf(operation).body?.shape ?? {});

function kindsOf(operation: OperationId, parameter: string): Kinds {
  if (parameter === "organization_ids") return ["instance"];
  return operationOf(operation).keysOfParameter?.[parameter] ?? readersOf(operation);
}

const parameterSwaps = Object.entries(parameters).flatMap(([parameter, name]) =>
  steady
    .filter((operation) => takes(operation, parameter) || inBody(operation, parameter))
    .map((operation) => listSwap(operation, parameter, [name], kindsOf(operation, parameter))),
);

/** Requests that act on the organization that `org_id` names. */
const selectedSwaps: readonly Swap[] = [
  ...optional.map((operation) => listSwap(operation, "org_id", organizationNames, ["workspace"])),
  ...steady
    .filter((id) => operationOf(id).organization === "required")
    .map((operation) => ({
      operation,
      names: organizationNames,
      kinds: selectingKinds(operation),
      ask: (org_id: string, holder: Holder) => ask(operation, holder, { org_id }),
    })),
];

function selectingKinds(operation: OperationId): Kinds {
  return operationOf(operation).instanceScope === "named" ? ["workspace", "instance"] : ["workspace"];
}

/** These would change the caller's own things. */
const changing: ReadonlySet<OperationId> = new Set<OperationId>([
  ...(["updateLearning", "deleteLearning", "decideLearning"] as const),
  ...(["setSeatAssignment", "createKey", "rotateKey", "deleteKey"] as const),
  ...(["createWebhook", "updateWebhook", "deleteWebhook", "rotateWebhook", "testWebhook"] as const),
]);

/** Where `org_id` is ignored, the caller's own organization is used. */
const ignoredSwaps: readonly Swap[] = [
  ...optional.map((operation) =>
    listSwap(operation, "org_id", organizationNames, without(readersOf(operation), "workspace")),
  ),
  ...steady
    .filter((id) => !changing.has(id) && !optional.includes(id))
    .flatMap((operation) => {
      const swap = {
        operation,
        names: organizationNames,
        ask: (org_id: string, holder: Holder) => ask(operation, holder, { org_id }),
      };
      const { organization } = operationOf(operation);
      const selecting = organization === "ignored" ? [] : selectingKinds(operation);
      const kinds = without(readersOf(operation), ...selecting);
      // Agentic keys are separate: few operations accept them, and each kind must have its turn.
      return [
        { ...swap, kinds: without(kinds, "agentic") },
        ...(kinds.includes("agentic") ? [{ ...swap, kinds: ["agentic"] as const }] : []),
      ];
    }),
];

const thingsInPaths = {
  organization_id: "uuid",
  learning_id: "learningId",
  role_id: "roleId",
  key_id: "keyId",
} as const satisfies Readonly<Record<string, NamedThing>>;

const thingSwaps: readonly Swap[] = [
  ...steady.flatMap((operation) =>
    Object.entries(thingsInPaths)
      .filter(([parameter]) => parametersOf(operationOf(operation)).includes(parameter))
      .map(([parameter, name]) => ({
        operation,
        names: [name],
        kinds: readersOf(operation),
        ask: (id: string, holder: Holder) => ask(operation, holder, { subject: { [parameter]: id } }),
      })),
  ),
  {
    operation: "createRole",
    names: ["roleId"],
    kinds: readersOf("createRole"),
    ask: (duplicate_from, holder) =>
      ask("createRole", holder, { subject: { text: "Copied" }, body: { duplicate_from } }),
  },
];

/** The member that all tenants have has no seat, and must not get one. */
const actionOn = (person: string, random: Random): string =>
  person === "u2" || person === shared.email ? "unassign" : oneOf(random, ["assign", "unassign"]);

const seatSwap = (name: "userId" | "email", field: "user_ids" | "emails", kinds: Kinds): Swap => ({
  operation: "assignSeats",
  names: [name],
  kinds,
  mine: () => (name === "userId" ? "u2" : shared.email),
  ask: (id, holder, random, more) =>
    ask("assignSeats", holder, {
      body: { action: actionOn(id, random), [field]: [id, ...more], dry_run: false },
    }),
});

const peopleSwaps: readonly Swap[] = [
  {
    operation: "createLearnings",
    names: ["repositoryId"],
    kinds: readersOf("createLearnings"),
    mine: () => shared.repositoryId,
    ask: (first, holder, _, more) =>
      ask("createLearnings", holder, {
        body: {
          data: [first, ...more].map((repository_id) => ({ repository_id, learning: shared.learning })),
        },
      }),
  },
  seatSwap("userId", "user_ids", without(readersOf("assignSeats"), "workspace")),
  seatSwap("email", "emails", ["workspace"]),
  {
    operation: "changeRoles",
    names: ["userId"],
    kinds: readersOf("changeRoles"),
    mine: () => "u1",
    ask: (id, holder, _, more) =>
      ask("changeRoles", holder, { body: { user_ids: [id, ...more], dry_run: false } }),
  },
];

export const swaps: readonly Swap[] = [
  ...parameterSwaps,
  ...selectedSwaps,
  ...ignoredSwaps,
  ...thingSwaps,
  ...peopleSwaps,
];
