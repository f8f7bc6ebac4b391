import { createRateLimiter, type RateLimiter } from "../access/rate-limiter.ts";
import { type Chance, systemChance } from "../runtime/chance.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { auditRetentionDays, requiredVariable } from "../runtime/environment.ts";
import { storeClient } from "../store/client.ts";
import { createDynamoTable, type MeteredTable } from "../store/dynamo.ts";
import { CursorKeyRing } from "./cursor-keys.ts";
import { RefusalMemory } from "./refusal-memory.ts";

export type Dependencies = {
  readonly table: MeteredTable;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly limiter: RateLimiter;
  readonly cursorKeys: CursorKeyRing;
  readonly refusals: RefusalMemory;
  /** How long audit entries are kept. */
  readonly retentionDays: number;
};

let known: Dependencies | undefined;

/** Made once per warm function, from the environment alone. */
export function dependencies(): Dependencies {
  known ??= create(systemClock, systemChance);
  return known;
}

function create(clock: Clock, chance: Chance): Dependencies {
  return {
    clock,
    chance,
    table: createDynamoTable({
      client: storeClient(),
      tableName: requiredVariable("TABLE_NAME"),
      clock,
      chance,
    }),
    limiter: createRateLimiter({ clock, chance }),
    cursorKeys: new CursorKeyRing({ clock }),
    refusals: new RefusalMemory(),
    retentionDays: auditRetentionDays(),
  };
}
