import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isReadOnly } from "../../lib/contract/operation.ts";
import { type ListedOperation, operations } from "../../lib/contract/operations.ts";
import { requestOf, usualKind } from "../../lib/contract/requests.ts";
import { type Answer, useApi } from "../support/api.ts";
import { absent } from "../support/subject.ts";
import { everyKindOfKey, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

/** The page that says which requests answer differently when they are repeated. */
const pageUrl = new URL("../../docs/use/errors/SERVICE_UNAVAILABLE.md", import.meta.url);
const rows = new Map(
  [...readFileSync(pageUrl, "utf8").matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(
    ([, request = "", told = ""]) => [request, told],
  ),
);
const writes: readonly ListedOperation[] = operations.filter((operation) => !isReadOnly(operation));
const nameOf = ({ method, path }: ListedOperation) => `${method} ${path}`;

/** One of each thing that a request can name, and the key that sends it. */
async function stage(operation: ListedOperation) {
  const { organization, cloud, keys } = await everyKindOfKey(world, `repeated-${operation.id}`);
  await world.repository(cloud, absent.repository_id);
  await world.repository(cloud, "careful", { approval_delay_days: 3 });
  const isPending = operation.id === "decideLearning";
  if (isPending) await world.learning(cloud, "Wait for an admin.", { repository_id: "careful" });
  const waiting = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse((await api.call("/v1/learnings?state=pending", { key: keys.organization.text })).json);
  const [created = ""] = await world.createLearnings(organization, "u-admin", [
    { repository_id: absent.repository_id, learning: "Prefer const." },
  ]);
  const subject = {
    ...absent,
    learning_id: isPending ? (waiting.data[0]?.id ?? "") : created,
    role_id: await world.role(organization, "Reviewer"),
    key_id: keys.agentic.key.id,
    webhook_id: await world.webhook(organization),
  };
  const own = keys[usualKind(operation)];
  // A key rotates only itself.
  const ofOwn = operation.id === "rotateKey" && { key_id: own.key.id };
  return { subject: { ...subject, ...ofOwn }, key: own.text };
}

const toldBy = ({ status, codes, body }: Answer) =>
  `${status} ${codes.length > 0 ? codes.join() : body.toString().replaceAll(/"ms":\d+/g, '"ms":1')}`;

describe("a write that is repeated because its answer was lost", () => {
  test.each(writes)("$id answers as the first time, or the page of the 503 says how", async (operation) => {
    const { subject, key } = await stage(operation);
    const takesKey = "idempotency_key" in (operation.body?.shape ?? {});
    const { target, ...request } = requestOf(operation, subject, {
      ...(takesKey && { body: { idempotency_key: absent.learning_id } }),
    });
    const [first, second] = [
      await api.call(target, { key, ...request }),
      await api.call(target, { key, ...request }),
    ];
    expect([first.status, first.message]).toEqual([operation.answer.status, ""]);
    if (toldBy(second) === toldBy(first)) return;
    const told = rows.get(nameOf(operation));
    expect(told, toldBy(second)).toContain(String(second.status));
    for (const code of second.codes) expect(told).toContain(code);
  });

  test("the page of the 503 names only operations that write", () => {
    const names = writes.map(nameOf);
    expect([...rows.keys()].filter((name) => !names.includes(name))).toEqual([]);
    expect(rows.size).toBeGreaterThan(5);
  });
});
