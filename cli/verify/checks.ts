import * as z from "zod";
import { requestLimits } from "../../lib/contract/limits.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import type { SearchAnswer } from "../../lib/learnings/search.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { vectorKey } from "../../lib/store/layout.ts";
import type { Connection } from "../connection/connection.ts";
import { OperatorFault } from "../fault.ts";
import { type StageEvents, type StageKeys, stage } from "./stage.ts";

/** Where a check runs. */
export type Place = {
  readonly connection: Connection;
  readonly baseUrl: string;
  /** As the reviewer asks for Learnings. */
  search(request: object): Promise<SearchAnswer>;
};

export type Check = { readonly name: string; run(): Promise<void> };

export class CheckFailed extends OperatorFault {}

type Answer = { readonly status: number; readonly text: string; readonly requestId: string | null };
type Request = {
  readonly key: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
};

const contract: readonly Operation[] = operations;
const named = (id: OperationId): Operation => {
  const found = contract.find((operation) => operation.id === id);
  if (!found) throw new TypeError(`The contract has no ${id}.`);
  return found;
};

const answerMsMax = 60_000;

/** One good call and one refused call of every operation, then what only a whole service can show. */
export function checksOf(place: Place, keys: StageKeys, events: StageEvents): readonly Check[] {
  const good = goodCalls(place, keys, events);
  return [
    ...contract.flatMap((operation) => [
      { name: `${operation.id} works`, run: good[operation.id as OperationId] },
      { name: `${operation.id} refuses a call without a key`, run: () => refused(place, operation) },
    ]),
    { name: "an answer of 16 MiB arrives whole", run: () => largeAnswer(place, keys, events) },
  ];
}

const created = z.object({ id: z.string() });
const batch = z.object({ results: z.array(z.object({ id: z.string(), status: z.string() })).min(1) });
const waiting = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The compiler knows when one is missing. */
function goodCalls(
  place: Place,
  keys: StageKeys,
  { day }: StageEvents,
): Readonly<Record<OperationId, () => Promise<void>>> {
  const admin = keys.organization.text;
  const window = `?start_date=${day}&end_date=${day}`;
  const call = (id: OperationId, request: Partial<Request> = {}) =>
    callWell(place, named(id), { key: admin, ...request });
  const plain =
    (id: OperationId, request: Partial<Request> = {}) =>
    async () => {
      await call(id, request);
    };
  const newRole = async (name: string) =>
    created.parse(await call("createRole", { body: { name: `${name} ${systemClock.nowMs()}` } })).id;
  const newLearning = async (learning: string) => {
    const body = { data: [{ repository_id: stage.repositoryId, learning }] };
    return batch.parse(await call("createLearnings", { body })).results[0]?.id ?? "";
  };
  const learningPath = (learning_id: string) => ({ path: { learning_id } });
  return {
    listReviewCommentMetrics: plain("listReviewCommentMetrics", { query: window }),
    listReviewMetrics: plain("listReviewMetrics", { query: window }),
    listMcpMetrics: plain("listMcpMetrics", { query: window }),
    async createLearnings() {
      const id = await newLearning("Prefer early returns over nested conditions.");
      if (!(await place.connection.table.get(vectorKey(stage.cloud.uuid, id))))
        throw new CheckFailed(
          "The Learning was stored but has no vector: the embedding model did not answer. See that Bedrock has it in the " +
            "stack's region, or set bedrockRegion and deploy again.",
        );
      await found(place, id);
    },
    listLearnings: plain("listLearnings"),
    async getLearning() {
      await call("getLearning", learningPath(await newLearning("Read what you write.")));
    },
    async decideLearning() {
      const { data } = waiting.parse(await call("listLearnings", { query: "?state=pending" }));
      const id = data[0]?.id;
      if (id === undefined)
        throw new CheckFailed("The Learning that an event captured does not wait for approval.");
      await call("decideLearning", { ...learningPath(id), body: { decision: "approve" } });
    },
    async updateLearning() {
      const id = await newLearning("Name things.");
      await call("updateLearning", {
        ...learningPath(id),
        body: { learning: "Name things in whole words." },
      });
    },
    async deleteLearning() {
      await call("deleteLearning", learningPath(await newLearning("Throw this away.")));
    },
    listOrganizations: plain("listOrganizations", { key: keys.workspace.text }),
    listRepositories: plain("listRepositories", { path: { organization_id: stage.cloud.uuid } }),
    listUsers: plain("listUsers"),
    assignSeats: plain("assignSeats", { body: { action: "assign", user_ids: [stage.member] } }),
    getSeatAssignment: plain("getSeatAssignment", { key: keys.instance.text }),
    setSeatAssignment: plain("setSeatAssignment", { key: keys.instance.text, body: { mode: "automatic" } }),
    changeRoles: plain("changeRoles", { body: { role: "cr_admin", user_ids: [stage.member] } }),
    listRoles: plain("listRoles"),
    listPermissions: plain("listPermissions"),
    getRole: plain("getRole", { path: { role_id: "cr_admin" } }),
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
    whoami: plain("whoami", { key: keys.user.text }),
    listKeys: plain("listKeys"),
    async rotateKey() {
      const { id } = keys.spare.key;
      await call("rotateKey", { path: { key_id: id }, body: { grace_seconds: 0 } });
      const old = await send(place, named("whoami"), { key: keys.spare.text });
      if (old.status !== 401) throw unexpected(named("whoami"), old, "401, since the key was rotated");
    },
    deleteKey: plain("deleteKey", { path: { key_id: keys.doomed.key.id } }),
  };
}

