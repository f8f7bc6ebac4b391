import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { operations } from "../../../lib/contract/operations.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { seededRandom } from "../../support/clock.ts";
import { Pace } from "../../support/pace.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { answerProblem } from "./answer-problem.ts";
import { type Documented, documented, undocumented } from "./document.ts";
import { type Draft, kindsOf, policyOf, targetOf } from "./draft.ts";
import { type Edge, edgeDraft, edges } from "./edges.ts";
import { elementProblem, foreseen } from "./foreseen.ts";
import { hostileOf } from "./hostile.ts";
import { spoil } from "./spoiled.ts";
import { validDraft } from "./valid.ts";
import { oneOf } from "./values.ts";
import { buildFuzzWorld, type FuzzKind, type FuzzWorld } from "./world.ts";

const seed = seedOfRun();
const requestsEach = volume(100, 7_000);

const api = useApi();
const world = new World(() => api.store().table);
let fuzz: FuzzWorld;
let pace: Pace;
beforeAll(async () => {
  fuzz = await buildFuzzWorld(world);
  pace = new Pace(Date.now());
}, timeoutMs);
afterAll(() => pace.end());

test("the document and the list of operations name the same operations", () => {
  expect(documented.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

/** Every request has its own random source, so that it can be repeated alone. */
const chanceOf = (form: number, index: number) => seededRandom(seed * 1_000_000 + form * 100_000 + index);

async function send(
  draft: Pick<Draft, "operation" | "kind">,
  target: string,
  options: object,
): Promise<Answer> {
  const { rateLimit } = policyOf(draft.operation);
  return await pace.run(rateLimit.bucket, Math.floor(rateLimit.requestsMax / 4), () =>
    api.call(target, { key: fuzz.keys[draft.kind], ...options }),
  );
}

const sendDraft = (draft: Draft): Promise<Answer> =>
  send(draft, targetOf(draft), {
    method: draft.operation.method,
    ...(draft.body && { body: draft.body }),
  });

const nameOf = (draft: Draft): string =>
  `${draft.kind} ${draft.operation.method} ${targetOf(draft).slice(0, 300)} ${JSON.stringify(draft.body)?.slice(0, 300)}`;

/** The problem with the answer to a valid request. */
async function refusal(draft: Draft, answer: Answer, allowed: ReturnType<typeof foreseen>) {
  const said = answer.status < 300 ? "done" : answer.codes[0];
  if (said === undefined || !allowed.includes(said)) return `valid input is not answered with ${allowed}`;
  return elementProblem(draft, answer) ?? (await problemOfNextPage(draft, targetOf(draft), answer));
}

const identified = z.object({ id: z.string() });
const roleOperation = (id: string): Documented => {
  const operation = documented.find((each) => each.id === id);
  if (!operation) throw new Error(`${id} is not documented.`);
  return operation;
};

/** Deletes the roles made here: an organization has at most a hundred of them. */
async function deleteRole(kind: FuzzKind, id: string): Promise<void> {
  const operation = roleOperation("deleteRole");
  const query = kind === "workspace" ? `?org_id=${fuzz.homes[kind].names[0]}` : "";
  const answer = await send({ operation, kind }, `/v1/roles/${id}${query}`, { method: "DELETE" });
  expect(answer.status).toBe(204);
}

async function makeRole(kind: FuzzKind): Promise<string> {
  const operation = roleOperation("createRole");
  const body = { name: "to be used up", org_id: fuzz.homes[kind].names[0] };
  const answer = await send({ operation, kind }, "/v1/roles", { method: "POST", body });
  return identified.parse(answer.json).id;
}

/** Every cursor in an answer can be used for the next request. */
async function problemOfNextPage(draft: Draft, target: string, { json, headers }: Answer) {
  const next: unknown =
    typeof json === "object" && json !== null ? Reflect.get(json, "next_cursor") : undefined;
  const cursor = typeof next === "string" ? next : (headers["x-next-cursor"] ?? headers["x-resume-cursor"]);
  if (cursor === undefined) return undefined;
  const joined = `${target}${target.includes("?") ? "&" : "?"}cursor=${cursor}`;
  const answer = await send(draft, joined, {});
  return answer.status === 200 ? undefined : `its cursor is answered with ${answer.status} ${answer.message}`;
}

type Played = { readonly name: string; readonly answer: Answer; readonly operation: Documented };

/** Plays as many requests as the run has time for; returns the problems. */
async function playAll(
  form: number,
  play: (index: number) => Promise<Played & { problem: string | undefined }>,
) {
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  const player = async () => {
    while (next < requestsEach) {
      const index = next++;
      const { name, answer, operation, problem } = await play(index);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const missing = answer.status === 405 || answer.codes[0] === "NOT_FOUND";
      const unsaid = missing ? undefined : undocumented(operation, answer);
      const found = answer.status >= 500 ? `a ${answer.status}` : (problem ?? unsaid);
      if (found)
        problems.push(`#${index} ${name}: ${found}. ${answer.status} ${answer.codes} ${answer.message}`);
    }
  };
  await Promise.all([player(), player(), player(), player()]);
  const counts = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status}: ${count}`);
  console.info(`contract fuzz, form ${form}: ${requestsEach} requests (SEED=${seed}); ${counts.join(", ")}`);
  const done = [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
  return { problems: problems.slice(0, 20), done };
}

/**
 * The key, the webhook and the custom role that these requests would change do not exist, and the text of a new webhook
 * is no URL: that is the only reason for the refusal.
 */
function foreseenAtEdge({ operation }: Draft) {
  if (operation.id === "giveRole") return ["SYSTEM_ROLE"] as const;
  if (operation.id === "createKey") return ["done", "KEY_LIMITED", "KEY_EXISTS"] as const;
  if (operation.id === "rotateKey" || operation.id === "deleteKey") return ["KEY_NOT_FOUND"] as const;
  if (operation.id === "createWebhook") return ["INVALID_REQUEST"] as const;
  // Without a change it is only missing.
  if (operation.id === "updateWebhook") return ["INVALID_REQUEST", "WEBHOOK_NOT_FOUND"] as const;
  return operation.path.includes("{webhook_id}") ? (["WEBHOOK_NOT_FOUND"] as const) : (["done"] as const);
}

describe(`requests made from docs/openapi.json (SEED=${seed})`, () => {
  // First, while nobody has used the shortest text yet.
  test(
    "every operation accepts the documented minimum and maximum, from every kind of key",
    async () => {
      const problems: string[] = [];
      let requests = 0;
      for (const operation of documented)
        for (const kind of kindsOf(operation))
          for (const edge of edges) {
            const draft = await edgeDraftOf(operation, kind, edge);
            const answer = await sendDraft(draft);
            const problem =
              (await refusal(draft, answer, foreseenAtEdge(draft))) ?? undocumented(operation, answer);
            if (answer.status === 201 && operation.id === "createRole")
              await deleteRole(kind, identified.parse(answer.json).id);
            if (operation.id === "updateRole") await deleteRole(kind, draft.path.role_id ?? "");
            if (problem)
              problems.push(`${edge}: ${nameOf(draft)}: ${problem}. ${answer.status} ${answer.message}`);
            requests++;
          }
      console.info(`contract fuzz, bounds: ${requests} requests at the bounds of all they carry`);
      expect(problems).toEqual([]);
    },
    timeoutMs,
  );

  test(
    "valid requests get an expected and documented answer, and none is refused",
    async () => {
      const { problems, done } = await playAll(1, async (index) => {
        const random = chanceOf(1, index);
        const draft = validDraft(oneOf(random, documented), fuzz, random);
        const { operation, kind } = draft;
        const answer = await sendDraft(draft);
        const problem = await refusal(draft, answer, foreseen(draft, fuzz.homes[kind]));
        if (answer.status === 201 && operation.id === "createRole")
          await deleteRole(kind, identified.parse(answer.json).id);
        return { name: nameOf(draft), answer, operation, problem };
      });
      expect(problems).toEqual([]);
      // A world in which everything is missing or forbidden would prove nothing.
      expect(done).toBeGreaterThan(0.6 * requestsEach);
    },
    timeoutMs,
  );

  test(
    "requests with one mistake are never accepted, and the answer names the wrong field",
    async () => {
      const { problems } = await playAll(2, async (index) => {
        const random = chanceOf(2, index);
        const valid = validDraft(oneOf(random, documented), fuzz, random);
        const spoiled = spoil(valid, random);
        const { reason, draft, rawBody, rawHeaders = [] } = spoiled;
        const { operation, kind } = draft;
        const body = rawBody ?? draft.body;
        const answer = await send(draft, targetOf(draft), {
          method: operation.method,
          rawHeaders,
          ...(body !== undefined && { body }),
        });
        const name = `${kind} ${operation.method} ${targetOf(draft).slice(0, 300)} with ${reason}`;
        return { name, answer, operation, problem: answerProblem(spoiled, answer) };
      });
      expect(problems).toEqual([]);
    },
    timeoutMs,
  );

  test(
    "hostile requests never cause a 5xx",
    async () => {
      const { problems } = await playAll(3, async (index) => {
        const random = chanceOf(3, index);
        const draft = validDraft(oneOf(random, documented), fuzz, random);
        const { target, options } = hostileOf(draft, fuzz.keys[draft.kind], random);
        const answer = await send(draft, target, options);
        const name = `${draft.kind} ${options.method} ${target.slice(0, 200)} ${options.rawHeaders ?? ""}`;
        return {
          name,
          answer,
          operation: reached(options.method ?? "", draft.operation),
          problem: undefined,
        };
      });
      expect(problems).toEqual([]);
      expect(Reflect.get({}, "polluted") ?? Reflect.get({}, "isAdmin")).toBeUndefined();
    },
    timeoutMs,
  );
});

/** Another method of the same path may be another operation. */
const reached = (method: string, operation: Documented): Documented =>
  documented.find((each) => each.path === operation.path && each.method === method) ?? operation;

/** An operation that changes or deletes a role gets its own role. */
async function edgeDraftOf(operation: Documented, kind: FuzzKind, edge: Edge): Promise<Draft> {
  const draft = edgeDraft(operation, kind, fuzz.homes[kind], edge);
  if (operation.id !== "updateRole" && operation.id !== "deleteRole") return draft;
  return { ...draft, path: { role_id: await makeRole(kind) } };
}
