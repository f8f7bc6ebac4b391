import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../lib/contract/operations.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { seededChance } from "../../support/clock.ts";
import { Pace } from "../../support/pace.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { type Documented, documented, undocumented } from "./document.ts";
import { hostileOf } from "./hostile.ts";
import { spoil } from "./spoiled.ts";
import { type Draft, policyOf, targetOf, validDraft } from "./valid.ts";
import { oneOf } from "./values.ts";
import { buildFuzzWorld, type FuzzWorld } from "./world.ts";

const seed = seedOfRun();
const requestsEach = volume(300, 7_000);

const api = useApi();
const world = new World(() => api.store().table);
let fuzz: FuzzWorld;
let pace: Pace;
beforeAll(async () => {
  fuzz = await buildFuzzWorld(world);
  pace = new Pace(Date.now());
}, timeoutMs);
afterAll(() => pace.end());

test("the document and the list of operations name the same", () => {
  expect(documented.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

/** Every request has a chance of its own, so that one can be repeated alone. */
const chanceOf = (form: number, index: number) => seededChance(seed * 1_000_000 + form * 100_000 + index);

async function send(draft: Draft, target: string, options: object): Promise<Answer> {
  const { rateLimit } = policyOf(draft.operation);
  return await pace.run(rateLimit.bucket, Math.floor(rateLimit.requestsMax / 4), () =>
    api.call(target, { key: fuzz.keys[draft.kind], ...options }),
  );
}

const refusesShape = ({ codes }: Answer): boolean =>
  codes.some((code) => code === "INVALID_REQUEST" || code === "INVALID_CURSOR");

/** Whatever says how to go on can be gone on with. */
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

/** Plays as many requests as the run has time for; answers what is wrong with any of them. */
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
  return problems.slice(0, 20);
}

describe(`requests made from docs/openapi.json (SEED=${seed})`, () => {
  test(
    "valid ones are never refused as invalid, and every answer is as documented",
    async () => {
      const problems = await playAll(1, async (index) => {
        const chance = chanceOf(1, index);
        const draft = validDraft(oneOf(chance, documented), fuzz, chance);
        const { operation, kind, body } = draft;
        const target = targetOf(draft);
        const answer = await send(draft, target, { method: operation.method, ...(body && { body }) });
        const isRefused = refusesShape(answer);
        const problem = isRefused ? "valid input is refused" : await problemOfNextPage(draft, target, answer);
        const name = `${kind} ${operation.method} ${target} ${JSON.stringify(body)?.slice(0, 300)}`;
        return { name, answer, operation, problem };
      });
      expect(problems).toEqual([]);
    },
    timeoutMs,
  );

  test(
    "those with one mistake are never accepted, and told what is wrong",
    async () => {
      const problems = await playAll(2, async (index) => {
        const chance = chanceOf(2, index);
        const valid = validDraft(oneOf(chance, documented), fuzz, chance);
        const { reason, draft, rawBody, rawHeaders = [], isItem } = spoil(valid, chance);
        const { operation, kind } = draft;
        const body = rawBody ?? draft.body;
        const answer = await send(draft, targetOf(draft), {
          method: operation.method,
          rawHeaders,
          ...(body !== undefined && { body }),
        });
        const name = `${kind} ${operation.method} ${targetOf(draft).slice(0, 300)} with ${reason}`;
        const isRight = isItem
          ? answer.status === 200 && answer.body.includes("INVALID_ITEM")
          : [400, 413, 415].includes(answer.status) || answer.codes[0] === "NOT_FOUND";
        return { name, answer, operation, problem: isRight ? undefined : "invalid input is accepted" };
      });
      expect(problems).toEqual([]);
    },
    timeoutMs,
  );

  test(
    "hostile ones never break anything",
    async () => {
      const problems = await playAll(3, async (index) => {
        const chance = chanceOf(3, index);
        const draft = validDraft(oneOf(chance, documented), fuzz, chance);
        const { target, options } = hostileOf(draft, fuzz.keys[draft.kind], chance);
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

/** Another method of the same path is another operation, if it is one. */
const reached = (method: string, operation: Documented): Documented =>
  documented.find((each) => each.path === operation.path && each.method === method) ?? operation;
