import { resumeMoves } from "../../lib/organizations/move.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Behind the clock, every few minutes: organizations whose data is still on its way to another tenant. */
export const handler = worker("finishMoves", async (): Promise<void> => {
  await resumeMoves(openStore());
});
