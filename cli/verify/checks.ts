import * as z from "zod";
import type { ItemErrorCode } from "../../lib/contract/errors.ts";
import { requestLimits } from "../../lib/contract/limits.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import type { SearchAnswer } from "../../lib/learnings/search.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { vectorKey } from "../../lib/store/layout.ts";
import type { Connection } from "../connection/connection.ts";
import { type CallRequest, callExpecting, callSuccessfully, parse } from "./call.ts";
import { type Check, CheckFailed, waitUntil } from "./check.ts";
import { type StageEvents, type StageKeys, stage } from "./stage.ts";

/** Where a check runs. */
export type CheckContext = {
  readonly connection: Connection;
  readonly baseUrl: string;
  /** Searches for Learnings as the reviewer does. */
  search(request: object): Promise<SearchAnswer>;
};

/** Throws if the keys could not be created. */
export type StageKeysReader = () => StageKeys;

const contract: readonly Operation[] = operations;
const named = (id: OperationId): Operation => {
  const found = contract.find((operation) => operation.id === id);
  if (!found) throw new TypeError(`The contract has no ${id}.`);
  return found;
};

/** One valid and one refused call of every operation, then checks of the service as a whole. */
export function checksOf(
  context: CheckContext,
  keys: StageKeysReader,
  events: StageEvents,
): readonly Check[] {
  const caller = callerOf(context, keys);
  const good = goodCalls(caller, keys, events);
  return [
    ...contract.flatMap((operation) => [
      { name: `${operation.id} works`, run: good[operation.id as OperationId] },
      {
        name: `${operation.id} refuses a call without a key`,
        run: async () => void (await callExpecting("401", context.baseUrl, operation, { key: "" })),
      },
    ]),
    ...indexChecks(context, caller),
    { name: "a rotated key works, and the key before it is refused", run: () => rotated(context, keys) },
    { name: "an answer of 16 MiB arrives whole", run: () => largeAnswer(context, keys, events) },
  ];
}

