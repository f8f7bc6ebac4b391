import { environmentVariables } from "../contract/platform.ts";
import { systemChance } from "../runtime/chance.ts";
import { systemClock } from "../runtime/clock.ts";
import { requiredVariable } from "../runtime/environment.ts";
import { log } from "../runtime/log.ts";
import { storeClient } from "../store/client.ts";
import { createDynamoTable } from "../store/dynamo.ts";
import type { EventDeps } from "./ports.ts";
import { s3Bucket } from "./s3.ts";
import { createSqsCall, sqsDeadLetters } from "./sqs.ts";

let known: EventDeps | undefined;

/** Made once per warm function, from the environment alone. */
export function workerDependencies(): EventDeps {
  known ??= create();
  return known;
}

function create(): EventDeps {
  const clock = systemClock;
  const chance = systemChance;
  const tableName = requiredVariable(environmentVariables.tableName);
  return {
    clock,
    chance,
    log,
    untoldEnds: new Map(),
    table: createDynamoTable({ client: storeClient(), tableName, clock, chance }),
    bucket: s3Bucket(requiredVariable(environmentVariables.eventsBucket)),
    deadLetters: sqsDeadLetters(createSqsCall(), requiredVariable(environmentVariables.deadLetterQueueUrl)),
  };
}
