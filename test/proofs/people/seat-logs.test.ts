import { expect, test } from "vitest";
import { everything } from "../../events/support.ts";
import { useApi } from "../../support/api.ts";
import { github, World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

test("the entry of a workspace token's seat change is in the log of every organization, however many", async () => {
  const name = "many";
  const count = 110;
  await world.workspace(name);
  const uuids: string[] = [];
  for (let index = 0; index < count; index++) {
    uuids.push(await world.organization(`${name}-${index}`, { workspace_id: name }));
    await world.member(github(`${name}-${index}`), "ann", { email: "ann@many.test" });
  }
  const { text: token } = await world.token(name);
  const body = { action: "assign", emails: ["ann@many.test"] };
  expect((await api.call("/v1/users/seats", { key: token, body })).json).toMatchObject({
    status: "success",
  });
  const logs = (await everything(api.store().table)).filter(
    ({ pk, action }) => action === "seats.assigned" && uuids.some((uuid) => pk.startsWith(`AUDIT#o#${uuid}`)),
  );
  // The key of a partition names the organization and the month.
  expect(logs.map(({ pk }) => pk.split("#")[2]).sort()).toEqual(uuids.toSorted());
  expect(new Set(logs.map(({ id }) => id)).size).toBe(1);
});