const created = z.object({ id: z.string() });
const issued = z.object({ key: z.string() });
const batch = z.object({
  results: z.tuple([
    z.object({
      id: z.string().nullable(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    }),
  ]),
});
const waiting = z.object({ data: z.array(z.object({ id: z.string() })) });

type Caller = ReturnType<typeof callerOf>;

/** Calls with the admin's key, unless a check names another. */
function callerOf({ baseUrl }: CheckContext, keys: StageKeysReader) {
  const call = async (id: OperationId, request: Partial<CallRequest> = {}) =>
    await callSuccessfully(baseUrl, named(id), { key: keys().organization.text, ...request });
  return {
    call,
    newRole: async (name: string) =>
      created.parse(await call("createRole", { body: { name: `${name} ${systemClock.nowMs()}` } })).id,
    newLearning: async (learning: string) => {
      const body = { data: [{ repository_id: stage.repositoryId, learning }] };
      const [{ id, error }] = batch.parse(await call("createLearnings", { body })).results;
      // A Learning that is stored but not indexed is reported by the check of the embedding.
      if (id === null || (error && error.code !== ("INDEXING_FAILED" satisfies ItemErrorCode)))
        throw new CheckFailed(
          `createLearnings stored nothing (${error?.code}: ${error?.message}). The log of the function createLearnings says why.`,
        );
      return id;
    },
  };
}

/** The compiler reports a missing operation. */
function goodCalls(
  { call, newRole, newLearning }: Caller,
  keys: StageKeysReader,
  { day }: StageEvents,
): Readonly<Record<OperationId, () => Promise<void>>> {
  const window = `?start_date=${day}&end_date=${day}`;
  const plain =
    (id: OperationId, request: () => Partial<CallRequest> = () => ({})) =>
    async () => {
      await call(id, request());
    };
  const learningPath = (learning_id: string) => ({ path: { learning_id } });
  return {
    listReviewCommentMetrics: plain("listReviewCommentMetrics", () => ({ query: window })),
    listReviewMetrics: plain("listReviewMetrics", () => ({ query: window })),
    listMcpMetrics: plain("listMcpMetrics", () => ({ query: window })),
    async createLearnings() {
      await newLearning("Keep functions short.");
    },
    listLearnings: plain("listLearnings"),
    async getLearning() {
      await call("getLearning", learningPath(await newLearning("Read what you write.")));
    },
    async decideLearning() {
      const { data } = waiting.parse(await call("listLearnings", { query: "?state=pending" }));
      const id = data[0]?.id;
      if (id === undefined)
        throw new CheckFailed(
          "Not tried: there is no pending Learning. The event learning.captured makes it: first repair what that check reports.",
        );
      await call("decideLearning", { ...learningPath(id), body: { decision: "approve" } });
    },
    async updateLearning() {
      const id = await newLearning("Name things.");
      const body = { learning: "Name things in whole words." };
      await call("updateLearning", { ...learningPath(id), body });
    },
    async deleteLearning() {
      await call("deleteLearning", learningPath(await newLearning("Throw this away.")));
    },
    listOrganizations: plain("listOrganizations", () => ({ key: keys().workspace.text })),
    listRepositories: plain("listRepositories", () => ({ path: { organization_id: stage.cloud.uuid } })),
    listUsers: plain("listUsers"),
    assignSeats: plain("assignSeats", () => ({ body: { action: "assign", user_ids: [stage.member] } })),
    getSeatAssignment: plain("getSeatAssignment", () => ({ key: keys().instance.text })),
    setSeatAssignment: plain("setSeatAssignment", () => ({
      key: keys().instance.text,
      body: { mode: "automatic" },
    })),
    changeRoles: plain("changeRoles", () => ({ body: { role: "cr_admin", user_ids: [stage.member] } })),
    listRoles: plain("listRoles"),
    listPermissions: plain("listPermissions"),
    getRole: plain("getRole", () => ({ path: { role_id: "cr_admin" } })),
    async createRole() {
      await newRole("Created");
    },
    async updateRole() {
      const role_id = await newRole("Updated");
      await call("updateRole", { path: { role_id }, body: { description: "May look at all of it." } });
    },
    async giveRole() {
      const role_id = await newRole("Given");
      await call("giveRole", { path: { role_id }, body: { user_ids: [stage.member] } });
    },
    async deleteRole() {
      await call("deleteRole", { path: { role_id: await newRole("Deleted") } });
    },
    listAuditLogs: plain("listAuditLogs"),
    listSecurityFindings: plain("listSecurityFindings"),
    whoami: plain("whoami", () => ({ key: keys().user.text })),
    listKeys: plain("listKeys"),
    rotateKey: plain("rotateKey", () => ({
      path: { key_id: keys().spare.key.id },
      body: { grace_seconds: 0 },
    })),
    deleteKey: plain("deleteKey", () => ({ path: { key_id: keys().doomed.key.id } })),
  };
}

const indexedText = "Prefer early returns over nested conditions.";
const searchMsMax = 60_000;

/** Bedrock and the vector index, one line each: they fail for different reasons. */
function indexChecks({ connection, search }: CheckContext, { newLearning }: Caller): readonly Check[] {
  const indexed = once(() => newLearning(indexedText));
  const hasVector = async () =>
    (await connection.table.get(vectorKey(stage.cloud.uuid, await indexed()))) !== undefined;
  const request = {
    provider: stage.cloud.provider,
    provider_organization_id: stage.cloud.provider_organization_id,
    repository_id: stage.repositoryId,
    text: indexedText,
    k: 5,
  };
  return [
    {
      name: "an embedding is made of a new Learning",
      async run() {
        if (!(await hasVector()))
          throw new CheckFailed(
            "The Learning was stored but has no vector: the embedding model did not answer. Run review-api preflight with the " +
              "region where the stack calls Bedrock (its output BedrockRegion) as --bedrock-region. If the model is not there, set " +
              "bedrockRegion to a region that has it and deploy again. The log of the function createLearnings says what Bedrock " +
              "answered.",
          );
      },
    },
    {
      name: "a vector search finds it",
      async run() {
        if (!(await hasVector()))
          throw new CheckFailed(
            "Not tried: nothing is indexed. First repair what the check of the embedding reports.",
          );
        const id = await indexed();
        // A vector index follows a write after a short delay.
        await waitUntil(
          async () => (await search(request)).learnings.some((learning) => learning.id === id),
          {
            untilMs: systemClock.nowMs() + searchMsMax,
            otherwise:
              "The vector search does not find a Learning that was just indexed. Check that the table's vector index is ACTIVE " +
              "(aws dynamodb describe-table), and what the log of the function searchLearnings says.",
          },
        );
      },
    },
  ];
}

/** Runs the work once and shares its outcome with all callers. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let outcome: Promise<Result> | undefined;
  return () => {
    outcome ??= work();
    return outcome;
  };
}

/** Uses its own key, so that other checks are not affected. */
async function rotated({ baseUrl }: CheckContext, keys: StageKeysReader): Promise<void> {
  const { organization, turned } = keys();
  const request = { key: organization.text, path: { key_id: turned.key.id }, body: { grace_seconds: 0 } };
  const { key } = issued.parse(await callSuccessfully(baseUrl, named("rotateKey"), request));
  await callExpecting("200", baseUrl, named("whoami"), { key });
  await callExpecting("401", baseUrl, named("whoami"), { key: turned.text });
}

/** Streaming from end to end: a function that buffers stops at 6 MB, a gateway that buffers at 10. */
async function largeAnswer(
  { baseUrl }: CheckContext,
  keys: StageKeysReader,
  { day }: StageEvents,
): Promise<void> {
  const query = `?start_date=${day}&end_date=${day}&limit=1`;
  const operation = named("listReviewCommentMetrics");
  const { text } = await callExpecting("200", baseUrl, operation, { key: keys().instance.text, query });
  parse(operation, text);
  const bytes = Buffer.byteLength(text);
  const bytesMin = Math.floor(requestLimits.responseBytesMax * 0.9);
  if (bytes < bytesMin)
    throw new CheckFailed(
      `The answer has ${bytes} bytes, at least ${bytesMin} were expected. The large pull_request.finalized is not applied: see ` +
        "that check, and the events bucket in the log of the function ingest.",
    );
}
