import { vi } from "vitest";
import type { ErrorCode } from "../../../../lib/contract/errors.ts";
import { organizationUuid } from "../../../../lib/contract/identity.ts";
import { peopleLimits, requestLimits } from "../../../../lib/contract/limits.ts";
import type { Operation } from "../../../../lib/contract/operation.ts";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import type { Injection } from "../../../support/faulty-engine.ts";
import { gitlab } from "../../../support/world.ts";
import type { ExampleRequest } from "./requests.ts";
import type { ExampleWorld, KeyName } from "./world.ts";

/** How a successful request is changed into one that is refused with a code. */
export type Refusal = Partial<Omit<ExampleRequest, "key">> & {
  readonly key?: KeyName | null;
  readonly contentType?: string;
  /** The successful request is sent shortly before. */
  readonly sentBefore?: true;
  /** The fault of the store during the request. */
  readonly fault?: Injection;
  /** Changes something else; returns a function that restores it. */
  readonly arrange?: () => () => void;
};

type Circumstances = {
  readonly operation: Operation;
  readonly request: ExampleRequest;
  readonly world: ExampleWorld;
};

const unknownId = "00000000-0000-4000-8000-000000000000";
const always =
  (fault: ReturnType<Injection>): Injection =>
  () =>
    fault;

export const refusals: Readonly<Partial<Record<ErrorCode, (circumstances: Circumstances) => Refusal>>> = {
  UNAUTHORIZED: () => ({ key: null }),
  KEY_TYPE_FORBIDDEN: () => ({ key: "agentic" }),
  KEY_LIMITED: ({ operation }) => ({ key: operation.tag === "Metrics" ? "auditOnly" : "metricsOnly" }),
  LEGACY_API_KEY: () => ({ key: "legacy" }),
  WORKSPACE_ADMIN_REQUIRED: () => ({ key: "formerAdmin" }),
  PAYLOAD_TOO_LARGE: ({ operation }) => ({
    body: " ".repeat((operation.bodyBytesMax ?? requestLimits.bodyBytesMax) + 1),
  }),
  UNSUPPORTED_MEDIA_TYPE: () => ({ contentType: "text/plain" }),
  INVALID_REQUEST: ({ request }) => ({ query: { ...request.query, page: "2" } }),
  INVALID_CURSOR: ({ request }) => ({ query: { ...request.query, cursor: "cut-on-its-way" } }),
  ORG_ID_REQUIRED: () => ({ key: "workspace" }),
  ORGANIZATION_NOT_FOUND: (all) =>
    all.operation.id === "listRepositories"
      ? { path: { organization_id: unknownId } }
      : all.operation.keys.workspace === "accepted" && all.operation.organization !== "refused"
        ? { key: "workspace", ...selecting(all, "9999") }
        : narrowedTo(all, "9999"),
  ORGANIZATION_FORBIDDEN: (all) =>
    all.operation.instanceScope === "named"
      ? { key: "instance", ...selecting(all, "7003") }
      : all.operation.instanceScope === "home"
        ? { key: "homeless" }
        : narrowedTo(all, "7003"),
  ENTERPRISE_PLAN_REQUIRED: ({ operation }) => ({
    key: "otherPlan",
    ...(operation.id === "listRepositories" && {
      path: { organization_id: organizationUuid(gitlab("odd", "8001")) },
    }),
  }),
  NO_ACTIVE_SUBSCRIPTION: () => ({ key: "unsubscribed" }),
  SELF_HOSTED_ONLY: () => ({ key: "organization" }),
  METRICS_UNAVAILABLE: () => ({ key: "unavailable" }),
  METRICS_PREPARING: () => ({ key: "preparing" }),
  NOT_ADMIN: ({ operation, request }) => ({
    key: operation.gates ? "hostedUser" : "user",
    ...(operation.id === "listLearnings" && { query: { ...request.query, state: "pending" } }),
  }),
  PERMISSION_DENIED: () => ({ key: "powerless" }),
  RATE_LIMIT_EXCEEDED: () => ({
    fault: ({ operation, body }) =>
      operation === "UpdateItem" && body.includes("LIMIT#") ? "throttle" : undefined,
  }),
  INTERNAL_ERROR: () => ({ fault: always("validation") }),
  SERVICE_UNAVAILABLE: () => ({ fault: always("server_error") }),
  RESPONSE_TOO_LARGE: () => ({ arrange: lookOnceAtASmallLimit }),
  BATCH_SIZE_EXCEEDED: ({ request }) => ({
    body: { ...Object(request.body), user_ids: Array(peopleLimits.batchUsersMax + 1).fill("502") },
  }),
  LEARNING_NOT_FOUND: () => ({ path: { learning_id: unknownId } }),
  LEARNING_EXISTS: () => ({ body: { learning: "Every outgoing webhook is signed." } }),
  LEARNING_NOT_PENDING: ({ world }) => ({
    path: { learning_id: world.learnings.other },
    body: { decision: "disapprove" },
  }),
  INDEX_REFRESH_FAILED: ({ operation, world }) =>
    operation.body
      ? {
          path: { learning_id: world.learnings.spoiled },
          body: { learning: "Log through the shared logger, with the request's id." },
          arrange: failToEmbedOnce,
        }
      : {
          path: { learning_id: unknownId },
          fault: ({ operation: call, body }) =>
            call === "BatchGetItem" && body.includes("VECTOR#") ? "server_error" : undefined,
        },
  ROLE_NOT_FOUND: ({ operation }) =>
    operation.pathParameters
      ? { path: { role_id: unknownId } }
      : { body: { name: "New", duplicate_from: unknownId } },
  KEY_NOT_FOUND: () => ({ path: { key_id: "kaaaaaaaaaaaaaaaa" } }),
  WEBHOOK_NOT_FOUND: () => ({ path: { webhook_id: unknownId } }),
  WEBHOOK_EXISTS: ({ request }) => ({
    sentBefore: true,
    body: { ...Object(request.body), types: ["audit_logs"] },
  }),
  WEBHOOK_LIMIT_REACHED: () => ({ key: "crowded" }),
  KEY_ROTATED: () => ({ key: "rotated" }),
  KEY_EXISTS: ({ request }) => ({
    sentBefore: true,
    body: { ...Object(request.body), name: "another vendor" },
  }),
  KEY_LIMIT_REACHED: () => ({ key: "crowded" }),
  ROLE_NAME_TAKEN: () => ({ body: { name: "Guest" } }),
  ROLE_LIMIT_REACHED: () => ({ key: "crowded" }),
  ROLE_IN_USE: ({ world }) => ({ path: { role_id: world.roles.reviewer } }),
  SYSTEM_ROLE: () => ({ path: { role_id: "cr_member" } }),
};

