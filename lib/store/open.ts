import { environmentVariables } from "../contract/platform.ts";
import { systemChance } from "../runtime/chance.ts";
import { systemClock } from "../runtime/clock.ts";
import { requiredVariable } from "../runtime/environment.ts";
import { storeClient } from "./client.ts";
import type { Store } from "./decide.ts";
import { createDynamoTable } from "./dynamo.ts";
import { createVectorSearch, type VectorSearch } from "./vectors.ts";

export type OpenStore = Store & { readonly vectors: VectorSearch };

let known: OpenStore | undefined;

/** For functions without a request: made once per warm function, from the environment alone. */
export function openStore(): OpenStore {
  known ??= open();
  return known;
}

function open(): OpenStore {
  const tableName = requiredVariable(environmentVariables.tableName);
  const options = { client: storeClient(), tableName, clock: systemClock, chance: systemChance };
  return {
    clock: options.clock,
    chance: options.chance,
    table: createDynamoTable(options),
    vectors: createVectorSearch(options),
  };
}
