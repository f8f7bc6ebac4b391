import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { sentence } from "../../../cli/sentence.ts";
import { eventsMsMax } from "../../../lib/checks/service/events.ts";
import { verify } from "../../../lib/checks/service/run.ts";
import { createKeys, reservedName, stage, stageEvents } from "../../../lib/checks/service/stage.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { eventQueueSettings } from "../../../lib/contract/platform.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { eventTypes } from "../../../lib/events/event-types.ts";
import { sendAll } from "../../../lib/events/send-all.ts";
import { searchForReview } from "../../../lib/learnings/search.ts";
import type { Connection } from "../../../lib/operator/connection.ts";
import { connectLocally } from "../../../lib/operator/local.ts";
import { newLogMove } from "../../../lib/organizations/move-log.ts";
import { OperatorError } from "../../../lib/runtime/operator-error.ts";
import { streamRemovalKey, waitingKey } from "../../../lib/store/layout.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import { callTool } from "../../cli/support.ts";
import { scanAll } from "../../support/scan-all.ts";
import { useService } from "../../support/service.ts";

const service = useService();
let folder = "";
beforeAll(() => {
  folder = service().folder;
});

const none = { learnings: [] };

const reportSchema = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({ name: z.string(), ok: z.boolean(), ms: z.number(), problem: z.string().nullable() }),
  ),
  stays: z.array(z.string()),
});