/** A vector index follows a write within a moment, not at once. */
async function found({ search }: Place, id: string): Promise<void> {
  const request = {
    provider: stage.cloud.provider,
    provider_organization_id: stage.cloud.provider_organization_id,
    repository_id: stage.repositoryId,
    text: "Prefer early returns over nested conditions.",
    k: 5,
  };
  await eventually(
    async () => (await search(request)).learnings.some((learning) => learning.id === id),
    "The vector search does not find a Learning that was just indexed. See that the table's vector index is ACTIVE (aws " +
      "dynamodb describe-table), and what the log of the search function says.",
  );
}

async function largeAnswer(place: Place, keys: StageKeys, { day }: StageEvents): Promise<void> {
  const query = `?start_date=${day}&end_date=${day}&limit=1`;
  const operation = named("listReviewCommentMetrics");
  const answer = await send(place, operation, { key: keys.instance.text, query });
  if (answer.status !== 200) throw unexpected(operation, answer, "200");
  const bytes = Buffer.byteLength(answer.text);
  if (bytes < requestLimits.responseBytesMax * 0.9)
    throw new CheckFailed(
      `The answer has ${bytes} bytes, ${Math.floor(requestLimits.responseBytesMax * 0.9)} at least were expected.`,
    );
  JSON.parse(answer.text);
}

async function refused(place: Place, operation: Operation): Promise<void> {
  const answer = await send(place, operation, { key: "" });
  if (answer.status !== 401) throw unexpected(operation, answer, "401");
}

/** The JSON of an answer that is as the contract says. */
async function callWell(place: Place, operation: Operation, request: Request): Promise<unknown> {
  const first = await send(place, operation, request);
  // Another run may have used up the minute.
  const answer = first.status === 429 ? await afterAWindow(place, operation, request) : first;
  const { status, schema } = operation.answer;
  if (answer.status !== status) throw unexpected(operation, answer, String(status));
  if (answer.text === "") return undefined;
  const json: unknown = JSON.parse(answer.text);
  const problem = schema?.safeParse(json).error;
  if (problem)
    throw new CheckFailed(
      `The answer is not what the contract says: ${problem.issues[0]?.path.join(".")}. Is an older release deployed?`,
    );
  return json;
}

async function afterAWindow(place: Place, operation: Operation, request: Request): Promise<Answer> {
  await systemClock.sleep(operation.rateLimit.windowSeconds * 1000);
  return await send(place, operation, request);
}

async function send({ baseUrl }: Place, { method, path }: Operation, request: Request): Promise<Answer> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? "none");
  const url = `${baseUrl}${filled}${request.query ?? ""}`;
  const headers = {
    ...(request.key && { "x-service-api-key": request.key }),
    ...(request.body && { "content-type": "application/json" }),
    // As large as it gets: nothing is compressed.
    "accept-encoding": "identity",
  };
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(request.body && { body: JSON.stringify(request.body) }),
      signal: AbortSignal.timeout(answerMsMax),
    });
    return {
      status: response.status,
      text: await response.text(),
      requestId: response.headers.get("x-request-id"),
    };
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : "";
    throw new CheckFailed(
      `${method} ${url} got no answer (${reason}). Is the service deployed and reachable from here?`,
    );
  }
}

function unexpected({ id }: Operation, { status, text, requestId }: Answer, wanted: string): CheckFailed {
  const said = text.slice(0, 200);
  const next =
    status >= 500
      ? `The log of the function ${id} says why: look for request ${requestId} (docs/runbook.md, "From a request id to its trace"). AccessDenied there is a missing grant.`
      : `Request ${requestId}.`;
  return new CheckFailed(`${id} answered ${status} instead of ${wanted}: ${said} ${next}`);
}

const pollMs = 250;
const eventuallyMsMax = 180_000;

/** Waits for what the service does in its own time. */
export async function eventually(isThere: () => Promise<boolean>, otherwise: string): Promise<void> {
  const untilMs = systemClock.nowMs() + eventuallyMsMax;
  while (!(await isThere())) {
    if (systemClock.nowMs() > untilMs) throw new CheckFailed(otherwise);
    await systemClock.sleep(pollMs);
  }
}
