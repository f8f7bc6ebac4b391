import { environmentVariables } from "../contract/platform.ts";
import { systemClock } from "../runtime/clock.ts";
import { requiredVariable } from "../runtime/environment.ts";
import { systemRandom } from "../runtime/random.ts";
import { storeClient } from "./client.ts";
import { createDynamoTable } from "./dynamo.ts";
import type { Store } from "./retry-on-conflict.ts";
import { createVectorSearch, type VectorSearch } from "./vectors.ts";

export type OpenStore = Store & { readonly vectors: VectorSearch };

let known: OpenStore | undefined;

/** For functions without a request: created once per warm function, configured by the environment only. */
export function openStore(): OpenStore {
  known ??= open();
  return known;
}

function open(): OpenStore {
  const tableName = requiredVariable(environmentVariables.tableName);
  const options = { client: storeClient(), tableName, clock: systemClock, random: systemRandom };
  return {
    clock: options.clock,
    random: options.random,
    table: createDynamoTable(options),
    vectors: createVectorSearch(options),
  };
}
