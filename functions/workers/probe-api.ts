import { probePublicApi } from "../../lib/access/probe.ts";
import { environmentVariables } from "../../lib/contract/platform.ts";
import { requiredVariable } from "../../lib/runtime/environment.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { worker } from "../../lib/runtime/worker.ts";

/** Runs every five minutes. Its failure, or its silence, rings the alarm `publicAddress`. */
export const handler = worker("probeApi", async (): Promise<void> => {
  await probePublicApi(requiredVariable(environmentVariables.apiUrl), systemRandom);
});
