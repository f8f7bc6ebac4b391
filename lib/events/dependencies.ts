import { environmentVariables } from "../contract/platform.ts";
import { systemClock } from "../runtime/clock.ts";
import { requiredVariable } from "../runtime/environment.ts";
import { log } from "../runtime/log.ts";
import { systemRandom } from "../runtime/random.ts";
import { storeClient } from "../store/client.ts";
import { createDynamoTable } from "../store/dynamo.ts";
import type { EventDeps } from "./ports.ts";
import { s3Bucket } from "./s3.ts";
import { createSqsCall, sqsDeadLetters } from "./sqs.ts";

let known: EventDeps | undefined;

/** Created once per warm function, configured by the environment only. */
export function workerDependencies(): EventDeps {
  known ??= create();
  return known;
}

function create(): EventDeps {
  const clock = systemClock;
  const random = systemRandom;
  const tableName = requiredVariable(environmentVariables.tableName);
  return {
    clock,
    random,
    log,
    triesToTakeBack: new Map(),
    knownTenants: new Map(),
    table: createDynamoTable({ client: storeClient(), tableName, clock, random }),
    bucket: s3Bucket(requiredVariable(environmentVariables.eventsBucket)),
    deadLetters: sqsDeadLetters(createSqsCall(), requiredVariable(environmentVariables.deadLetterQueueUrl)),
  };
}
