import * as z from "zod";
import type { ItemErrorCode } from "../../contract/errors.ts";
import { requestLimits } from "../../contract/limits.ts";
import { type OperationId, operationOf, operations } from "../../contract/operations.ts";
import { parametersOf, requestOf, type Subject, usualKind } from "../../contract/requests.ts";
import type { SearchAnswer } from "../../learnings/search.ts";
import type { Connection } from "../../operator/connection.ts";
import { systemClock } from "../../runtime/clock.ts";
import { systemRandom } from "../../runtime/random.ts";
import { vectorKey } from "../../store/layout.ts";
import { callExpecting, callSuccessfully, parse } from "./call.ts";
import { type Check, CheckFailed, waitUntil } from "./check.ts";
import { type StageEvents, type StageKeys, stage } from "./stage.ts";

/** Where a check runs. */
export type CheckContext = {
  readonly connection: Connection;
  readonly baseUrl: string;
  /** Where rings may go: the API's public address, unless that is the one to call. */
  readonly publicUrl?: string;
  /** API Gateway's own address, if the stack has closed it. */
  readonly closedUrl?: string;
  /** Searches for Learnings as the reviewer does. */
  search(request: object): Promise<SearchAnswer>;
  /** A command of the tool for the same service, to be typed. */
  commandFor(words: string): string;
};

/** Throws if the keys could not be created. */
export type StageKeysReader = () => StageKeys;

/** The name of the check that calls the operation. */
export const callCheckOf = (id: OperationId): string => `${id} works`;

/** One valid and one refused call of every operation, then checks of the service as a whole. */
export function checksOf(
  context: CheckContext,
  keys: StageKeysReader,
  events: StageEvents,
): readonly Check[] {
  const caller = callerOf(context, keys, events);
  const special = specialCalls(context, caller, keys);
  return [
    ...operations.flatMap((operation) => [
      {
        name: callCheckOf(operation.id),
        run: special[operation.id] ?? (async () => void (await caller.send(operation.id))),
      },
      {
        name: `${operation.id} refuses a call without a key`,
        run: async () => void (await callExpecting("401", context.baseUrl, operation, { key: "" })),
      },
    ]),
    ...indexChecks(context, caller),
    { name: "an answer of 16 MiB arrives whole", run: () => largeAnswer(context, keys, events) },
    ...(context.closedUrl === undefined ? [] : [closedAddressCheck(context.closedUrl)]),
  ];
}

/** The option `disableExecuteApiEndpoint`: otherwise callers go round the domain. */
export const closedAddressCheck = (url: string): Check => ({
  name: "API Gateway's own address is closed",
  async run() {
    const { status } = await fetch(`${url}${operationOf("whoami").path}`);
    if (status !== 403)
      throw new CheckFailed(
        `${url} answered ${status} instead of 403: callers can go round the domain. Deploy again; if it stays so, run ` +
          "aws apigateway update-rest-api --rest-api-id ID --patch-operations op=replace,path=/disableExecuteApiEndpoint,value=true",
      );
  },
});

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

type Query = Readonly<Record<string, string>>;
type Caller = ReturnType<typeof callerOf>;

/** Two operations show that keys of the other kinds work. */
const otherKinds: Partial<Record<OperationId, "user" | "workspace">> = {
  listOrganizations: "workspace",
  whoami: "user",
};

