import { afterAll, beforeAll, expect, test } from "vitest";
import { useApi } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { github, gitlab, type OrganizationId, World } from "../../support/world.ts";

/** The states of an organization that are checked together with the plan. */
const api = useApi();
const world = new World(() => api.store().table);
let pace: Pace;
beforeAll(() => {
  pace = new Pace(Date.now());
});
afterAll(() => pace.end());

const metricsStates = ["ready", "preparing", "unavailable"] as const;
type MetricsState = (typeof metricsStates)[number];
const datasets = ["review-comments", "reviews", "mcp"];
const window = "start_date=2026-11-01&end_date=2026-11-30";

type Cell = {
  kind: string;
  key: string;
  query: string;
  scope: ReadonlyArray<{ id: string; state: MetricsState }>;
};

/** A tenant of two organizations in these states, with the requests of each kind of key. */
async function metricsCells(home: MetricsState, other: MetricsState, otherPlan: string): Promise<Cell[]> {
  const name = `${home}-${other}-${otherPlan}`;
  const id = (letter: string) => `${name}-${letter}`;
  await world.workspace(name);
  await world.instance(name);
  const saveOrganization = async (organization: OrganizationId, change: object) => {
    const uuid = await world.organization(organization.provider_organization_id, {
      ...organization,
      ...change,
    });
    await world.member(organization, "u-admin", { role: "cr_admin" });
    return uuid;
  };
  const own = await saveOrganization(github(id("a")), { workspace_id: name, metrics: home });
  await saveOrganization(github(id("b")), { workspace_id: name, metrics: other, plan: otherPlan });
  const hosted = await saveOrganization(gitlab(name, id("a")), { metrics: home });
  await saveOrganization(gitlab(name, id("b")), { metrics: other, plan: otherPlan });
  const admin = { owner: "u-admin", role: "cr_admin" } as const;
  const single = (await world.key({ kind: "organization", organization: own, ...admin })).text;
  const workspace = (await world.token(name)).text;
  const instance = (await world.key({ kind: "instance", instanceId: name, home: hosted, ...admin })).text;
  const a = { id: id("a"), state: home };
  const b = { id: id("b"), state: other };
  const both = otherPlan === "enterprise" ? [a, b] : [a];
  return [
    { kind: "organization", key: single, query: "", scope: [a] },
    { kind: "workspace", key: workspace, query: "", scope: both },
    { kind: "workspace", key: workspace, query: `&org_id=${a.id}`, scope: [a] },
    { kind: "instance", key: instance, query: "", scope: both },
    { kind: "instance", key: instance, query: `&organization_ids=${a.id}`, scope: [a] },
    ...(otherPlan === "enterprise"
      ? [
          { kind: "workspace", key: workspace, query: `&org_id=${b.id}`, scope: [b] },
          { kind: "instance", key: instance, query: `&organization_ids=${b.id},nowhere`, scope: [b] },
        ]
      : []),
  ];
}

function metricsVerdict(scope: Cell["scope"]) {
  const unavailable = scope.find(({ state }) => state === "unavailable");
  const preparing = scope.find(({ state }) => state === "preparing");
  if (unavailable) return { wanted: [403, "METRICS_UNAVAILABLE"], named: unavailable.id };
  return preparing
    ? { wanted: [503, "METRICS_PREPARING"], named: preparing.id }
    : { wanted: [200, undefined], named: "" };
}

test(
  "an error names the organization that does not send metrics, or whose metrics are being prepared",
  async () => {
    let cells = 0;
    /** How often a verdict occurred with a kind of key: a short run then takes the next dataset. */
    const turns = new Map<string, number>();
    for (const home of metricsStates)
      for (const other of metricsStates)
        for (const otherPlan of home === "ready" ? ["enterprise", "pro"] : ["enterprise"])
          for (const { kind, key, query, scope } of await metricsCells(home, other, otherPlan)) {
            const { wanted, named } = metricsVerdict(scope);
            const pair = `${kind} ${wanted[0]}`;
            const turn = turns.get(pair) ?? 0;
            turns.set(pair, turn + 1);
            for (const dataset of isLong ? datasets : [datasets[turn % datasets.length]]) {
              const answer = await pace.run(key, 50, () =>
                api.call(`/v1/metrics/${dataset}?${window}${query}`, { key }),
              );
              const cell = `${dataset} ${home} ${other} ${otherPlan} ${query}`;
              expect([cell, answer.status, answer.codes[0]]).toEqual([cell, ...wanted]);
              expect(answer.message).toContain(named);
              cells++;
            }
          }
    expect([...turns.values()].filter((turn) => turn < datasets.length)).toEqual([]);
    console.info(`metrics states: ${cells} cells, 0 differences`);
  },
  timeoutMs,
);

const choices = [true, false];

/** Subscription, then deployment, then plan, then role: the first failed check decides the answer. */
function seatAssignmentVerdict(isSubscribed: boolean, isHosted: boolean, plan: string, role: string) {
  if (!isSubscribed) return [402, "NO_ACTIVE_SUBSCRIPTION"];
  if (!isHosted) return [403, "SELF_HOSTED_ONLY"];
  if (plan !== "enterprise") return [403, "ENTERPRISE_PLAN_REQUIRED"];
  return role === "cr_admin" ? [200, undefined] : [403, "NOT_ADMIN"];
}

test(
  "seat assignment checks subscription, deployment, plan and role, in this order",
  async () => {
    let cells = 0;
    let turn = 0;
    for (const subscription_active of choices)
      for (const isHosted of choices)
        for (const plan of ["free", "pro", "enterprise"]) {
          const name = gitlab(`seats-${subscription_active}-${isHosted}-${plan}`, "home");
          await world.instance(name.instance_id ?? "");
          const deployment = isHosted ? "self_hosted" : "cloud";
          const uuid = await world.organization("home", { ...name, subscription_active, deployment, plan });
          for (const role of ["cr_admin", "cr_member"]) {
            const owner = role;
            await world.member(name, owner, { role });
            const instanceId = name.instance_id ?? "";
            const issue = [
              () => world.key({ kind: "organization", organization: uuid, owner, role }),
              () => world.key({ kind: "user", organization: uuid, owner }),
              () => world.key({ kind: "instance", instanceId, home: uuid, owner, role }),
            ];
            const wanted = seatAssignmentVerdict(subscription_active, isHosted, plan, role);
            // Checks before the role do not depend on the kind of key: a short run takes one kind, in turn.
            const isAboutRole = wanted[1] === undefined || wanted[1] === "NOT_ADMIN";
            const isTaken = (kind: number) => isLong || isAboutRole || kind === turn % issue.length;
            turn++;
            for (const issueOne of issue.filter((_, kind) => isTaken(kind))) {
              const { text, key } = await issueOne();
              for (const body of [undefined, { mode: "automatic" }]) {
                const answer = await pace.run(uuid, 9, () =>
                  api.call("/v1/users/seats/assignment", { key: text, ...(body && { body }) }),
                );
                const cell = `${key.kind} ${role} ${name.instance_id} ${body ? "POST" : "GET"}`;
                expect([cell, answer.status, answer.codes[0]]).toEqual([cell, ...wanted]);
                cells++;
              }
            }
          }
        }
    console.info(`seat assignment: ${cells} cells, 0 differences`);
  },
  timeoutMs,
);
