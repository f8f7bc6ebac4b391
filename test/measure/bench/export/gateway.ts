/** The local gateway and the handlers, in their own process, until the parent process ends. */
import * as z from "zod";
import { operations } from "../../../../lib/contract/operations.ts";
import { binaryMediaTypes, fallbackSource } from "../../../../lib/contract/platform.ts";
import { loadFunction, prepareFunctions } from "../../../../lib/local/functions.ts";
import { startGateway } from "../../../../lib/local/gateway.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { argumentOf } from "../frame/child.ts";

const { endpoint } = argumentOf(z.object({ endpoint: z.string() }));
const answersPerWindow = 50;
let movedMs = 0;
let answers = 0;
const systemNow = Date.now;
Date.now = () => systemNow() + movedMs;

prepareFunctions(endpoint);
const { url } = await startGateway(
  {
    operations,
    fallbackSource,
    load: loadFunction,
    stage: "local",
    binaryMediaTypes,
    clock: systemClock,
    random: systemRandom,
    // Moves the clock a minute before the window is full: the benchmark measures the work, not the wait.
    onAnswer: () => {
      answers++;
      if (answers % answersPerWindow === 0) movedMs += 61_000;
    },
  },
  0,
);
process.once("disconnect", () => process.exit(0));
process.send?.({ url });