/** Kept on purpose, expiring by themselves, or overwritten with the reconciler's next position. */
const staying = /^(AUDIT#|LIMIT#|REFUSED#|APPLIED#|RECONCILER$)/;

/** The stage's items in the table, except those that stay on purpose, and what keys without an item left. */
async function leftovers(table: Table): Promise<readonly string[]> {
  const names = [reservedName, stage.cloud.uuid, stage.home.uuid];
  const items = await scanAll(table);
  const places = new Set(items.map(({ pk }) => pk));
  const isOfNoKey = ({ pk, sk }: Item) => {
    const id = pk === kinds.keyDirectory.range().pk ? sk : /^USED#(.+)$/.exec(pk)?.[1];
    return id !== undefined && !places.has(kinds.apiKey.key({ keyId: id }).pk);
  };
  const isOfStage = (item: Item) => names.some((name) => JSON.stringify(item).includes(name));
  const found = items.filter((item) => isOfStage(item) || isOfNoKey(item));
  return found.filter(({ pk }) => !staying.test(pk)).map(({ pk, sk }) => `${pk} / ${sk}`);
}

test("a sound service passes every check, and only items that are documented to stay are left", async () => {
  const { code, stdout, stderr } = await callTool("verify", "--data", folder, "--json");
  const { checks, stays, ok } = reportSchema.parse(JSON.parse(stdout));
  expect(checks.filter((check) => !check.ok)).toEqual([]);
  expect([ok, code, stderr]).toEqual([true, 0, ""]);
  const names = checks.map(({ name }) => name);
  for (const { id } of operations)
    expect(names).toEqual(expect.arrayContaining([`${id} works`, `${id} refuses a call without a key`]));
  for (const type of Object.keys(eventTypes)) expect(names).toContain(`${type} is applied`);
  for (const name of [
    "an embedding is made of a new Learning",
    "a vector search finds it",
    "an answer of 16 MiB arrives whole",
    "people, data and keys are removed again",
  ])
    expect(names).toContain(name);
  expect(stays.join()).toMatch(/\d+ audit entries/);
  const connection = await connectLocally(folder, { create: false });
  try {
    expect(await leftovers(connection.table)).toEqual([]);
  } finally {
    await connection.close();
  }
});

/**
 * The leftovers of a run that was interrupted at its worst moment: waiting events, failed tries, removals of the
 * streams.
 */
/** How the hints name a command. */
const commandFor = (words: string) => `review-api ${words} --stack HERE`;

async function plantLeftovers(connection: Connection): Promise<void> {
  const events = stageEvents();
  // Without the event that fills an answer of 16 MiB: it takes longer than all the others.
  await sendAll(
    connection,
    events.all.filter((each) => JSON.stringify(each).length < 100_000),
  );
  await connection.settle?.();
  await createKeys(connection);
  const { table } = connection;
  const dependency = kinds.organization.key({ organization: stage.cloud.uuid });
  const since = "2026-11-15T00:00:00.000Z";
  const version = `${since}#waits`;
  const row = { since, dependency, label: "organization", version };
  const body = JSON.stringify({ type: "repository.saved", data: { id: stage.cloud.uuid } });
  await table.write({
    put: { ...waitingKey(dependency, version), id: "waits", group: "g", body, event_id: "waits", since },
  });
  await table.write({ put: { ...kinds.waitingByAge.key({ since, eventId: "waits" }), ...row } });
  for (const organization of [undefined, stage.cloud.uuid]) {
    const tenant = workspaceTenant(stage.workspace);
    await table.write({ put: streamRemovalKey({ tenant, organization, dataset: "c" }, 7) });
  }
  await table.write({
    put: {
      ...kinds.relist.key({ dueAt: since, organization: stage.cloud.uuid }),
      organization: stage.cloud.uuid,
    },
  });
  await table.write({
    put: { ...kinds.moving.key({ organization: stage.home.uuid }), organization: stage.home.uuid },
  });
  const { put } = newLogMove({ uuid: stage.home.uuid }, Date.parse(since));
  await table.write({ put });
  await table.write({
    put: kinds.organizationLeft.key({
      tenant: workspaceTenant(stage.workspace),
      organization: stage.home.uuid,
    }),
  });
}

test("leftovers of an interrupted run are removed first, and a failed check says what to do", async () => {
  const connection = await connectLocally(folder, { create: false });
  try {
    await plantLeftovers(connection);
    expect((await leftovers(connection.table)).length).toBeGreaterThan(15);
    const nobody = "http://127.0.0.1:9";
    const shown: string[] = [];
    const report = await verify(
      { connection, baseUrl: nobody, commandFor, search: async () => ({ learnings: [] }) },
      { sentence: (error) => String(error), onResult: ({ name }) => void shown.push(name) },
    );
    const failed = report.checks.filter(({ ok }) => !ok);
    // One valid and one refused call of every operation, the embedding, the search, the rotated key and the large
    // answer.
    expect(failed).toHaveLength(2 * operations.length + 3);
    for (const { problem } of failed)
      expect(problem).toMatch(/got no answer \(.+\)\. Is the service deployed and reachable from here\?$/);
    expect(shown).toEqual(report.checks.map(({ name }) => name));
    expect(await leftovers(connection.table)).toEqual([]);
  } finally {
    await connection.close();
  }
});

/** A stack whose queue loses events of this type, and whose audit log the operator cannot read. */
function broken(connection: Connection, lostType: string): Connection {
  const isLost = ({ body }: { body: string }) => body.includes(`"type":"${lostType}"`);
  return {
    ...connection,
    queue: {
      send: async (messages) => {
        await connection.queue.send(messages.filter((message) => !isLost(message)));
        // So that only a lost event is late, even on a busy machine.
        await connection.settle?.();
      },
    },
    table: {
      ...connection.table,
      queryPage: async (range, resume) => {
        if (range.pk.startsWith("AUDIT#")) throw new OperatorError("You may not read the audit log.");
        return await connection.table.queryPage(range, resume);
      },
    },
  };
}

/** The test before has used up the minute of the rate limits, and the command would wait for the next one. */
async function forgetCalls(table: Table): Promise<void> {
  const { items } = await table.scanPage({});
  const windows = items.filter(({ pk }) => pk.startsWith("LIMIT#"));
  await table.writeMany(windows.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}

test("verify passes again, and its last sentence names the page that comes next", async () => {
  const connection = await connectLocally(folder, { create: false });
  await forgetCalls(connection.table).finally(() => connection.close());
  const { code, stderr } = await callTool("verify", "--data", folder);
  const [, page = ""] = /\nNext, the first customer: (.+)$/.exec(stderr.trim()) ?? [];
  expect([code, page]).toEqual([0, "docs/operate/first-customer.md"]);
  expect(readFileSync(page, "utf8")).toContain("# The first customer");
});

test("an event that is not applied fails only the checks that need it, and every line is printed", async () => {
  const connection = await connectLocally(folder, { create: false });
  const { table, vectors } = connection;
  const search = async (request: object) =>
    searchForReview({ table, vectors, embedder: await connection.embedder() }, request);
  try {
    await forgetCalls(connection.table);
    const place = {
      connection: broken(connection, "learning.captured"),
      baseUrl: service().url,
      commandFor,
      search,
    };
    const report = await verify(place, { sentence, onResult: () => undefined, eventsMs: 2_000 });
    const problems = Object.fromEntries(
      report.checks.filter(({ ok }) => !ok).map(({ name, problem }) => [name, problem]),
    );
    expect(problems).toEqual({
      "learning.captured is applied": expect.stringMatching(
        /not applied\. See whether it is a dead letter \(review-api events failed --stack HERE\)/,
      ),
      "learning.used is applied": expect.stringMatching(
        /^Not tried: .* first repair what that check reports\.$/,
      ),
      "decideLearning works": expect.stringMatching(/^Not tried: .* first repair what that check reports\.$/),
      "what verify leaves behind is counted": "You may not read the audit log.",
    });
    expect(report.checks).toHaveLength(
      2 * operations.length + Object.keys(eventTypes).length + 1 + 2 + 4 + 1,
    );
    expect(report.stays.join()).toMatch(
      /could not be counted.*were not applied in time.*dead letter.*redrive/,
    );
    expect(await leftovers(connection.table)).toEqual([]);
  } finally {
    await connection.close();
  }
});

test("a call that verify is to leave out is listed as not shown, and everything else is checked", async () => {
  const connection = await connectLocally(folder, { create: false });
  await forgetCalls(connection.table).finally(() => connection.close());
  const words = ["verify", "--data", folder, "--without"];
  expect(await callTool(...words, "testWebhok")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no operation testWebhok. Did you mean testWebhook?"),
  });
  const { code, stdout, stderr } = await callTool(...words, "testWebhook");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Not shown:\n {2}testWebhook works\n/)]);
  const missing = operations.filter(({ id }) => !stdout.includes(`${id} works`));
  expect(missing.map(({ id }) => id)).toEqual(["testWebhook"]);
});

