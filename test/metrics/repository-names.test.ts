import { expect, test } from "vitest";
import { createRepositoryNames } from "../../lib/metrics/repository-names.ts";
import { useStore } from "../support/engine.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

test("a repository whose item somebody deleted goes by its id; others keep their names", async () => {
  const organization = await world.organization("one");
  await world.repository(github("one"), "9001");
  const names = createRepositoryNames(store().table);
  for (const id of ["9001", "gone"]) names.want(organization, id);
  const nameOf = await names.all();
  expect(nameOf(organization, "gone")).toEqual({ repositoryName: "gone", repositoryFullName: "gone" });
  expect(nameOf(organization, "9001").repositoryFullName).not.toBe("9001");
});
