import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { connectLocally } from "../../cli/connection/local.ts";
import { sendAll } from "../../cli/send-events.ts";
import { verify } from "../../cli/verify/run.ts";
import { createKeys, reserved, stage, stageEvents } from "../../cli/verify/stage.ts";
import { operations } from "../../lib/contract/operations.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { callTool, type RunningDev, useDev } from "./support.ts";

const dev = useDev();
let folder = "";
let service: RunningDev;
beforeAll(async () => {
  folder = await dev.demoFolder();
  service = await dev.start("--data", folder);
});
afterAll(() => service?.stop());

const reportSchema = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({ name: z.string(), ok: z.boolean(), ms: z.number(), problem: z.string().nullable() }),
  ),
  stays: z.array(z.string()),
});

/** Kept on purpose, ending by themselves, or overwritten with the reconciler's next place. */
const staying = /^(AUDIT#|LIMIT#|REFUSED#|APPLIED#|RECONCILER$)/;

/** What the table holds of the stage, but for what is meant to stay. */
async function leftovers(table: Table): Promise<readonly string[]> {
  const names = [reserved, stage.cloud.uuid, stage.home.uuid];
  const found: Item[] = [];
  let resume: { pk: string; sk: string } | undefined;
  do {
    const page = await table.scanPage({}, resume);
    found.push(...page.items.filter((item) => names.some((name) => JSON.stringify(item).includes(name))));
    resume = page.resume;
  } while (resume);
  return found.filter(({ pk }) => !staying.test(pk)).map(({ pk, sk }) => `${pk} / ${sk}`);
}

test("a sound service passes every check, and nothing is left but what is said to stay", async () => {
  const { code, stdout, stderr } = await callTool("verify", "--data", folder, "--json");
  const { checks, stays, ok } = reportSchema.parse(JSON.parse(stdout));
  expect(checks.filter((check) => !check.ok)).toEqual([]);
  expect([ok, code, stderr]).toEqual([true, 0, ""]);
  const names = checks.map(({ name }) => name);
  for (const { id } of operations)
    expect(names).toEqual(expect.arrayContaining([`${id} works`, `${id} refuses a call without a key`]));
  for (const type of Object.keys(eventTypes)) expect(names).toContain(`${type} is applied`);
  expect(names).toContain("an answer of 16 MiB arrives whole");
  expect(stays.join()).toMatch(/\d+ audit entries/);
  const connection = await connectLocally(folder, { create: false });
  try {
    expect(await leftovers(connection.table)).toEqual([]);
  } finally {
    await connection.close();
  }
});

test("what a broken-off run left is removed first, and what fails is named with what to do", async () => {
  const connection = await connectLocally(folder, { create: false });
  try {
    await sendAll(connection, stageEvents().all);
    await connection.settle?.();
    await createKeys(connection);
    expect((await leftovers(connection.table)).length).toBeGreaterThan(10);
    const nobody = "http://127.0.0.1:9";
    const shown: string[] = [];
    const report = await verify(
      { connection, baseUrl: nobody, search: async () => ({ learnings: [] }) },
      { sentence: (error) => String(error), onResult: ({ name }) => void shown.push(name) },
    );
    const failed = report.checks.filter(({ ok }) => !ok);
    // One good and one refused call of every operation, and the large answer.
    expect(failed).toHaveLength(2 * operations.length + 1);
    for (const { problem } of failed)
      expect(problem).toMatch(/got no answer \(.+\)\. Is the service deployed and reachable from here\?$/);
    expect(shown).toEqual(report.checks.map(({ name }) => name));
    expect(await leftovers(connection.table)).toEqual([]);
  } finally {
    await connection.close();
  }
});
