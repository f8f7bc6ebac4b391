import { describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { mcp, urlOf } from "../support/event-data.ts";
import { github, gitlab, type OrganizationId, World } from "../support/world.ts";
import { november, pageOf, readerOf, standalone } from "./support.ts";

const api = useApi();
const world = new World(() => api.store().table);
const datasets = ["review-comments", "reviews", "mcp"] as const;

/** An organization with one pull request, named after the organization. */
async function organization(id: OrganizationId, change: Record<string, unknown>): Promise<string> {
  const uuid = await world.organization(id.provider_organization_id, { ...id, ...change });
  await world.member(id, "u-admin", { role: "cr_admin" });
  await world.member(id, "u-member");
  await world.repository(id, "9001");
  await world.pullRequest(id, id.provider_organization_id, mcp);
  return uuid;
}

/** The datasets share a workspace whose organizations never change. */
const workspacesMade = new Map<string, ReturnType<typeof workspaceOf>>();
function sharedWorkspace(...given: Parameters<typeof workspaceOf>): ReturnType<typeof workspaceOf> {
  const made = workspacesMade.get(given[0]) ?? workspaceOf(...given);
  workspacesMade.set(given[0], made);
  return made;
}

const workspaceOf = async (name: string, changes: Record<string, Record<string, unknown>>) => {
  await world.workspace(name);
  const uuids: Record<string, string> = {};
  for (const [suffix, change] of Object.entries(changes))
    uuids[suffix] = await organization(github(`${name}-${suffix}`), { workspace_id: name, ...change });
  return { uuids, ...readerOf(api, (await world.token(name)).text) };
};

describe.each(datasets)("%s", (dataset) => {
  test("organization, user and legacy keys see their own organization, whatever org_id says", async () => {
    const name = "own";
    const { uuids } = await sharedWorkspace(name, { a: {}, b: {} });
    const [uuid] = [uuids.a ?? ""];
    const keys = [
      await world.key({ kind: "organization", organization: uuid, owner: "u-admin", role: "cr_member" }),
      await world.key({ kind: "user", organization: uuid, owner: "u-member" }),
      await world.key({ kind: "legacy", organization: uuid }),
    ];
    for (const { text } of keys) {
      const { walk } = readerOf(api, text);
      expect(await walk(`${dataset}?${november}`)).toEqual([urlOf(`${name}-a`)]);
      expect(await walk(`${dataset}?${november}&org_id=${name}-b`)).toEqual([urlOf(`${name}-a`)]);
    }
  });

  test("a workspace token sees every organization, or the one that org_id names", async () => {
    const name = "workspace";
    const { walk, get } = await sharedWorkspace(name, { a: {}, b: {}, c: {} });
    expect(await walk(`${dataset}?${november}`)).toEqual(
      ["a", "b", "c"].map((suffix) => urlOf(`${name}-${suffix}`)),
    );
    expect(await walk(`${dataset}?${november}&org_id=${name}-b`)).toEqual([urlOf(`${name}-b`)]);
    expect((await get(`${dataset}?${november}&org_id=elsewhere`)).codes).toEqual(["ORGANIZATION_NOT_FOUND"]);
    expect((await get(`${dataset}?${november}&organization_ids=${name}-b`)).codes).toEqual([
      "INVALID_REQUEST",
    ]);
  });

  test("an instance key sees the organizations it is authorized for, narrowed by organization_ids", async () => {
    const instance = `instance-${dataset}`;
    await world.instance(instance);
    const uuids: string[] = [];
    for (const id of ["1", "2", "3"])
      uuids.push(await organization(gitlab(instance, `${dataset}-${id}`), { instance_id: instance }));
    const [home = "", second = ""] = uuids;
    const owner = { owner: "u-admin", role: "cr_admin" };
    const every = readerOf(
      api,
      (await world.key({ kind: "instance", instanceId: instance, home, ...owner })).text,
    );
    const some = readerOf(
      api,
      (
        await world.key({
          kind: "instance",
          instanceId: instance,
          home,
          authorized: [home, second],
          ...owner,
        })
      ).text,
    );
    const urls = (...ids: string[]) => ids.map((id) => urlOf(`${dataset}-${id}`));
    expect(await every.walk(`${dataset}?${november}`)).toEqual(urls("1", "2", "3"));
    expect(
      await every.walk(`${dataset}?${november}&organization_ids=${dataset}-3,${dataset}-1,nobody`),
    ).toEqual(urls("1", "3"));
    expect(await every.walk(`${dataset}?${november}&organization_ids=${dataset}-2`)).toEqual(urls("2"));
    expect(await every.walk(`${dataset}?${november}&org_id=${dataset}-2`)).toEqual(urls("1", "2", "3"));
    expect(await some.walk(`${dataset}?${november}`)).toEqual(urls("1", "2"));
    const forbidden = await some.get(`${dataset}?${november}&organization_ids=${dataset}-3`);
    expect(forbidden.codes).toEqual(["ORGANIZATION_FORBIDDEN"]);
    expect((await every.get(`${dataset}?${november}&organization_ids=nobody`)).codes).toEqual([
      "ORGANIZATION_NOT_FOUND",
    ]);
  });

  test("organizations on other plans and inactive ones are left out", async () => {
    const name = "plans";
    const plans = { free: { plan: "free" }, paying: {}, too: {}, gone: {} };
    const { walk, get } = await sharedWorkspace(name, plans);
    await world.organization(`${name}-gone`, { workspace_id: name, active: false });
    expect(await walk(`${dataset}?${november}`)).toEqual([urlOf(`${name}-paying`), urlOf(`${name}-too`)]);
    const refused = await get(`${dataset}?${november}&org_id=${name}-free`);
    expect(refused.codes).toEqual(["ENTERPRISE_PLAN_REQUIRED"]);
  });

  test("one organization that does not send its metrics, or prepares them, stops the whole answer", async () => {
    const name = `states-${dataset}`;
    const { walk, get } = await workspaceOf(name, {
      ready: {},
      preparing: { metrics: "preparing" },
      unavailable: { metrics: "unavailable" },
      "unavailable-free": { metrics: "unavailable", plan: "free" },
    });
    const unavailable = await get(`${dataset}?${november}`);
    expect(unavailable.codes).toEqual(["METRICS_UNAVAILABLE"]);
    expect(unavailable.message).toContain(`${name}-unavailable`);
    await world.organization(`${name}-unavailable`, { workspace_id: name, metrics: "ready" });
    const preparing = await get(`${dataset}?${november}`);
    expect(preparing.status).toBe(503);
    expect(preparing.codes).toEqual(["METRICS_PREPARING"]);
    expect(preparing.message).toContain(`${name}-preparing`);
    expect(preparing.headers["retry-after"]).toMatch(/^[1-9][0-9]*$/);
    expect(await walk(`${dataset}?${november}&org_id=${name}-ready`)).toEqual([urlOf(`${name}-ready`)]);
  });

  test("agentic keys are refused", async () => {
    const { uuid } = await standalone(api, world, `agentic-${dataset}`);
    const { text } = await world.key({ kind: "agentic", organization: uuid, owner: "u-admin" });
    expect((await readerOf(api, text).get(`${dataset}?${november}`)).codes).toEqual(["KEY_TYPE_FORBIDDEN"]);
  });
});

describe("cursors", () => {
  test("a cursor works for the organization's copy and the tenant's copy: their numbers are the same", async () => {
    const { page } = await workspaceOf("copies", { a: {}, b: { plan: "free" } });
    for (const number of [1, 2, 3]) await world.pullRequest(github("copies-a"), number);
    const first = await page(`reviews?${november}&limit=2`);
    await world.organization("copies-b", { workspace_id: "copies" });
    await world.pullRequest(github("copies-b"), 4);
    // Newly visible rows come first, then the walk continues from its position.
    const caughtUp = await page(`reviews?${november}&cursor=${first.next}`);
    const rest = await page(`reviews?${november}&cursor=${caughtUp.next}`);
    expect([first.urls, caughtUp.urls, rest.urls]).toEqual([
      [urlOf("copies-a"), urlOf(1)],
      [urlOf("copies-b")],
      [urlOf(2), urlOf(3), urlOf(4)],
    ]);
  });

  test("cursors of an organization that has changed its tenant are refused", async () => {
    const { sendPullRequest, page, get } = await standalone(api, world, "leaves");
    await sendPullRequest(1);
    await sendPullRequest(2);
    const { next, resume } = await page(`reviews?${november}&limit=1`);
    expect(resume).toBeUndefined();
    const last = await page(`reviews?${november}`);
    await world.workspace("joined");
    await world.organization("leaves", { workspace_id: "joined" });
    for (const cursor of [next, last.resume]) {
      const answer = await get(`reviews?${november}&cursor=${cursor}`);
      expect(answer.codes).toEqual(["INVALID_CURSOR"]);
    }
  });

  test("a workspace-wide cursor is refused for one organization, another operation or another window", async () => {
    const { page, get } = await workspaceOf("bound", { a: {}, b: {} });
    const { next } = await page(`reviews?${november}&limit=1`);
    for (const other of [
      `reviews?${november}&org_id=bound-a`,
      `reviews?${november}&status=all`,
      `reviews?${november}&repository_ids=9001`,
      "reviews?start_date=2026-11-01&end_date=2026-11-29",
      `mcp?${november}`,
    ])
      expect((await get(`${other}&cursor=${next}`)).codes).toEqual(["INVALID_CURSOR"]);
    for (const same of ["&limit=7", "&status=merged", "&format=json"])
      expect(pageOf(await get(`reviews?${november}${same}&cursor=${next}`)).urls).toEqual([urlOf("bound-b")]);
  });

  test("two workspaces with the same provider ids never see each other", async () => {
    for (const instance of ["twin-1", "twin-2"]) {
      await world.instance(instance);
      await organization(gitlab(instance, "1001"), { instance_id: instance });
      await world.pullRequest(gitlab(instance, "1001"), instance, mcp);
    }
    const home = await organization(gitlab("twin-1", "1001"), { instance_id: "twin-1" });
    const request = {
      kind: "instance",
      instanceId: "twin-1",
      home,
      owner: "u-admin",
      role: "cr_admin",
    } as const;
    const { walk } = readerOf(api, (await world.key(request)).text);
    for (const dataset of datasets)
      expect(await walk(`${dataset}?${november}`)).toEqual([urlOf("1001"), urlOf("twin-1")]);
  });
});

test("a tenant without any event has one empty page", async () => {
  const { page } = await standalone(api, world, "silent");
  for (const dataset of datasets) {
    const { data, next, resume } = await page(`${dataset}?${november}`);
    expect({ data, next }).toEqual({ data: [], next: null });
    expect(resume).toBeTypeOf("string");
  }
});
