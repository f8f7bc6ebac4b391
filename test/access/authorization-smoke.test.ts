import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cell, cellsOf } from "../proofs/authorization/cells.ts";
import { expectedOf } from "../proofs/authorization/expected.ts";
import { MatrixPlayer } from "../proofs/authorization/player.ts";
import { kinds, rows } from "../proofs/authorization/table.ts";
import { buildInstance, buildWorkspace } from "../proofs/authorization/world.ts";
import { useApi } from "../support/api.ts";

/** The quick form of the authorization matrix; `npm run test:proofs` has all of it. */
const player = new MatrixPlayer(useApi());
beforeAll(() =>
  player.build([
    (world) => buildWorkspace(world, "smoke", "enterprise", "enterprise"),
    (world) => buildInstance(world, "smoke", "enterprise", "enterprise"),
  ]),
);
afterAll(() => player.end());

const isAdmitted = ({ row, caller, selection }: Cell): boolean =>
  expectedOf(row, caller, selection).isAdmitted;

test("every operation answers every kind of key as the table says", async () => {
  const cells = player.tenants.flatMap((tenant) => cellsOf(tenant, player.foreign));
  const chosen = rows.flatMap((row) =>
    kinds.map((kind) => {
      const own = cells.filter((cell) => cell.row === row && cell.caller.kind === kind);
      const cell = own.find(isAdmitted) ?? own[0];
      if (!cell) throw new Error(`${row.operation} is not called with a key of kind ${kind}.`);
      return cell;
    }),
  );
  const differences: string[] = [];
  for (const cell of chosen)
    differences.push(...[await player.play(cell)].filter((each) => each !== undefined));
  expect(differences).toEqual([]);
  expect(chosen.filter(isAdmitted).length).toBeGreaterThan(rows.length);
});
