import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { World } from "../support/world.ts";
import { buildFuzzWorld, type FuzzWorld } from "./fuzz/world.ts";

/** Bugs that the suites of this folder found, each as the one request that showed it. */
const api = useApi();
const world = new World(() => api.store().table);
let fuzz: FuzzWorld;
beforeAll(async () => {
  fuzz = await buildFuzzWorld(world);
});

let asked = 0;
let fixed = 0;
afterEach(({ task }) => {
  asked++;
  if (task.result?.state === "pass") fixed++;
});
afterAll(() => console.info(`found and fixed: ${fixed} of ${asked} requests answer as they must`));

describe("an empty range of the table", () => {
  test.each(["review-comments", "reviews", "mcp"])(
    "a page of %s ends in an empty range if its last read ended on the last number",
    async (dataset) => {
      // Four entries are published, and the first read requests four: none passes the filter.
      const window = "start_date=2010-01-01&end_date=2030-01-01";
      const target = `/v1/metrics/${dataset}?${window}&user_ids=nobody&limit=1`;
      const answer = await api.call(target, { key: fuzz.keys.workspace });
      expect([answer.status, answer.json]).toEqual([200, { data: [], next_cursor: null }]);
    },
  );

  test("the walk of an audit log can resume where only an empty range is left", async () => {
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const target = `/v1/audit-logs?order=asc&date_to=${anHourAgo}`;
    const key = fuzz.keys.organization;
    const first = await api.call(target, { key });
    const resumed = await api.call(`${target}&cursor=${first.headers["x-resume-cursor"]}`, { key });
    expect([resumed.status, resumed.json]).toEqual([200, { data: [], next_cursor: null }]);
  });
});

describe("the order of the checks", () => {
  test("a workspace token must not send org_id with seats, not even in the query", async () => {
    const body = { action: "assign", emails: ["nobody@example.com"] };
    const key = fuzz.keys.workspace;
    const answer = await api.call("/v1/users/seats?org_id=1001", { key, body });
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
  });

  test("a token whose owner is not an admin gets that error before the one about ALL", async () => {
    const admins = ["u-admin", "u-was"].map((user_id) => ({ user_id, email: null }));
    await world.workspace("fuzz", { admins });
    const { text: key } = await world.token("fuzz", "u-was");
    await world.workspace("fuzz", { admins: admins.slice(0, 1) });
    const body = { role: "cr_member", user_ids: ["u1"], org_id: "ALL" };
    expect((await api.call("/v1/users/roles", { key, body })).codes).toEqual(["WORKSPACE_ADMIN_REQUIRED"]);
  });
});
