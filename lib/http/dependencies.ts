import { AcceptedKeys } from "../access/accepted-keys.ts";
import { createRateLimiter, type RateLimiter } from "../access/rate-limiter.ts";
import { RefusalMemory } from "../access/refusals.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { auditRetentionDays, requiredVariable } from "../runtime/environment.ts";
import { type Random, systemRandom } from "../runtime/random.ts";
import { storeClient } from "../store/client.ts";
import { createDynamoTable, type MeteredTable } from "../store/dynamo.ts";
import { CursorKeyRing } from "./cursor-keys.ts";

export type Dependencies = {
  readonly table: MeteredTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly limiter: RateLimiter;
  readonly accepted: AcceptedKeys;
  readonly cursorKeys: CursorKeyRing;
  readonly refusals: RefusalMemory;
  /** How long audit entries are kept. */
  readonly retentionDays: number;
};

let known: Dependencies | undefined;

/** Made once per warm function, from the environment alone. */
export function dependencies(): Dependencies {
  known ??= create(systemClock, systemRandom);
  return known;
}

function create(clock: Clock, random: Random): Dependencies {
  return {
    clock,
    random,
    table: createDynamoTable({
      client: storeClient(),
      tableName: requiredVariable("TABLE_NAME"),
      clock,
      random,
    }),
    limiter: createRateLimiter({ clock, random }),
    accepted: new AcceptedKeys(),
    cursorKeys: new CursorKeyRing({ clock }),
    refusals: new RefusalMemory(),
    retentionDays: auditRetentionDays(),
  };
}
