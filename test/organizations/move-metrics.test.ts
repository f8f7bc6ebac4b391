import { expect, test } from "vitest";
import { organizationKey, tenantOrganizationKey, workspaceTenant } from "../../lib/store/layout.ts";
import { useApi } from "../support/api.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const merged = (name: string, number: number) =>
  world.tell("pull_request.finalized", {
    ...github(name),
    repository_id: "r1",
    pr_url: `https://git.example.com/${name}/pull/${number}`,
    author_id: "u1",
    author_username: null,
    created_at: "2026-10-01T00:00:00.000Z",
    merged_at: `2026-${number % 2 ? "10" : "09"}-02T00:00:00.000Z`,
    closed_at: "2026-10-02T00:00:00.000Z",
    status: "merged",
    reviewed: true,
    review_iterations: 1,
    comments: [
      {
        url: `https://git.example.com/${name}/pull/${number}#c1`,
        severity: "major",
        category: null,
        accepted: true,
      },
    ],
    mcp_servers: [],
  });

test("an organization that changes tenant takes its pull requests along, and reads as preparing until they are there", async () => {
  const target = "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31";
  const uuid = await world.organization("mover");
  await world.repository(github("mover"), "r1");
  await world.member(github("mover"), "boss", { role: "cr_admin" });
  const { text: own } = await world.key({
    kind: "organization",
    organization: uuid,
    owner: "boss",
    role: "cr_admin",
  });
  for (let number = 1; number <= 12; number++) await merged("mover", number);
  const before = await api.call(`${target}&limit=5`, { key: own });
  const { next_cursor: oldCursor } = before.json as { next_cursor: string };
  await world.workspace("shelter");
  const { text: token } = await world.token("shelter");

  await world.organization("mover", { workspace_id: "shelter" });

  for (const key of [own, token]) {
    const answer = await api.call(target, { key });
    const { data } = answer.json as { data: Array<{ pr_url: string }> };
    expect(data.map(({ pr_url }) => pr_url).toSorted()).toHaveLength(12);
  }
  expect((await api.call(`${target}&limit=5&cursor=${oldCursor}`, { key: own })).codes).toEqual([
    "INVALID_CURSOR",
  ]);
  await merged("mover", 13);
  expect((await api.call(target, { key: token })).json).toMatchObject({ data: { length: 13 } });

  // A move that was cut off: the organization's items still say where it comes from.
  const copies = [organizationKey(uuid), tenantOrganizationKey(workspaceTenant("shelter"), uuid)];
  for (const update of copies) {
    await api.store().table.write({ update, change: { set: [["leaving", `o#${uuid}`]] } });
  }
  for (const key of [own, token]) {
    const answer = await api.call(target, { key });
    expect([answer.status, answer.codes]).toEqual([503, ["METRICS_PREPARING"]]);
    expect(answer.message).toContain("mover");
  }
  await world.organization("mover", { workspace_id: "shelter" });
  for (const key of [own, token]) expect((await api.call(target, { key })).status).toBe(200);
});