/** `org_id`, at the place where the operation reads it. */
const selecting = ({ operation, request }: Circumstances, org_id: string): Refusal =>
  operation.body ? { body: { ...Object(request.body), org_id } } : { query: { ...request.query, org_id } };

const narrowedTo = ({ operation, request }: Circumstances, organization_ids: string): Refusal => ({
  key: "instance",
  ...("organization_ids" in (operation.body?.shape ?? {})
    ? { body: { ...Object(request.body), organization_ids: [organization_ids] } }
    : { query: { ...request.query, organization_ids } }),
});

function failToEmbedOnce(): () => void {
  const embed = vi.spyOn(localEmbedder, "embed").mockRejectedValueOnce(new Error("The model is away."));
  return () => embed.mockRestore();
}

/**
 * As if the answer were over 16 MiB: the first comparison sees a limit of 0, and the message then shows the real limit.
 */
function lookOnceAtASmallLimit(): () => void {
  const real = Object.getOwnPropertyDescriptor(requestLimits, "responseBytesMax") ?? {};
  const { responseBytesMax } = requestLimits;
  const read = vi.fn(() => responseBytesMax).mockReturnValueOnce(responseBytesMax * 0);
  Object.defineProperty(requestLimits, "responseBytesMax", { configurable: true, get: read });
  return () => Object.defineProperty(requestLimits, "responseBytesMax", real);
}
