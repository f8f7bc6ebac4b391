import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../lib/contract/operations.ts";
import { useApi } from "../../support/api.ts";
import { timeoutMs } from "../../support/volume.ts";
import type { World } from "../../support/world.ts";
import { cellsOf, onlyCellsOf } from "./cells.ts";
import { unmet } from "./combinations.ts";
import { MatrixPlayer } from "./player.ts";
import { rows } from "./table.ts";
import { buildInstance, buildStandalone, buildTwins, buildWorkspace, plans } from "./world.ts";

const player = new MatrixPlayer(useApi());
beforeAll(
  () =>
    player.build([
      ...plans.flatMap((plan) => [
        (world: World) => buildWorkspace(world, plan, plan, plan),
        (world: World) => buildInstance(world, plan, plan, plan),
        (world: World) => buildStandalone(world, plan, plan),
      ]),
      (world) => buildWorkspace(world, "mixed", "enterprise", "pro"),
      (world) => buildInstance(world, "mixed", "pro", "enterprise"),
      buildTwins,
    ]),
  timeoutMs,
);
afterAll(() => player.end());

test("every operation has a row in the table, and every row an operation", () => {
  const ids = operations.map(({ id }) => id);
  expect([...new Set(rows.map(({ id }) => id))].sort()).toEqual(ids.toSorted());
});

describe("who may call what", () => {
  test(
    "every cell of the matrix answers as the table says",
    async () => {
      const perTenant = player.tenants.map((tenant) => cellsOf(tenant, player.foreign));
      expect(unmet(perTenant.flat())).toEqual([]);
      const differences = await Promise.all(
        perTenant.map(async (cells) => {
          const found: string[] = [];
          for (const cell of cells)
            found.push(...[await player.play(cell)].filter((each) => each !== undefined));
          return found;
        }),
      );
      const cells = perTenant.flat().length;
      console.info(`authorization matrix: ${cells} cells, ${differences.flat().length} differences`);
      expect(differences.flat()).toEqual([]);
      expect(cells).toBeGreaterThan(700);
    },
    timeoutMs,
  );

  test(
    "a narrow key calls what its list contains and nothing else, as the table says",
    async () => {
      const wholes = player.tenants.filter(({ home, other = home }) => home.plan === other.plan);
      const tenants = wholes.filter(({ home }) => home.plan === "enterprise");
      const cells = tenants.flatMap((tenant) => onlyCellsOf(tenant, player.foreign));
      const differences: string[] = [];
      for (const cell of cells)
        differences.push(...[await player.play(cell)].filter((each) => each !== undefined));
      console.info(`authorization matrix, only: ${cells.length} cells, ${differences.length} differences`);
      expect(differences).toEqual([]);
      expect(new Set(cells.map(({ row }) => row)).size).toBe(rows.length);
    },
    timeoutMs,
  );

  test("the calls of the matrix delete nothing that was out of reach", async () => {
    const { asked, missing } = await player.lost();
    console.info(`authorization matrix: ${asked} Learnings and roles, all still there`);
    expect(missing).toBe(0);
    expect(asked).toBeGreaterThan(50);
  });
});
