import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import type { Table } from "../../lib/store/table.ts";
import { asFunction, grantedTable } from "../support/granted-table.ts";
import { tableWith } from "../support/partial-table.ts";

const organization = "0b9e1c52-4c1e-4c8f-9d0b-1f6a5b1c2d3e";
const team = kinds.team.key({ organization, teamId: "t" });
const member = kinds.member.key({ organization, userId: "u" });
const table = grantedTable(
  tableWith({
    get: async () => undefined,
    queryPage: async () => ({ items: [] }),
    write: async () => undefined,
    transact: async () => undefined,
  }),
);
const refusalOf = async (id: string, run: (given: Table) => Promise<unknown>): Promise<string> =>
  await asFunction(id, () => run(table)).then(
    () => "",
    (error: Error) => error.message,
  );

test("a read that the contract does not grant is refused with the line to add; a granted one is not", async () => {
  const read = (given: Table) => given.queryPage(kinds.team.range({ organization }));
  expect(await refusalOf("listTeams", read)).toBe("");
  expect(await refusalOf("listUsers", read)).toBe(
    `listUsers may not Query TEAMS#${organization}: its contract lacks reads: { query: ["team"] }, which its IAM role is made from.`,
  );
  expect(await refusalOf("listTeams", (given) => given.get(team))).toContain('reads: { get: ["team"] }');
});

test("a worker is refused too, also inside a transaction, and a check has a line of its own", async () => {
  const write = (given: Table) =>
    given.transact([{ put: { ...team } }, { check: member, when: { present: "pk" } }]);
  expect(await refusalOf("ingest", write)).toBe("");
  expect(await refusalOf("ringWebhooks", write)).toContain('writes: { put: ["team"] }');
  expect(await refusalOf("giveRole", write)).toContain('writes: { put: ["team"] }');
  const check = (given: Table) => given.transact([{ check: member, when: { present: "pk" } }]);
  expect(await refusalOf("giveRole", check)).toContain('checks: ["member"]');
});

test("a write of an attribute that gives rights needs its line, in a condition too", async () => {
  const give = (given: Table) => given.write({ update: member, change: { set: [["role", "cr_admin"]] } });
  expect(await refusalOf("giveRole", give)).toBe("");
  const guard = kinds.people.key({ organization });
  const compare = (given: Table) =>
    given.write({ update: guard, change: { add: [["free", 1]] }, when: { absent: ["roles", "x"] } });
  expect(await refusalOf("assignSeats", compare)).toContain('writes: { rights: ["people.roles"] }');
});

test("a refusal fails the test although the function catches it, and each is told once", async () => {
  const twice = async (given: Table) => {
    for (const _ of [1, 2]) await given.get(team).catch(() => undefined);
  };
  expect(
    (await refusalOf("listTeams", (given) => twice(given).catch(() => undefined))).split("\n"),
  ).toHaveLength(1);
});

test("outside a function the table is the whole table", async () => {
  expect(await table.get(team)).toBeUndefined();
});
