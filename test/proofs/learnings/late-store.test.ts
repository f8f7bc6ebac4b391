import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { engineClient } from "../../../lib/local/engine/engine.ts";
import { createRole } from "../../../lib/people/custom-roles.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { boundedTable } from "../../../lib/store/bounded.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { checkTable } from "../../learnings/check-table.ts";
import { item, newHome, resultsOf, verbsOf } from "../../learnings/fixture.ts";
import { useApi } from "../../support/api.ts";
import { useFaultyEngine } from "../../support/faulty-engine.ts";
import { organizationOf } from "../../support/stored.ts";
import { volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const table = () => api.store().table;
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
});
beforeEach(() => engine.inject());

/** Enough items for several transactions. */
const batchItems = volume(30, 100);
const batch = (name: string) => Array.from({ length: batchItems }, (_, index) => item(`${name} ${index}`));

/** The engine executes each transaction, but its answer is lost for the first `answersLost` tries. */
function answersLate(answersLost: number): void {
  const tries = new Map<string, number>();
  engine.inject(({ operation, body }) => {
    if (operation !== "TransactWriteItems") return undefined;
    const token = /"ClientRequestToken":"([^"]+)"/.exec(body)?.[1] ?? "";
    const made = tries.get(token) ?? 0;
    tries.set(token, made + 1);
    return made < answersLost ? "lost_after" : undefined;
  });
}

/** The engine executes every call of any kind, but the answer to the first try is lost. */
function answersEveryCallLate(): void {
  const seen = new Set<string>();
  engine.inject(({ operation, body }) => {
    const call = `${operation} ${body}`;
    if (seen.has(call)) return undefined;
    seen.add(call);
    return "lost_after";
  });
}

/** The table as a request has it, with this much time left. */
function tableFor(timeMs: number) {
  const signal = AbortSignal.timeout(timeMs);
  const table = createDynamoTable({
    client: engineClient(engine.endpoint()),
    tableName: api.store().tableName,
    clock: systemClock,
    random: systemRandom,
  });
  return boundedTable(table, { signal, isOver: () => signal.aborted });
}

const adminKey = async (organization: string): Promise<string> => await world.adminKey(organization, "ann");

describe("a store that answers late at every transaction", () => {
  test("a store that answers late fails no item of a batch: transactions are retried until they are answered", async () => {
    const home = await newHome(world);
    const key = await adminKey(home.uuid);
    // More often than any other call is retried.
    answersLate(8);
    const answer = resultsOf(await api.call("/v1/learnings", { key, body: { data: batch("late") } }));
    expect(answer).toMatchObject({ status: "success", created_count: batchItems, failed_count: 0 });
    await checkTable(table(), { embedder: localEmbedder });
  });

  /** Posts a batch while all transaction answers are lost until time runs out, then posts the same batch again. */
  async function loseAnswer(timeMs: number, data: readonly object[], weaken = (sound: Table) => sound) {
    const home = await newHome(world);
    const author = { organization: await organizationOf(table(), home.uuid), authorId: "ann" };
    answersLate(Number.POSITIVE_INFINITY);
    const [first] = await Promise.allSettled([verbsOf(weaken(tableFor(timeMs))).post(author, ...data)]);
    engine.inject();
    return { first, again: await verbsOf(table()).post(author, ...data) };
  }

  test("a store that answers too late fails the whole request; the same batch again reports what was stored", async () => {
    const { first, again } = await loseAnswer(6_000, batch("lost answer"));
    expect(first.status).toBe("rejected");
    expect(again).toMatchObject({ status: "success", duplicate_count: batchItems, failed_count: 0 });
  });

  test("treating a lost answer as a refusal would report stored items as failed", async () => {
    const deaf = (sound: Table): Table => ({
      ...sound,
      transact: (writes) =>
        sound.transact(writes).catch((error: unknown) => {
          throw new StoreUnavailable(error, true);
        }),
    });
    const { first, again } = await loseAnswer(3_000, [item("silence")], deaf);
    expect(first).toMatchObject({ status: "fulfilled", value: { failed_count: 1 } });
    expect(again).toMatchObject({ duplicate_count: 1 });
  });

  test("two equal batches at once both succeed on a store that answers late, with every text stored once", async () => {
    const home = await newHome(world);
    const author = { organization: await organizationOf(table(), home.uuid), authorId: "ann" };
    answersLate(3);
    const answers = await Promise.all(
      [1, 2].map(() => verbsOf(tableFor(20_000)).post(author, ...batch("twice"))),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: "success", failed_count: 0 });
    const created = answers.reduce((count, answer) => count + answer.created_count, 0);
    expect(created).toBe(batchItems);
    engine.inject();
    await checkTable(table(), { embedder: localEmbedder, markersMayRemain: true });
  });
});

test("a store that answers late at every call, reads and the limiter too, fails nothing", async () => {
  const home = await newHome(world);
  const key = await adminKey(home.uuid);
  answersEveryCallLate();
  const data = [item("slow 1"), item("slow 2")];
  const answer = await api.call("/v1/learnings", { key, body: { data } });
  expect(resultsOf(answer)).toMatchObject({ status: "success", created_count: 2, failed_count: 0 });
  const changed = await api.call(`/v1/learnings/${resultsOf(answer).results[0]?.id}`, {
    method: "PATCH",
    key,
    body: { learning: "slow 3" },
  });
  expect(changed.status).toBe(200);
  await checkTable(table(), { embedder: localEmbedder, markersMayRemain: true });
});

test("a role whose creation was not confirmed in time is the same role when it is requested again", async () => {
  const home = await newHome(world);
  const organization = await organizationOf(table(), home.uuid);
  const actor = { ...operatorOrigin.actor, keyId: "key-of-ann" };
  const context = { ...world.deps, ...operatorOrigin, actor };
  const fields = {
    name: "Night Watch",
    description: null,
    is_default: false,
    permissions: [],
    duplicateFrom: undefined,
  };
  answersLate(Number.POSITIVE_INFINITY);
  await expect(createRole({ ...context, table: tableFor(1_000) }, organization, fields)).rejects.toThrow();
  engine.inject();
  const again = await createRole({ ...context, table: table() }, organization, fields);
  const once = await createRole({ ...context, table: table() }, organization, fields);
  expect(again.role).toEqual(once.role);
  const { items } = await table().queryPage({ pk: again.role.pk });
  expect(items.filter(({ name }) => name === fields.name)).toHaveLength(1);
});

test("a store that throttles every try has stored nothing of the failed items", async () => {
  const home = await newHome(world);
  const author = { organization: await organizationOf(table(), home.uuid), authorId: "ann" };
  engine.inject(({ operation }) => (operation === "TransactWriteItems" ? "throttle" : undefined));
  const refused = await verbsOf(tableFor(20_000)).post(author, item("refused"));
  expect(refused.results[0]?.error?.code).toBe("STORAGE_FAILED");
  engine.inject();
  expect((await verbsOf(table()).post(author, item("refused"))).results[0]?.status).toBe("created");
});

test("a store that first does not answer and then throttles does not fail the item", async () => {
  const home = await newHome(world);
  const author = { organization: await organizationOf(table(), home.uuid), authorId: "ann" };
  let tries = 0;
  engine.inject(({ operation }) => {
    if (operation !== "TransactWriteItems") return undefined;
    return tries++ === 0 ? "lost_after" : tries < 10 ? "throttle" : undefined;
  });
  const { results } = await verbsOf(tableFor(20_000)).post(author, item("open"));
  expect(results[0]?.status).toBe("created");
});