function callerOf(
  { baseUrl, publicUrl = baseUrl }: CheckContext,
  keys: StageKeysReader,
  { day }: StageEvents,
) {
  /** Sends the contract's request about things of the stage; creates the role or the Learning that its path names. */
  async function send(
    id: OperationId,
    things: Partial<Subject> = {},
    options: { query?: Query; body?: object } = {},
  ) {
    const operation = operationOf(id);
    const parameters = parametersOf(operation);
    const needs = (name: keyof Subject) => parameters.includes(name) && things[name] === undefined;
    const subject = {
      organization_id: stage.cloud.uuid,
      learning_id: needs("learning_id") ? await newLearning(`A Learning for ${id}.`) : "",
      role_id: needs("role_id") && operation.method !== "GET" ? await newRole(`For ${id}`) : "cr_admin",
      webhook_id: needs("webhook_id") ? await webhookFor(id) : "",
      receiver_url: publicUrl,
      once: systemRandom.uuid(),
      key_id: id === "deleteKey" ? keys().doomed.key.id : keys().turned.key.id,
      repository_id: stage.repositoryId,
      user_id: stage.member,
      email: "",
      text: `Written by ${id}.`,
      start_date: day,
      end_date: day,
      ...things,
    };
    const kind = otherKinds[id] ?? usualKind(operation);
    const request = requestOf(operation, subject, { kind, ...options });
    // A key rotates only itself.
    const caller = id === "rotateKey" ? keys().turned : keys()[kind];
    return await callSuccessfully(baseUrl, operation, { key: caller.text, ...request });
  }
  const newWebhook = async () => created.parse(await send("createWebhook")).id;
  /** One for all checks, because few may be created in a minute; the check that deletes a webhook has its own. */
  const sharedWebhook = once(newWebhook);
  const webhookFor = (id: OperationId) => (id === "deleteWebhook" ? newWebhook() : sharedWebhook());
  async function newRole(name: string): Promise<string> {
    return created.parse(await send("createRole", { text: `${name} ${systemClock.nowMs()}` })).id;
  }
  async function newLearning(text: string): Promise<string> {
    const [{ id, error }] = batch.parse(await send("createLearnings", { text })).results;
    // A Learning that is stored but not indexed is reported by the check of the embedding.
    if (id === null || (error && error.code !== ("INDEXING_FAILED" satisfies ItemErrorCode)))
      throw new CheckFailed(
        `createLearnings stored nothing (${error?.code}: ${error?.message}). The log of the function createLearnings says why.`,
      );
    return id;
  }
  return { send, newRole, newLearning };
}

/** Operations that need more than the request of the contract. */
function specialCalls(
  context: CheckContext,
  caller: Caller,
  keys: StageKeysReader,
): Partial<Record<OperationId, Check["run"]>> {
  const { send, newRole, newLearning } = caller;
  return {
    rotateKey: () => rotated(context, caller, keys),
    async createLearnings() {
      await newLearning("Keep functions short.");
    },
    async createRole() {
      await newRole("Created");
    },
    async decideLearning() {
      const { data } = waiting.parse(await send("listLearnings", {}, { query: { state: "pending" } }));
      const learning_id = data[0]?.id;
      if (learning_id === undefined)
        throw new CheckFailed(
          "Not tried: there is no pending Learning. The event learning.captured makes it: first repair what that check reports.",
        );
      await send("decideLearning", { learning_id });
    },
  };
}

const indexedText = "Prefer early returns over nested conditions.";
const searchMsMax = 60_000;

/** Bedrock and the vector index, one line each: they fail for different reasons. */
function indexChecks(
  { connection, search, commandFor }: CheckContext,
  { newLearning }: Caller,
): readonly Check[] {
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
            `The Learning was stored but has no vector: the embedding model did not answer. Run ${commandFor("preflight")} with the ` +
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
        // A vector index follows a write after a short delay, and a new index may answer with errors at first.
        await waitUntil(
          async () => (await search(request)).learnings.some((learning) => learning.id === id),
          {
            untilMs: systemClock.nowMs() + searchMsMax,
            retryErrors: true,
            otherwise:
              "The vector search does not find a Learning that was just indexed. Check that the table's vector index is ACTIVE " +
              "(aws dynamodb describe-table), and what the log of the function searchForReview says.",
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

/** The new value works and the old one is refused. Uses its own key, so that other checks are not affected. */
async function rotated({ baseUrl }: CheckContext, { send }: Caller, keys: StageKeysReader): Promise<void> {
  const { turned } = keys();
  const { key } = issued.parse(
    await send("rotateKey", {}, { body: { idempotency_key: systemRandom.uuid(), grace_seconds: 0 } }),
  );
  await callExpecting("200", baseUrl, operationOf("whoami"), { key });
  await callExpecting("401", baseUrl, operationOf("whoami"), { key: turned.text });
}

/** Streaming from end to end: a function that buffers stops at 6 MB, a gateway that buffers at 10. */
async function largeAnswer(
  { baseUrl }: CheckContext,
  keys: StageKeysReader,
  { day }: StageEvents,
): Promise<void> {
  const operation = operationOf("listReviewCommentMetrics");
  const target = `${operation.path}?start_date=${day}&end_date=${day}&limit=1`;
  const { text } = await callExpecting("200", baseUrl, operation, { key: keys().instance.text, target });
  parse(operation, text);
  const bytes = Buffer.byteLength(text);
  const bytesMin = Math.floor(requestLimits.responseBytesMax * 0.9);
  if (bytes < bytesMin)
    throw new CheckFailed(
      `The answer has ${bytes} bytes, at least ${bytesMin} were expected. The large pull_request.finalized is not applied: see ` +
        "that check, and the events bucket in the log of the function ingest.",
    );
}