test("without a single event no key is created, and each line says what to fix first", async () => {
  const connection = await connectLocally(folder, { create: false });
  try {
    const queue = { send: async () => Promise.reject(new OperatorError("You may not send to the queue.")) };
    const place = {
      connection: { ...connection, queue },
      baseUrl: service().url,
      commandFor,
      search: async () => none,
    };
    const report = await verify(place, { sentence, onResult: () => undefined });
    const problemOf = (name: string) => report.checks.find((check) => check.name === name)?.problem;
    expect(problemOf("member.saved is applied")).toMatch(
      /^Not tried: the events could not be sent\. Let your own role/,
    );
    expect(problemOf("keys of every kind are made")).toMatch(
      /first repair what the checks of events report\.$/,
    );
    expect(problemOf("listUsers works")).toMatch(
      /^Not tried: there are no keys .* First repair what the check that makes keys/,
    );
    expect(problemOf("listUsers refuses a call without a key")).toBeNull();
  } finally {
    await connection.close();
  }
});

test("verify waits for an event longer than the queue hides a message before it removes the stage", () => {
  expect(eventsMsMax).toBeGreaterThan(2 * eventQueueSettings.visibilitySeconds * 1000);
});

test("the page about AWS says how long verify may take: all events, the use of a Learning, then the calls", () => {
  expect((2 * eventsMsMax) / 60_000 + 1).toBe(15);
  expect(readFileSync("docs/operate/aws.md", "utf8")).toMatch(/takes\sa minute; up to fifteen where/);
});

test("a call that AWS refuses to the operator's own role is reported as that, with the permission", () => {
  const refusal = Object.assign(new Error("User: me is not authorized to perform: sqs:SendMessage"), {
    name: "AccessDeniedException",
  });
  expect(sentence(refusal)).toBe(
    "AWS does not let your own role do this (User: me is not authorized to perform: sqs:SendMessage). Add the permission " +
      "to the role, or use another role.",
  );
});
